"""A person is asked, and whatever is not a yes is a no: in a script, without one, in a notebook."""

import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

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


@pytest.mark.parametrize(
    ("typed", "status"),
    [("y\n", "ran"), (" YES \n", "ran"), ("n\n", "denied"), ("\n", "denied"), ("", "denied")],
    ids=["y", "yes", "n", "enter", "nobody"],
)
def test_a_script_asks_at_the_terminal(typed: str, status: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=typed, capture_output=True, text=True, check=True
    )
    question, _, outcome = done.stdout.partition("? [y/N] ")
    assert question == "Run delete(path='a.txt')"
    assert outcome.split()[0] == status


def test_a_notebook_that_runs_by_itself_denies() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SCRIPT)])
    NotebookClient(notebook, timeout=60, extra_arguments=["--log-level=40"]).execute()
    (output,) = notebook.cells[0].outputs
    assert output["text"].startswith("denied Not run: nobody could be asked to approve it")
