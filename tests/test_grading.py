"""A class is graded: what learners' notebooks are like, and what an instructor gets."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import catalogue
from agentlab import Run
from agentlab.cli import app
from agentlab.errors import ConfigurationError
from agentlab.exercises.cells import Cell, run_cells, select
from agentlab.exercises.suites import folders, released_cells
from agentlab.grading.batch import grade
from agentlab.grading.collecting import collect
from agentlab.grading.marking import Result, mark, suite_version
from agentlab.grading.releasing import leaks_in, release
from agentlab.grading.sandbox import Limits, Sandbox, SandboxBroken
from tests.exercise_answers import handed_in, notebook, solutions, wrong_answers

NUMBER = "05"
NAME = folders()[NUMBER].name
SEED = "a seed of the tests"
RIGHT = next(answer.source for answer in solutions() if answer.number == NUMBER)
WRONG = next(a for a in wrong_answers() if a.path.stem == "first_call_only")
QUICK = Limits(seconds=1.5, cell_seconds=1, hand_in_seconds=3)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def of_cells(*sources: str, **more: Any) -> bytes:
    """A notebook with nothing but these cells, as another editor might save it."""
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        | ({"source": source.splitlines(keepends=True)})
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **more}).encode()


def hand_in(folder: Path, learner: str, source: str) -> None:
    path = folder / learner / NAME / "exercise.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(handed_in(NUMBER, source))


# --- notebooks as learners hand them in


def test_a_cell_that_never_ends_costs_only_what_comes_after_in_it(sandbox: Sandbox) -> None:
    result = mark(of_cells(RIGHT, "while True: pass"), NUMBER, SEED, sandbox, QUICK)
    assert result.points == 5
    assert "Cell 2 was stopped after 1 seconds." in result.warnings


def test_a_cell_that_prints_without_end_is_a_flood(sandbox: Sandbox) -> None:
    endless = "while True:\n    try:\n        print('x' * 1000)\n    except BaseException: pass"
    result = mark(of_cells(endless, RIGHT), NUMBER, SEED, sandbox, QUICK)
    assert result.state == "flood"
    assert len(result.as_json()) < 10_000


def test_a_definition_before_an_endless_loop_counts(sandbox: Sandbox) -> None:
    result = mark(of_cells(f"{RIGHT}\nwhile True: pass"), NUMBER, SEED, sandbox, QUICK)
    assert result.points == 5


def test_of_copied_cells_the_last_one_counts(sandbox: Sandbox) -> None:
    content = of_cells("def run_agent(*a, **k): return 0", RIGHT, "def other(): return 2")
    result = mark(content, NUMBER, SEED, sandbox)
    assert result.points == 5
    assert "run_agent is defined in cells 1 and 2; the last one counts." in result.warnings


def test_check_cells_that_were_changed_or_deleted_change_nothing(sandbox: Sandbox) -> None:
    read = json.loads(handed_in(NUMBER, WRONG.source))
    checks = [c for c in read["cells"] if c["metadata"].get("nbgrader", {}).get("grade")]
    checks[0]["source"] = "assert True  # was a check"
    checks[0]["metadata"]["nbgrader"]["points"] = 100
    read["cells"].remove(checks[1])
    result = mark(json.dumps(read).encode(), NUMBER, SEED, sandbox)
    assert (result.points, result.most) == (4, 5)
    assert any("was changed" in warning for warning in result.warnings)
    assert "1 of the check cells are missing; that changes nothing." in result.warnings


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ("def other(n)\n    return n", "Cell 1: SyntaxError: expected ':' (line 1)"),
        ("%no_such_thing\nx = 1", "Cell 1: %no_such_thing is a command of notebooks"),
        ("y = undefined_name + 1", "Cell 1: NameError: name 'undefined_name' is not defined (line"),
        ("z = input('who? ')", "Cell 1: input() cannot be used here"),
        ("!pip install some-package\n%pip install other", "install lines are ignored"),
        ("import sys\nsys.exit(3)", "Cell 1: SystemExit: 3"),
    ],
)
def test_one_broken_cell_costs_nothing_but_itself(
    broken: str, words: str, sandbox: Sandbox
) -> None:
    result = mark(of_cells(broken, RIGHT), NUMBER, SEED, sandbox)
    assert result.points == 5
    assert any(words in warning for warning in result.warnings)
    assert not any("site-packages" in warning for warning in result.warnings)


def test_what_stands_before_input_counts(sandbox: Sandbox) -> None:
    assert mark(of_cells(f"{RIGHT}\nname = input('who? ')"), NUMBER, SEED, sandbox).points == 5


def test_a_broken_answer_is_told_with_its_line(sandbox: Sandbox) -> None:
    result = mark(of_cells("def run_agent(client)\n    pass"), NUMBER, SEED, sandbox)
    assert result.state == "no_answer"
    assert "run_agent is not defined" in result.cases[0].message
    assert "SyntaxError" in result.cases[0].message


def test_words_on_stderr_cost_nothing(sandbox: Sandbox) -> None:
    noisy = f"import warnings, sys\nwarnings.warn('hm')\nprint('oh', file=sys.stderr)\n{RIGHT}"
    assert mark(of_cells(noisy), NUMBER, SEED, sandbox).points == 5


def test_given_cells_are_not_run_again_and_setup_always_is() -> None:
    released = released_cells(NUMBER)
    code = [cell for cell in notebook(NUMBER)["cells"] if cell["cell_type"] == "code"]
    handed = [Cell(n, "".join(cell["source"])) for n, cell in enumerate(code, 1)]
    chosen = select(handed, released, ("run_agent",)).cells
    assert [cell.source for cell in chosen if "setup" in cell.tags]
    assert not [cell for cell in chosen if "check(" in cell.source.split("\n")[0]]
    assert not [cell for cell in chosen if "client().messages.create" in cell.source]


def test_cells_run_in_one_namespace() -> None:
    names: dict[str, Any] = {}
    assert run_cells([Cell(1, "a = 1"), Cell(2, "b = a + 1")], 1, names) == []
    assert names["b"] == 2


# --- the sandbox itself


def test_a_sandbox_that_breaks_is_no_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise SandboxBroken("the sandbox ended")

    hand_in(tmp_path / "in", "anna", RIGHT)
    with monkeypatch.context() as patched:
        patched.setattr(Sandbox, "perform", broken)
        batch = grade(tmp_path / "in", tmp_path / "out")
    assert [each.result.state for each in batch.broken] == ["infra_error"]
    row = (tmp_path / "out" / "gradebook.csv").read_text("utf-8").splitlines()[1]
    assert row.startswith("anna,05,,,infra_error")
    assert (tmp_path / "out" / "retry.txt").read_text("utf-8").strip().endswith("exercise.ipynb")
    again = grade(tmp_path / "in", tmp_path / "out")
    assert (again.broken, again.marked[0].result.points) == ([], 5)


def test_a_nursery_that_was_killed_is_started_anew(sandbox: Sandbox) -> None:
    assert mark(handed_in(NUMBER, RIGHT), NUMBER, SEED, sandbox).points == 5
    assert sandbox._process is not None
    sandbox._process.kill()
    sandbox._process.wait()
    assert mark(handed_in(NUMBER, RIGHT), NUMBER, SEED, sandbox).points == 5


def test_the_same_hand_in_gets_the_same_result(sandbox: Sandbox) -> None:
    content = handed_in(NUMBER, WRONG.source)
    one, other = (mark(content, NUMBER, SEED, sandbox).as_json() for _ in range(2))
    assert one == other
    assert Result.from_json(one).as_json() == one
    assert mark(content, NUMBER, "another seed", sandbox).as_json() != one


def test_no_translation_can_be_read_in_the_sandbox(sandbox: Sandbox) -> None:
    """Translations hold what the hidden cases say."""
    look = (
        "import agentlab, pathlib\n"
        "def run_agent(*a, **k):\n"
        "    locale = pathlib.Path(agentlab.__file__).with_name('locale')\n"
        "    raise ValueError(f'{locale.is_dir()} {sorted(locale.rglob(\"*\"))}')"
    )
    result = mark(of_cells(look), NUMBER, SEED, sandbox)
    assert result.cases[0].message == "your code raised ValueError: True [] (line 4)"


def test_the_failed_run_is_kept_as_its_file_would_hold_it(tmp_path: Path, sandbox: Sandbox) -> None:
    result = mark(handed_in(NUMBER, WRONG.source), NUMBER, SEED, sandbox)
    kept = Run.load(io.StringIO(result.failure))
    kept.save(tmp_path / "run.jsonl")
    assert (tmp_path / "run.jsonl").read_text("utf-8") == result.failure
    assert Run.load(tmp_path / "run.jsonl") == kept
    assert kept.replies


# --- collecting


def test_every_platforms_downloads_are_understood(tmp_path: Path) -> None:
    whole = handed_in(NUMBER, RIGHT)
    places = {
        f"nbgrader/alice/{NAME}/exercise.ipynb": "alice",
        f"bob/{NAME}.ipynb": "bob",
        "Carol Smith_1234_assignsubmission_file/exercise.ipynb": "Carol Smith",
        "adamsdave_1234_5678_exercise.ipynb": "adamsdave",
        "erin.ipynb": "erin",
        "frank_late_1234_5678_exercise.ipynb": "frank",
    }
    for place in places:
        path = tmp_path / place.removeprefix("nbgrader/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(whole)
    found = collect(tmp_path)
    assert {each.learner for each in found} == set(places.values())
    assert {each.exercise for each in found} == {NUMBER}


def test_zips_are_looked_into(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("exercise.ipynb", handed_in(NUMBER, RIGHT))
        archive.writestr("__MACOSX/._exercise.ipynb", b"junk")
        archive.writestr("notes.txt", b"hello")
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as archive:
        archive.writestr("Gül Məmmədova_7_assignsubmission_file/work.zip", inner.getvalue())
    (found,) = collect(tmp_path)
    assert (found.learner, found.exercise, found.trouble) == ("Gül Məmmədova", NUMBER, "")


def test_an_exercise_is_known_by_what_it_defines(tmp_path: Path) -> None:
    (tmp_path / "alice.ipynb").write_bytes(of_cells(f"{RIGHT}"))
    (tmp_path / "bob.ipynb").write_bytes(of_cells("x = 1"))
    found = {each.learner: each for each in collect(tmp_path)}
    assert found["bob"].trouble == "Nothing tells which exercise it is for."
    assert {each.exercise for each in collect(tmp_path, NUMBER)} == {NUMBER}


# --- the report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    hand_in(folder / "in", "anna", RIGHT)
    hand_in(folder / "in", "ben", WRONG.source)
    hand_in(folder / "in", "=cmd", "")
    grade(folder / "in", folder / "out")
    return folder / "out"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_gradebook_has_a_row_for_each_hand_in(report: Path) -> None:
    rows = rows_of(report / "gradebook.csv")
    assert [(r["learner"], r["points"], r["most"], r["state"]) for r in rows] == [
        ("'=cmd", "0", "5", "no_answer"),
        ("anna", "5", "5", "graded"),
        ("ben", "4", "5", "graded"),
    ]
    assert len(rows_of(report / "cases.csv")) == 15


def test_platforms_get_their_forms(report: Path) -> None:
    canvas = rows_of(report / "canvas.csv")
    assert [row["05 Write the loop"] for row in canvas] == ["5", "0", "5", "4"]
    assert canvas[0]["Student"] == "    Points Possible"
    assert [row["Username"] for row in rows_of(report / "moodle.csv")] == ["'=cmd", "anna", "ben"]
    (ben,) = (report / "gradescope").glob("ben-*/results.json")
    told = json.loads(ben.read_text("utf-8"))
    assert told["score"] == 4
    assert [test["status"] for test in told["tests"]].count("failed") == 1


def test_feedback_shows_the_run_that_failed(report: Path) -> None:
    (ben,) = (report / "feedback").glob("ben-*.html")
    page = ben.read_text("utf-8")
    assert "the API refused a request of yours" in page
    assert "tool_use" in page
    assert "<script" not in page


def test_the_index_names_the_commonest_mistakes(report: Path) -> None:
    page = (report / "index.html").read_text("utf-8")
    assert "The commonest mistakes" in page
    assert "there is no answer" in page


def test_the_command_prints_the_gradebook(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "anna", RIGHT)
    done = CliRunner().invoke(app, ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0
    assert "anna" in done.stdout
    assert "5/5" in done.stdout
    assert "100%" in done.stderr


def test_how_many_there_are_is_told_before_the_first_is_marked(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "anna", RIGHT)
    (tmp_path / "in" / "nobody.ipynb").write_bytes(of_cells("x = 1"))
    told: list[Any] = []
    grade(
        tmp_path / "in",
        tmp_path / "out",
        begun=told.append,
        told=lambda each: told.append(each.hand_in.learner),
    )
    assert (told[0], sorted(told[1:])) == (2, ["anna", "nobody"])


def test_nothing_to_grade_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There are no notebooks"):
        grade(tmp_path, tmp_path / "out")
    with pytest.raises(ConfigurationError, match="There is no"):
        grade(tmp_path / "nowhere", tmp_path / "out")


def test_without_a_wall_nothing_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agentlab.grading import sandbox as module

    hand_in(tmp_path / "in", "anna", RIGHT)
    monkeypatch.setattr(module, "probe", lambda: "limits only")
    with pytest.raises(ConfigurationError, match="Install bubblewrap"):
        grade(tmp_path / "in", tmp_path / "out")
    batch = grade(tmp_path / "in", tmp_path / "out", trust_submissions=True)
    assert (batch.tier, batch.marked[0].result.points) == ("limits only", 5)
    assert batch.marked[0].result.tier == "limits only"


# --- resumed


def test_what_was_graded_is_not_graded_again(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "anna", RIGHT)
    grade(tmp_path / "in", tmp_path / "out")
    (result,) = (tmp_path / "out" / "results").iterdir()
    known = Result.from_json(result.read_text("utf-8"))
    changed = Result(known.exercise, known.state, known.cases[:1], known.warnings, known.tier)
    result.write_text(changed.as_json(), "utf-8")
    assert grade(tmp_path / "in", tmp_path / "out").marked[0].result.most == 1
    result.write_text(known.as_json()[:50], "utf-8")  # cut off, as by a full disk
    assert grade(tmp_path / "in", tmp_path / "out").marked[0].result.most == 5


# --- in another language


def write_marked_texts(folder: Path) -> dict[str, str]:
    """A translation in which every text is marked; the environment that chooses it."""
    for domain in catalogue.SOURCES:
        texts = catalogue.collected(domain)
        for message in texts:
            forms = (message.id,) if isinstance(message.id, str) else message.id
            marked = tuple(f"«{form}»" for form in forms)
            message.string = marked[0] if isinstance(message.id, str) else marked
        path = folder / "xx" / "LC_MESSAGES" / f"{domain}.mo"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(catalogue.compiled(texts))
    return {"AGENTLAB_LANGUAGE": "xx", "AGENTLAB_LOCALE": str(folder)}


def test_a_class_is_graded_in_the_language_of_its_instructor(tmp_path: Path) -> None:
    hand_in(tmp_path / "in", "anna", RIGHT)
    hand_in(tmp_path / "in", "ben", WRONG.source)
    (tmp_path / "in" / "cut.ipynb").write_bytes(b'{"cells": [')
    language = write_marked_texts(tmp_path / "locale")
    subprocess.run(
        [sys.executable, "-m", "agentlab.cli", "grade", "in", "--out", "out"],
        cwd=tmp_path,
        env=os.environ | language,
        check=True,
        capture_output=True,
    )
    cases = rows_of(tmp_path / "out" / "cases.csv")
    assert len(cases) == 10
    assert all(row["criterion"].startswith("«") for row in cases)
    assert all(row["message"][:1] == "«" for row in cases if row["state"] == "failed")
    assert [row["state"] for row in cases].count("failed") == 1
    (cut,) = [row for row in rows_of(tmp_path / "out" / "gradebook.csv") if row["points"] == "0"]
    assert cut["remarks"] == "«Nothing tells which exercise it is for.»"
    (page,) = (tmp_path / "out" / "feedback").glob("ben-*.html")
    assert '<html lang="xx">' in page.read_text("utf-8")
    assert "«What went over the wire where it first failed»" in page.read_text("utf-8")


def test_a_result_is_kept_for_each_language(monkeypatch: pytest.MonkeyPatch) -> None:
    english = suite_version(NUMBER)
    assert suite_version(NUMBER) == english
    monkeypatch.setenv("AGENTLAB_LANGUAGE", "de")
    assert suite_version(NUMBER) != english


# --- releasing


@pytest.mark.parametrize("number", sorted(folders()))
def test_nothing_of_the_answers_is_released(number: str, tmp_path: Path) -> None:
    path = release(number, tmp_path)
    assert list(leaks_in(path.read_text("utf-8"), folders()[number])) == []
    assert [each.name for each in path.parent.iterdir()] == ["exercise.ipynb"]


def test_a_line_of_a_solution_is_found(tmp_path: Path) -> None:
    read = notebook(NUMBER)
    telling = 'messages.append({"role": "user", "content": results})'
    read["cells"][0]["source"] = f"First write `{telling}`."
    (leak,) = leaks_in(json.dumps(read), folders()[NUMBER])
    assert telling in leak


def test_a_sentence_of_a_hidden_case_is_found() -> None:
    read = notebook("10")
    said = "a text without a call ends the run, and yours went on"
    read["cells"][0]["source"] = f"Take care: {said}."
    assert list(leaks_in(json.dumps(read), folders()["10"])) == [f"a line of hidden.py, {said!r}"]


def test_work_is_never_overwritten(tmp_path: Path) -> None:
    path = release(NUMBER, tmp_path)
    release(NUMBER, tmp_path)
    path.write_text(path.read_text("utf-8").replace("Write run_agent.", "mine"), "utf-8")
    with pytest.raises(ConfigurationError, match="with work in it"):
        release(NUMBER, tmp_path)
    assert "mine" in path.read_text("utf-8")


def test_a_fault_of_the_grader_takes_nobody_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentlab.grading import batch as module

    def faulty(content: bytes, *rest: Any) -> Result:
        if b"# bad" in content:
            raise KeyError("a fault of the grader")
        return mark(content, *rest)

    hand_in(tmp_path / "in", "anna", RIGHT)
    hand_in(tmp_path / "in", "ben", f"# bad\n{RIGHT}")
    monkeypatch.setattr(module, "mark", faulty)
    batch = grade(tmp_path / "in", tmp_path / "out")
    assert [each.result.state for each in batch.marked] == ["graded", "infra_error"]
    assert "KeyError" in batch.broken[0].result.warnings[0]


def test_a_message_is_no_formula(tmp_path: Path) -> None:
    formula = 'def run_agent(*a, **k): raise NotImplementedError("    =cmd|1\\n@x")'
    hand_in(tmp_path / "in", "anna", formula)
    grade(tmp_path / "in", tmp_path / "out")
    with (tmp_path / "out" / "cases.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert "'=cmd|1 @x" in cells
    assert not [cell for cell in cells if cell.lstrip().startswith(("=", "@"))]
