"""Hostile hand-ins: none gets a mark it did not earn, and none harms whoever grades."""

import io
import json
import os
import resource
import socket
import stat
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import agentlab
from agentlab.exercises.suites import exercises_folder
from agentlab.grading.batch import grade
from agentlab.grading.collecting import collect
from agentlab.grading.marking import Result, mark
from agentlab.grading.reporting import file_name
from agentlab.grading.sandbox import Limits, Sandbox
from tests.exercise_answers import handed_in, solutions
from tests.hostile_answers import HOSTILE

NUMBER = "05"
SEED = "a seed of the tests"
QUICK = Limits(seconds=1.5, cell_seconds=1.5, hand_in_seconds=3)
RIGHT = next(answer.source for answer in solutions() if answer.number == NUMBER)
KEY = "sk-ant-planted-key-of-the-tests"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ANTHROPIC_API_KEY", KEY)
        with Sandbox() as made:
            yield made


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


@pytest.fixture
def gradebook(tmp_path: Path) -> Path:
    path = tmp_path / "gradebook.csv"
    path.write_text("anna,5\n", "utf-8")
    path.chmod(0o666)
    tmp_path.chmod(0o777)
    return path


def attack(name: str, sandbox: Sandbox, listener: socket.socket, gradebook: Path) -> Result:
    source = (
        HOSTILE[name]
        .replace("SOLUTIONS", str(exercises_folder()))
        .replace("PORT", str(listener.getsockname()[1]))
        .replace("*PLACES", f"{str(gradebook)!r}, {str(exercises_folder() / 'x')!r}")
    )
    return mark(handed_in(NUMBER, source), NUMBER, SEED, sandbox, QUICK)


def test_there_are_more_than_thirty_of_them() -> None:
    assert len(HOSTILE) >= 30


@pytest.mark.parametrize("name", HOSTILE)
def test_an_attack_gets_nothing_and_harms_nobody(
    name: str, sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    package = Path(agentlab.__file__).read_bytes()
    result = attack(name, sandbox, listener, gradebook)
    assert result.state != "infra_error"
    assert result.points == 0
    assert all(case.message for case in result.cases)
    assert len(result.as_json()) < 400_000
    assert gradebook.read_text("utf-8") == "anna,5\n"
    assert Path(agentlab.__file__).read_bytes() == package
    afterwards = mark(handed_in(NUMBER, RIGHT), NUMBER, SEED, sandbox)
    assert afterwards.points == 5, "whoever comes next is graded as ever"


def test_nothing_of_the_answers_is_in_the_sandbox(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    result = attack("runs_the_solution_it_finds", sandbox, listener, gradebook)
    assert "nothing found: []" in result.cases[0].message


def test_no_other_process_is_in_sight(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    for name in ("reads_other_processes", "takes_the_covers_away"):
        message = attack(name, sandbox, listener, gradebook).cases[0].message
        assert "processes: 0" in message


def test_nothing_outside_is_reached(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    message = attack("calls_out", sandbox, listener, gradebook).cases[0].message
    assert "reached: []" in message
    listener.settimeout(0.1)
    with pytest.raises(TimeoutError):
        listener.accept()


def test_nothing_outside_is_written(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    message = attack("writes_where_it_can", sandbox, listener, gradebook).cases[0].message
    assert "written: []" in message


def test_no_key_is_in_the_environment(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    result = attack("returns_the_environment", sandbox, listener, gradebook)
    assert KEY not in result.as_json()
    assert "HOME" in result.as_json()


def test_no_process_outlives_its_performance(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    attack("leaves_a_process_behind", sandbox, listener, gradebook)
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [command for command in commands if b"86417" in command]


def test_what_can_be_written_is_little(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    message = attack("fills_the_disk", sandbox, listener, gradebook).cases[0].message
    written = int(message.split("written: ")[1].rstrip("'"))
    assert 0 < written <= 3 * QUICK.files


def test_the_graders_memory_stays_flat(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    attack("prints_without_end", sandbox, listener, gradebook)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name in ("prints_without_end", "returns_a_mountain", "takes_all_memory"):
        attack(name, sandbox, listener, gradebook)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000, "kilobytes"


# --- hostile files


def hand_in(folder: Path, place: str, content: bytes) -> None:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def zipped(entries: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


WHOLE = handed_in(NUMBER, RIGHT)
NAME = "05_write_the_loop"


def test_names_that_lead_out_of_a_zip_lead_nowhere(tmp_path: Path) -> None:
    names = ["../../evil.ipynb", "/etc/evil.ipynb", "C:\\evil.ipynb", "..\\evil.ipynb", "ok.ipynb"]
    hand_in(tmp_path / "in", "all.zip", zipped(dict.fromkeys(names, WHOLE)))
    found = collect(tmp_path / "in")
    assert sorted(each.trouble != "" for each in found) == [False, True]
    assert {each.learner for each in found} == {"all"}
    assert not list(tmp_path.rglob("evil*"))
    assert not list(tmp_path.parent.glob("evil*"))


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(WHOLE)
    folder = tmp_path / "in"
    (folder / "mallory").mkdir(parents=True)
    (folder / "mallory" / f"{NAME}.ipynb").symlink_to(secret)
    (folder / "trent").symlink_to(tmp_path)
    entry = zipfile.ZipInfo("link.ipynb")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(folder / "eve.zip", "w") as archive:
        archive.writestr(entry, str(secret))
    found = {each.learner: each for each in collect(folder)}
    assert "links are not followed" in found["mallory"].trouble
    assert "links are not followed" in found["eve"].trouble
    assert not any(each.content for each in found.values())


def test_a_zip_bomb_is_put_down_early(tmp_path: Path) -> None:
    bomb = zipped({"alice/05_write_the_loop/exercise.ipynb": bytes(300_000_000)})
    assert len(bomb) < 400_000
    hand_in(tmp_path, "bomb.zip", bomb)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (found,) = collect(tmp_path)
    assert "300 MB" in found.trouble
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000


def test_zips_in_zips_end_somewhere(tmp_path: Path) -> None:
    inner = zipped({"alice.ipynb": WHOLE})
    for _ in range(6):
        inner = zipped({"more.zip": inner})
    hand_in(tmp_path, "deep.zip", inner)
    (found,) = collect(tmp_path)
    assert "zips" in found.trouble


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it is empty"),
        (WHOLE[:60], "cut short"),
        ('{"x": "é"}'.encode("latin-1"), "not UTF-8"),
        (b"<<<<<<< HEAD\n" + WHOLE, "merge conflict"),
        (b"hello", "not JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"cells": 5}', "no cells"),
        (b'{"cells": [{"cell_type": "code", "metadata": 7, "source": {}}]}', "malformed"),
        (b'{"cells": [' + b" " * 50_000_000 + b"]}", "50 MB"),
    ],
    ids=["empty", "half", "latin", "conflict", "text", "deep", "odd", "malformed", "50 MB"],
)
def test_what_is_no_notebook_is_told_so(content: bytes, words: str, sandbox: Sandbox) -> None:
    result = mark(content, NUMBER, SEED, sandbox)
    assert result.state == "no_answer"
    assert result.points == 0
    assert result.most == 5
    assert words in result.cases[0].message


def test_a_mark_before_the_bytes_changes_nothing(sandbox: Sandbox) -> None:
    assert mark(b"\xef\xbb\xbf" + WHOLE, NUMBER, SEED, sandbox).points == 5


def test_names_play_no_tricks(tmp_path: Path) -> None:
    names = ["\x1b[2J\x1b]0;owned\x07eve", "=HYPERLINK(1)", "@cmd", "-1+1", "a\u202eb", "x" * 200]
    for name in names:
        hand_in(tmp_path / "in", f"{name}/{NAME}/exercise.ipynb", handed_in(NUMBER, ""))
    batch = grade(tmp_path / "in", tmp_path / "out", limits=QUICK)
    assert len(batch.marked) == len(names)
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert "\x1b" not in text
            assert "\u202e" not in text
        if path.suffix == ".csv":
            for line in path.read_text("utf-8").splitlines():
                assert not line.startswith(("=", "@", "-", "+", '"=', '"@'))
    names_of_files = {file_name(each) for each in batch.marked}
    assert len(names_of_files) == len(names)
    assert all(len(name) < 80 and "/" not in name for name in names_of_files)


def test_one_bad_hand_in_stops_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    hand_in(folder, f"anna/{NAME}/exercise.ipynb", WHOLE)
    hand_in(folder, f"bad/{NAME}/exercise.ipynb", b"{")
    hand_in(folder, f"hangs/{NAME}/exercise.ipynb", handed_in(NUMBER, HOSTILE["never_lets_go"]))
    hand_in(folder, f"kills/{NAME}/exercise.ipynb", handed_in(NUMBER, HOSTILE["kills_everybody"]))
    hand_in(folder, f"zoe/{NAME}/exercise.ipynb", WHOLE)
    hand_in(folder, "broken.zip", b"PK\x03\x04 nothing")
    batch = grade(folder, tmp_path / "out", limits=QUICK)
    points = {each.hand_in.learner: each.result.points for each in batch.marked}
    assert points == {"anna": 5, "bad": 0, "broken": 0, "hangs": 0, "kills": 0, "zoe": 5}
    rows = json.loads((tmp_path / "out" / "gradebook.json").read_text("utf-8"))
    assert [row["wall"] for row in rows if row["learner"] == "anna"] == ["bwrap"]


def test_the_grader_leaves_no_thread_and_no_process_behind(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", f"anna/{NAME}/exercise.ipynb", WHOLE)
    threads, children = threading.active_count(), len(os.listdir("/proc/self/task"))
    grade(tmp_path / "in", tmp_path / "out")
    assert threading.active_count() == threads
    assert len(os.listdir("/proc/self/task")) <= children
