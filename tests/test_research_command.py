"""The command `agentlab research`, as a process of its own."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from research_runs import QUESTION

from agentlab import Run, check_run, check_transcript
from agentlab.research import Research


def command(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "agentlab.cli", "research", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_the_command_prints_the_same_report_twice(tmp_path: Path) -> None:
    first, second = (command(QUESTION, "--save", f"{n}.jsonl", cwd=tmp_path) for n in (1, 2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert first.stdout == second.stdout
    assert first.stderr == second.stderr
    assert first.stdout.startswith("# RAG best practices\n")
    assert "## Sources" in first.stdout
    assert "step 1   search_web(query='retrieval-augmented generation best practices'" in (
        first.stderr
    )
    assert first.stderr.splitlines()[-1] == "The report was written in step 3."
    loaded = Research(Run.load(tmp_path / "1.jsonl"))
    assert loaded.markdown == first.stdout
    assert check_run(loaded.run) == []


def test_the_command_never_replaces_a_file_unasked(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("precious")
    refused_run = command(QUESTION, "--out", "report.md", cwd=tmp_path)
    assert refused_run.returncode == 2
    assert "'report.md' exists. Name another, or give --force." in refused_run.stderr
    assert report.read_text() == "precious"
    forced = command(QUESTION, "--out", "report.md", "--force", cwd=tmp_path)
    assert (forced.returncode, forced.stdout) == (0, "")
    assert report.read_text("utf-8").startswith("# RAG best practices\n")


def test_the_command_keeps_what_it_found_when_it_is_interrupted(tmp_path: Path) -> None:
    """The page that the question asks for never comes to its end, so there is time to interrupt."""
    arguments = ["research", "A live dashboard of retrieval", "--save", "run.jsonl"]
    with subprocess.Popen(
        [sys.executable, "-m", "agentlab.cli", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith("step 2   fetch_pages"):
            assert process.poll() is None
        time.sleep(0.3)  # until it waits; an interrupt that meets a finalizer would be lost
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate()
    assert process.returncode == 1
    assert "interrupted\nNo report: the run was interrupted in step 2" in told
    assert shown.startswith("# No report\n")
    run = Run.load(tmp_path / "run.jsonl")
    assert check_transcript(run.messages) == []
    assert check_run(run) == []


def test_the_command_says_when_there_is_no_report(tmp_path: Path) -> None:
    ended = command(QUESTION, "--max-steps", "2", "--out", "report.md", cwd=tmp_path)
    assert ended.returncode == 1
    assert "No report: the limit of 2 steps was reached; 5 pages fetched." in ended.stderr
    assert not (tmp_path / "report.md").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([" "], "The question ' ' is empty."),
        ([QUESTION, "--out", "nowhere/report.md"], "is no file in a folder that exists"),
        ([QUESTION, "--save", "."], "is no file in a folder that exists"),
        ([QUESTION, "--max-steps", "0"], "--max-steps"),
        ([], "Missing argument"),
    ],
)
def test_a_misused_command_ends_with_two(arguments: list[str], words: str, tmp_path: Path) -> None:
    ended = command(*arguments, cwd=tmp_path)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
