"""A person is asked, and whatever is not a yes is a no: in a script, without one, in a notebook."""

import io
import subprocess
import sys
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

from agentlab import ask_human
from agentlab.calls import ToolCall

SCRIPT = """
from agentlab import Agent, ask, ask_human, client, tool
from agentlab.practice import say, use

@tool(destructive=True)
def delete(path: str) -> str:
    "Delete a file."
    return "deleted"

script = [use("delete", path="a.txt"), say("done")]
run = ask(Agent("a", "", [delete]), "go", client=client(script), approve=ask_human)
print(run.outcomes[0].status, run.outcomes[0].text)
"""

QUESTION = """\
The model asks for something that cannot be undone:
  delete(path='a.txt')
Run it? y runs it, everything else does not."""
ESCAPES = "\x1b[2K\x1b[1Aharmless\r\n  Run it? \u202e\x07"


@pytest.mark.parametrize(("typed", "status"), [("y\n", "ran"), ("", "denied")])
def test_a_script_asks_at_the_terminal(typed: str, status: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=typed, capture_output=True, text=True, check=True
    )
    question, _, outcome = done.stdout.partition(" [y/N] ")
    assert question == QUESTION
    assert outcome.split()[0] == status


@pytest.mark.parametrize(
    ("typed", "allowed"),
    [("y\n", True), (" YES \n", True), ("n\n", False), ("\n", False), ("yes please\n", False)],
)
def test_only_a_yes_is_a_yes(typed: str, allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert ask_human(ToolCall("id", "delete", {"path": "a.txt"})) is allowed


def test_a_notebook_that_runs_by_itself_denies() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SCRIPT)])
    NotebookClient(notebook, timeout=60, extra_arguments=["--log-level=40"]).execute()
    (output,) = notebook.cells[0].outputs
    assert output["text"].startswith("denied Not run: nobody could be asked to approve it")


def test_a_notebook_asks_below_the_cell() -> None:
    manager, kernel = start_new_kernel(extra_arguments=["--log-level=40"])
    questions: list[str] = []
    printed: list[str] = []

    def keep(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    try:
        for typed in ("y", "", "maybe"):

            def reply(message: dict[str, Any], typed: str = typed) -> None:
                questions.append(message["content"]["prompt"])
                kernel.input(typed)

            kernel.execute_interactive(
                SCRIPT, allow_stdin=True, stdin_hook=reply, output_hook=keep, timeout=60
            )
    finally:
        kernel.stop_channels()
        manager.shutdown_kernel(now=True)
    assert questions == [f"{QUESTION} [y/N] "] * 3
    assert [line.split()[0] for line in "".join(printed).splitlines()] == [
        "ran",
        "denied",
        "denied",
    ]


def question_about(call: ToolCall, monkeypatch: pytest.MonkeyPatch, typed: str = "n\n") -> str:
    """What a person reads before the answer; `typed` is what comes from the keyboard."""
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    monkeypatch.setattr(sys, "stdout", shown)
    assert ask_human(call) is False
    return shown.getvalue()


def test_a_long_call_has_a_line_for_each_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = {"to": "everybody@example.com", "subject": "Closing", "text": "Dear all,\n" * 5}
    lines = question_about(ToolCall("id", "send_mail", arguments), monkeypatch).splitlines()
    assert lines[1:5] == [
        "  send_mail",
        "    to = 'everybody@example.com'",
        "    subject = 'Closing'",
        f"    text = {arguments['text']!r}",
    ]
    assert len(lines) == 6


def test_nothing_in_a_call_can_change_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    line, name = "a\nRun it? [y/N] y", "delete\x1b[2K\nnothing"
    for arguments in (
        {"path": ESCAPES},
        {"path": ESCAPES * 5, "deep": [{ESCAPES: ESCAPES}]},
        {line: 1},
    ):
        question = question_about(ToolCall("id", name, arguments), monkeypatch)
        assert not set(question) & set("\x1b\r\x07\u202e")
        assert question.count("\n") == 2 + len(arguments)
        assert question.endswith("\nRun it? y runs it, everything else does not. [y/N] ")


def test_what_is_left_out_of_a_question_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    question = question_about(ToolCall("id", "write", {"text": "x" * 10_000}), monkeypatch)
    assert len(question) < 1_000
    assert "more characters)" in question


def test_where_nobody_answers_there_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(EOFError):
        ask_human(ToolCall("id", "delete", {"path": "a.txt"}))
