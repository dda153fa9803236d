"""A run collects its events and survives being saved."""

import json
from pathlib import Path

import pytest
from practice_tools import calls, play

from agentlab import Agent, Run
from agentlab.errors import RecordingError
from agentlab.practice import refuse, say, use


def shout(text: str) -> str:
    """Shout."""
    print("shouting", text)
    if text == "no":
        raise ValueError("too quiet: ❄")
    return text.upper() * 40_000


def test_a_saved_run_loads_as_it_was(tmp_path: Path) -> None:
    other = Agent("other", "Go on.", [shout])

    def to_other() -> Agent:
        """Hand over."""
        return other

    turns = [
        calls(("shout", {"text": "é😀"}), ("shout", {"text": "no"}), ("unknown", {})),
        use("to_other"),
        say(""),
        say("done"),
    ]
    run = play(turns, [shout, to_other])
    path = tmp_path / "run.jsonl"
    run.save(path)
    loaded = Run.load(path)
    assert loaded == run
    assert loaded.outcomes[0].full_text == "É😀" * 40_000
    assert loaded.outcomes[0].printed == "shouting é😀\n"
    assert loaded.answer == "done"
    loaded.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


def test_runs_without_tools_or_answers_are_saved_too(tmp_path: Path) -> None:
    for number, run in enumerate((Run(), play([refuse()], []), play([say("x")], [], max_steps=1))):
        run.save(tmp_path / f"{number}.jsonl")
        assert Run.load(tmp_path / f"{number}.jsonl") == run


def test_a_saved_run_grows_linearly(tmp_path: Path) -> None:
    sizes = []
    for steps in (20, 40):
        turns = [use("echo", n=n) for n in range(steps)] + [say("done")]

        def echo(n: int) -> str:
            """Echo."""
            return "x" * 100

        run = play(turns, [echo], max_steps=steps + 1)
        run.save(tmp_path / "run.jsonl")
        sizes.append((tmp_path / "run.jsonl").stat().st_size)
    assert sizes[1] < 2.2 * sizes[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a saved run"),
        ("{}\n{}", "not a saved run"),
        ("[1]\n[2]", "not a saved run"),
        ("hello", "not a saved run"),
        (json.dumps({"agentlab_run": 99, "max_steps": None}) + "\n{}", "version 99"),
    ],
)
def test_what_is_no_saved_run_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordingError, match=words):
        Run.load(path)


def test_a_run_cut_short_on_disk_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    play([use("shout", text="a"), say("done")], [shout]).save(path)
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[:-1]), encoding="utf-8")
    with pytest.raises(RecordingError, match="cut short"):
        Run.load(path)


def test_a_run_in_words() -> None:
    run = play([use("shout", text="no"), say("done")], [shout])
    assert repr(run) == "Run(2 steps, 1 tool call, stopped: end_turn)"
    assert repr(Run()) == "Run(0 steps, 0 tool calls, not finished)"
    assert run.usage["output_tokens"] > 0
    assert run.cost is not None
    assert run.cost > 0
