"""Hostile hand-ins: none gets a mark it did not earn, and none harms whoever grades."""

import io
import json
import resource
import socket
import stat
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentlab
from agentlab.errors import ConfigurationError
from agentlab.exercises.suites import exercises_folder
from agentlab.grading.batch import grade
from agentlab.grading.collecting import collect
from agentlab.grading.marking import Result, mark
from agentlab.grading.reporting import file_name
from agentlab.grading.sandbox import Limits, Sandbox
from tests.exercise_answers import handed_in, solutions, wrong_answers
from tests.hostile_answers import HOSTILE, MEMORY_THIEF

NUMBER = "05"
SEED = "a seed of the tests"
QUICK = Limits(seconds=1.5, cell_seconds=1, hand_in_seconds=1)
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


def attack(
    name: str,
    sandbox: Sandbox,
    listener: socket.socket,
    gradebook: Path,
    limits: Limits = QUICK,
) -> Result:
    source = (
        HOSTILE[name]
        .replace("SOLUTIONS", str(exercises_folder()))
        .replace("PORT", str(listener.getsockname()[1]))
        .replace("*PLACES", f"{str(gradebook)!r}, {str(exercises_folder() / 'x')!r}")
    )
    return mark(handed_in(NUMBER, source), NUMBER, SEED, sandbox, limits)


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
    patient = Limits(cell_seconds=60)  # it looks through every folder there is
    result = attack("runs_the_solution_it_finds", sandbox, listener, gradebook, patient)
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


def test_nothing_of_an_earlier_hand_in_is_in_anybodys_memory(sandbox: Sandbox) -> None:
    marker = "kestrel_" + "5c1f0e77"
    for _ in range(3):
        mark(handed_in(NUMBER, f"# {marker}\n{RIGHT}"), NUMBER, SEED, sandbox, QUICK)
    patient = Limits(seconds=60)  # it reads all the memory it can
    message = mark(handed_in(NUMBER, MEMORY_THIEF), NUMBER, SEED, sandbox, patient).cases[0].message
    assert "found: 0'" in message
    assert int(message.split("read: ")[1].split()[0]) > 100, "the memory was really looked at"


def test_a_request_that_was_never_answered_is_no_transcript(sandbox: Sandbox) -> None:
    source = (
        HOSTILE["shows_another_transcript"].replace("run_agent", "show")
        + next(a.source for a in wrong_answers() if a.path.stem == "one_message_each")
        + "\nhonest = run_agent\n"
        "def run_agent(client, tools, question, max_steps=10):\n"
        "    answer = honest(client, tools, question, max_steps)\n"
        "    show(client, tools, question)\n"
        "    return answer\n"
    )
    assert mark(handed_in(NUMBER, source), NUMBER, SEED, sandbox).points <= 4


def test_cells_and_case_together_may_take_what_each_of_them_may(sandbox: Sandbox) -> None:
    busy = "import time\nend = time.process_time() + 0.6\nwhile time.process_time() < end: pass\n"
    read = json.loads(handed_in(NUMBER, busy + RIGHT))
    cell = {
        "cell_type": "code",
        "id": "busy",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    read["cells"].insert(0, {**cell, "source": busy})
    limits = Limits(seconds=0.9, cell_seconds=0.9)
    assert mark(json.dumps(read).encode(), NUMBER, SEED, sandbox, limits).state != "died"


@pytest.mark.parametrize(
    "source",
    [
        "a = 1" + "\n" * 60_000 + "b",
        "x = " + "-" * 100_000,
        "x = " + "+" * 100_000 + "1",
        "é" * 400_000,
    ],
    ids=["blank lines", "signs", "deep", "large"],
)
def test_a_strange_cell_costs_the_grader_nothing(source: str, sandbox: Sandbox) -> None:
    result = mark(handed_in(NUMBER, source), NUMBER, SEED, sandbox, QUICK)
    assert (result.state, result.points) == ("no_answer", 0)


def test_half_a_character_in_a_cell_is_said(sandbox: Sandbox) -> None:
    content = handed_in(NUMBER, "x = 1").replace(b"x = 1", b"x = '\\ud800'")
    assert "half a character" in mark(content, NUMBER, SEED, sandbox).cases[0].message


def test_messages_are_short_and_printable(
    sandbox: Sandbox, listener: socket.socket, gradebook: Path
) -> None:
    for name in ("raises_half_a_character", "returns_a_mountain"):
        for case in attack(name, sandbox, listener, gradebook).cases:
            assert len(case.message) < 1_000
            assert case.message.encode("utf-8").decode("utf-8").isprintable()


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


@settings(max_examples=150)
@given(data=st.data())
def test_a_damaged_zip_is_read_or_refused(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray(zipped({"alice.ipynb": WHOLE[:3000], "more/bob.ipynb": WHOLE[:2000]}))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("zip")
    hand_in(folder, "all.zip", bytes(content))
    for found in collect(folder):
        found.learner.encode("utf-8")
        assert found.place.isprintable()


def test_two_learners_of_one_name_are_two(tmp_path: Path) -> None:
    for number in (17, 18):
        hand_in(tmp_path, f"Alice Adams_{number}_assignsubmission_file/{NAME}.ipynb", WHOLE)
        hand_in(tmp_path, f"smithjohn_{number}_99_{NAME}.ipynb", WHOLE)
    assert [each.learner for each in collect(tmp_path)] == [
        "Alice Adams 17",
        "Alice Adams 18",
        "smithjohn 17",
        "smithjohn 18",
    ]


def test_nobody_hands_in_for_another(tmp_path: Path) -> None:
    hand_in(tmp_path, f"alice_9_assignsubmission_file/{NAME}.ipynb", WHOLE)
    theirs = zipped({f"alice_9_assignsubmission_file/{NAME}.ipynb": handed_in(NUMBER, "")})
    hand_in(tmp_path, "mallory_8_assignsubmission_file/work.zip", theirs)
    hand_in(tmp_path, "trudy_7_7_work.zip", theirs)
    found = {each.learner: each for each in collect(tmp_path)}
    assert set(found) == {"alice", "mallory", "trudy"}
    assert found["alice"].content == WHOLE


def test_what_is_passed_over_is_said(tmp_path: Path) -> None:
    for name in ("first", "second"):
        hand_in(tmp_path, f"anna/{name}/{NAME}.IPYNB", WHOLE)
    (found,) = collect(tmp_path)
    assert "second" in found.place
    assert "first" in found.remark
    assert "was passed over" in found.remark


def test_a_seed_that_is_none_is_refused(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", f"anna/{NAME}/exercise.ipynb", WHOLE)
    (tmp_path / "out").mkdir()
    for seed in (b"", b"x", b"\xff\xfe"):
        (tmp_path / "out" / "seed").write_bytes(seed)
        with pytest.raises(ConfigurationError, match="no seed of a report"):
            grade(tmp_path / "in", tmp_path / "out")


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
    threads, children = threading.active_count(), children_of_this_process()
    grade(tmp_path / "in", tmp_path / "out")
    assert threading.active_count() == threads
    assert children_of_this_process() <= children


def children_of_this_process() -> set[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return {number for task in tasks for number in task.read_text("ascii").split()}
