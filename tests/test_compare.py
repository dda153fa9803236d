"""Runs side by side: what each came to, and the first event at which something else happened."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from practice_tools import calls, play
from stepper_runs import HOSTILE, broken_runs, long_run, refused_run, shop_run, small_run

from agentlab import Run, client, compare, record
from agentlab.practice import say, use

BROKEN = broken_runs()


class Cells(HTMLParser):
    """The rows of the tables of a page, as lists of text, and every tag that there is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1][-1] += data


def rows_of(comparison: Any) -> dict[str, list[str]]:
    _, *rows = Cells(comparison._repr_html_()).rows
    return {label: cells for label, *cells in rows}


def fetch(key: str) -> str:
    """Fetch."""
    return f"value of {key}"


def fetching(*keys: str, answer: str = "done") -> Run:
    return play([*(use("fetch", key=key) for key in keys), say(answer)], [fetch])


def parting(first: Run, other: Run) -> str:
    return rows_of(compare({"first": first, "other": other}))["where they part"][1]


def test_each_thing_of_each_run_stands_in_its_cell() -> None:
    rows = rows_of(compare({"shop": shop_run(), "small": small_run(2), "none": Run()}))
    assert rows["steps"] == ["8", "3", "0"]
    assert rows["tool calls"] == [
        "get_order_status, refund (2 times), cancel, no_tool, to_billing, refund (3 times)",
        "look_up (2 times)",
        "none",
    ]
    assert rows["errors"] == ["7", "0", "0"]
    assert rows["stop reason"] == ["end_turn", "end_turn", "not finished"]
    assert rows["answer"] == [HOSTILE, "All is found.", "none"]


def test_tokens_and_cost_are_those_of_the_runs() -> None:
    first, second = small_run(), small_run(2)
    rows = rows_of(compare([first, second]))
    assert rows["tokens in"] == [f"{run.usage['input_tokens']:,}" for run in (first, second)]
    assert rows["tokens out"] == [f"{run.usage['output_tokens']:,}" for run in (first, second)]
    assert rows["estimated cost"] == [f"${run.cost:.4f}" for run in (first, second)]
    second.replies[0].request["model"] = "some-local-model"
    assert rows_of(compare([first, second]))["estimated cost"][1] == "not known"


def test_a_refused_request_is_an_error() -> None:
    rows = rows_of(compare([small_run(), refused_run()]))
    assert rows["errors"] == ["0", "1"]
    assert rows["where they part"][1].startswith("event 1: the API answered 529: 'Overloaded'")


# --- where they part


def test_the_first_run_is_what_the_others_are_held_against() -> None:
    rows = rows_of(compare([small_run(), small_run()]))
    assert rows["where they part"] == [
        "the others are held against this run",
        "nowhere: the same happened as in 'run 1'",
    ]


def test_another_result_parts_them() -> None:
    found = parting(small_run(result="here"), small_run(result="there"))
    assert found == "event 3: look_up returned 'there' (in 'first': look_up returned 'here')"


def test_another_answer_parts_them() -> None:
    found = parting(fetching("a", answer="yes"), fetching("a", answer="no"))
    assert found == "event 4: the model answered 'no' (in 'first': the model answered 'yes')"


def test_another_argument_parts_them_although_the_words_are_the_same() -> None:
    found = parting(fetching("a", "b"), fetching("a", "c"))
    assert found.startswith("event 4: the model asked for fetch, at '")
    here, there = found.split(" (in 'first': at '")
    assert '"key": "c"' in here
    assert '"key": "b"' in there


def test_a_difference_late_in_a_long_text_is_shown() -> None:
    first, other = (small_run(result="x" * 5_000 + end) for end in ("left", "right"))
    assert "xright" in parting(first, other)
    assert "xleft" in parting(first, other)


def test_a_run_that_ends_earlier_or_goes_on_longer() -> None:
    whole = shop_run()
    short = Run(whole.events[:4], whole.messages)
    assert parting(whole, short).startswith("event 5: this run ended before it (in 'first': ")
    assert parting(short, whole).endswith("(and 'first' ended before it)")


def test_ids_are_no_difference() -> None:
    recorded = record_of("toolu_practice_01"), record_of("toolu_another")
    assert recorded[0].messages != recorded[1].messages
    assert parting(*recorded) == "nowhere: the same happened as in 'first'"


def record_of(call_id: str) -> Run:
    """The same run with another id for its call, as every live run has."""
    run = fetching("a")
    block = {"type": "tool_use", "id": call_id, "name": "fetch", "input": {"key": "a"}}
    run.replies[0].reply["content"] = [block]
    run.messages[1] = {"role": "assistant", "content": [block]}
    return run


# --- as text and as a page


def test_the_same_text_every_time_and_no_line_too_long() -> None:
    runs = {"shop": shop_run(), "small": small_run()}
    text = repr(compare(runs))
    assert text == repr(compare({"shop": shop_run(), "small": small_run()}))
    assert max(map(len, text.splitlines())) <= 100
    assert text.startswith("2 runs side by side\n")
    assert re.search(r"^steps +8 +2$", text, re.MULTILINE)
    assert "\x1b" not in repr(compare([play([say("\x1b[31mred\n\n\x07")], []), small_run()]))


def test_a_screen_reader_finds_its_way() -> None:
    page = Cells(compare({"one": small_run(), "other": shop_run()})._repr_html_())
    scopes = [attributes["scope"] for tag, attributes in page.tags if tag == "th"]
    assert scopes == ["col"] * 3 + ["row"] * 9
    assert [tag for tag, _ in page.tags[:2]] == ["table", "caption"]


def test_what_a_model_or_a_learner_wrote_stays_text() -> None:
    evil = play([use("fetch", key=HOSTILE), say(f"{HOSTILE} $x$ `code`")], [fetch])
    page = compare({HOSTILE: evil, "$y$": small_run()})._repr_html_()
    allowed = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in Cells(page).tags} == allowed
    assert "$" not in page


def test_many_and_long_runs_stay_small() -> None:
    comparison = compare([long_run(300, letters=5_000) for _ in range(12)])
    assert len(repr(comparison)) < 10_000
    assert len(comparison._repr_html_()) < 20_000
    names = [f"tool_{n}" for n in range(40)]
    mixed = play([calls(*((name, {}) for name in names)), say("x")], [fetch])
    assert rows_of(compare([mixed, mixed]))["tool calls"][0].endswith("tool_11, … 28 more")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_run_is_compared_as_it_is(name: str) -> None:
    comparison = compare([small_run(), BROKEN[name]])
    assert "where they part" in repr(comparison)
    assert "where they part" in rows_of(comparison)


# --- what is refused


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(TypeError, match=r"given Run\. Write compare\(\[one, other\]\)"):
        compare(small_run())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="given str"):
        compare("run.jsonl")  # type: ignore[arg-type]
    recorder = record(client([say("x")]))
    with pytest.raises(TypeError, match=r"'loop' is Recorder\. Give .* recorder\.run"):
        compare({"mine": small_run(), "loop": recorder})  # type: ignore[dict-item]
    for few in ([], [small_run()]):
        with pytest.raises(ValueError, match=f"two runs or more, and was given {len(few)}"):
            compare(few)


def test_a_late_difference_is_quoted_as_it_reads() -> None:
    one, other = (small_run(result='{"a": "' + "x" * 80 + f'", "number": "{n}"}}') for n in "12")
    parted = compare([one, other]).table.rows[-1][-1]
    assert '"number": "2"}' in parted
    assert '"number": "1"}' in parted
    assert "\\" not in parted
