"""A key that is set is in nothing that is written."""

import json
import logging
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from agentlab import Agent, Stepper, ask, client, record, run
from agentlab.consumers import print_events, tee, to_json_lines
from agentlab.exercises.checking import check
from agentlab.grading.batch import grade
from agentlab.practice import say, use
from agentlab.practice.serve import served
from tests.exercise_answers import handed_in

KEY = "sk-ant-planted-5c1f0e"


def look(place: str) -> str:
    """Look at a place.

    Args:
        place: where.
    """
    return f"nothing at {place}"


@pytest.fixture
def written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Path:
    """A folder with everything that the package writes, made with a key in the environment."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("AGENTLAB_PROGRESS", str(tmp_path / "progress.json"))
    agent = Agent("looker", "", [look])
    script = [use("look", place="here"), say("Nothing.")]
    with served(script) as address:
        live = client(live=True, base_url=address, record_to=tmp_path / "cassette.json")
        recorder = record(live)
        done = ask(agent, "Look.", client=recorder.client)
        recorder.client.close()
    assert done.answer == "Nothing."
    done.save(tmp_path / "run.jsonl")
    recorder.run.save(tmp_path / "recorded.jsonl")
    done.to_html(tmp_path / "run.html")
    log = partial(to_json_lines, path=tmp_path / "events.jsonl")
    messages = [{"role": "user", "content": "Look."}]
    list(tee(run(agent, messages, client=client(script)), print_events, log))
    shown = Stepper(done)._repr_mimebundle_()
    (tmp_path / "shown.json").write_text(json.dumps(shown, default=repr), "utf-8")
    check("05")
    (tmp_path / "in" / "anna").mkdir(parents=True)
    source = "import os\ndef run_agent(*a, **k): return str(dict(os.environ))"
    (tmp_path / "in" / "anna" / "exercise.ipynb").write_bytes(handed_in("05", source))
    grade(tmp_path / "in", tmp_path / "report", exercise="05")
    (tmp_path / "log.txt").write_text(caplog.text, "utf-8")
    command = [sys.executable, "-m", "agentlab.cli", "doctor"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    (tmp_path / "doctor.txt").write_text(said.stdout + said.stderr, "utf-8")
    return tmp_path


def test_no_file_holds_the_key(written: Path) -> None:
    files = [path for path in written.rglob("*") if path.is_file()]
    assert len(files) > 15
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


def test_no_notebook_of_the_course_holds_a_key() -> None:
    project = Path(__file__).resolve().parent.parent
    for path in [*project.glob("notebooks/*.ipynb"), *project.glob("exercises/*/*.ipynb")]:
        assert "sk-ant-" not in path.read_text("utf-8"), path.name
