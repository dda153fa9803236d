"""What runs inside Pyodide: it prints one line of JSON that says what it found.

The last folder for imports holds `answers.json`: for each exercise the source of its stub and of a
right answer.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from agentlab import Agent, ToolError, ask, check_run, check_transcript, client
from agentlab.exercises import check
from agentlab.practice import say, use
from agentlab.schemas import jsonschema_rs

FOLDER = Path(sys.path[-1])
PAGE = Path("/run.html")


def add(first: int, second: int) -> int:
    """Add two numbers."""
    if first > 9:
        raise ToolError("too large")
    return first + second


def points(number: str, source: str) -> float:
    """What `check` gives an answer, all cases of an exercise together."""
    names: dict[str, Any] = {"__name__": "__main__", "check": check}
    exec(compile(source, "answer", "exec"), names)
    exec(f"checked = check({number!r})", names)
    return sum(verdict.points for verdict in names["checked"].verdicts)


async def add_later(first: int, second: int) -> int:
    """Add two numbers when there is time."""
    await asyncio.sleep(0)
    return add(first, second)


right, awaited = (use(name, first=1, second=2) for name in ("add", "add_later"))
wrong = use("add", first=10, second=1)
unfit = use("add", first="one", second=1)
api = client(script=[right, awaited, wrong, unfit, say("It is 3.")])
done = ask(Agent("adder", tools=[add, add_later]), "What is 1 + 2?", client=api)
done.to_html(PAGE)
broken = [{"role": "user", "content": "Hello"}, {"role": "user", "content": []}]
answers = json.loads((FOLDER / "answers.json").read_text("utf-8"))

print(
    json.dumps(
        {
            "platform": sys.platform,
            "validator": "jsonschema" if jsonschema_rs is None else "jsonschema-rs",
            "answer": done.answer,
            "returned": [each.outcome.text for each in done.events if each.kind == "tool_returned"],
            "broken": [str(each) for each in (*check_run(done), *check_transcript(done.messages))],
            "broken by hand": [each.rule for each in check_transcript(broken)],
            "page": PAGE.read_text("utf-8"),
            "points": {
                number: [points(number, source) for source in sources]
                for number, sources in answers.items()
            },
        }
    )
)
