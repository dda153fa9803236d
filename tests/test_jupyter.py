"""In a notebook: a running event loop, floods of output, cells run twice, stable words."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from agentlab import Agent, Context, ask, client, record, tool
from agentlab.practice import practice, say, use

SETUP = (
    "from agentlab import Agent, ask, client, show\n"
    "from agentlab.practice import say, use\n"
    "def add(a: int, b: int) -> int:\n"
    "    'Add.'\n"
    "    return a + b"
)


def execute(cells: list[str], order: list[int] | None = None) -> list[str]:
    """Run cells in a real kernel and give what each showed, as text."""
    sources = [cells[index] for index in order] if order else cells
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    runner = NotebookClient(
        notebook, timeout=60, kernel_name="python3", extra_arguments=["--log-level=40"]
    )
    runner.execute()
    return [_shown(cell) for cell in notebook.cells]


def _shown(cell: Any) -> str:
    parts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs]
    return "".join(parts).strip()


ASYNC_CELLS = [
    "import asyncio\n"
    "policy = type(asyncio.get_event_loop_policy())\n"
    "from agentlab import Agent, ask, client\n"
    "from agentlab.practice import say, use\n"
    "async def ping(x: int) -> str:\n"
    "    'Ping.'\n"
    "    await asyncio.sleep(0.01)\n"
    "    return f'pong {x}'\n"
    "agent = Agent('a', '', [ping])\n"
    "script = [use('ping', x=1), say('done')]",
    "print(ask(agent, 'go', client=client(script)).outcomes[0].text)",
    "run = await asyncio.to_thread(ask, agent, 'go', client=client(script))\n"
    "print(run.outcomes[0].text)",
    "print(type(asyncio.get_event_loop_policy()) is policy, hasattr(asyncio, '_nest_patched'))",
]


def test_async_tools_run_where_a_loop_is_running_already() -> None:
    assert execute(ASYNC_CELLS)[1:] == ["pong 1", "pong 1", "True False"]


def test_the_same_code_runs_as_a_script(tmp_path: Path) -> None:
    body = "\n".join(ASYNC_CELLS[:2])
    (tmp_path / "script.py").write_text(body, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(tmp_path / "script.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "pong 1\n"


def test_a_flood_of_prints_stays_in_the_run() -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(
                SETUP + "\n"
                "def chatty(n: int, i: int) -> str:\n"
                "    'Print a lot.'\n"
                "    for line in range(n):\n"
                "        print('line', line)\n"
                "    return 'ok'\n"
                "script = [use('chatty', n=200, i=i) for i in range(100)] + [say('done')]\n"
                "agent = Agent('a', '', [chatty])\n"
                "run = ask(agent, 'go', client=client(script), max_steps=101)\n"
                "show(run)"
            ),
            nbformat.v4.new_code_cell("print(len(run.outcomes))"),
        ]
    )
    NotebookClient(notebook, timeout=60, extra_arguments=["--log-level=40"]).execute()
    outputs = notebook.cells[0].outputs
    assert len(outputs) <= 200
    assert len(json.dumps(outputs)) < 200_000
    assert "195 more lines" in outputs[0]["data"]["text/plain"]
    assert notebook.cells[1].outputs[0]["text"] == "100\n"


def test_cells_may_be_run_twice_and_out_of_order() -> None:
    cells = [
        SETUP,
        "agent = Agent('a', '', [add])",
        "run = ask(agent, 'go', client=client([use('add', a=2, b=3), say('5')]))\n"
        "print(len(run.messages), len(run.events), run.outcomes[0].text)",
        "other = Agent('a', '', [add])\n"
        "print(len(ask(other, 'x', client=client([say('y')])).messages))",
    ]
    shown = execute(cells, order=[0, 1, 2, 2, 3, 0, 1, 2])
    assert shown[2] == shown[3] == shown[7] == "4 5 5"
    assert shown[4] == "2"


def test_a_function_defined_again_is_the_one_that_runs() -> None:
    again = "def add(a: int, b: int) -> int:\n    'Add.'\n    return a + b + 100"
    asking = (
        "agent = Agent('a', '', [add])\n"
        "print(ask(agent, 'go', client=client([use('add', a=2, b=3), say('x')])).outcomes[0].text)"
    )
    assert execute([SETUP, asking, again, asking])[1::2] == ["5", "105"]


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def public_objects() -> list[Any]:
    def other() -> Agent:
        """Hand over."""
        return Agent("other", "", [add])

    agent = Agent("a", lambda context: "Help.", [add, tool(other)])
    script = [use("add", a=1, b=2), use("other"), say("done")]
    recorder = record(client(script))
    run = ask(agent, "go", client=recorder.client)
    return [agent, *agent.tools, run, *run.events, *run.outcomes, recorder, Context(a=1), script]


def test_words_for_objects_hold_no_address_and_no_path() -> None:
    for each in public_objects():
        text = repr(each)
        assert "0x" not in text
        assert "object at" not in text
        assert os.sep + "agentlab" not in text


def test_a_run_in_one_short_line() -> None:
    run = ask(Agent("a", "", [add]), "go", client=client([say("x")]))
    assert "\n" not in repr(run)
    assert len(repr(run)) < 80


def test_the_practice_transport_has_words() -> None:
    assert "0x" not in repr(practice([say("x")]))


def test_views_do_not_depend_on_the_clock(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import time

    from agentlab.views.html import run_as_html
    from agentlab.views.text import run_as_text

    shown = []
    for year in (2026, 2026, 2031):
        monkeypatch.setattr(time, "time", lambda year=year: (year - 1970) * 31_557_600.0)
        run = ask(
            Agent("a", "", [add]), "What is 2 + 3?", client=client([use("add", a=2, b=3), say("5")])
        )
        shown.append((run_as_text(run), run_as_html(run), json.dumps(run.messages)))
    assert shown[0] == shown[1] == shown[2]
    assert "toolu_practice_01" in shown[0][0]
