"""What each step used: input grows, because the transcript is sent again with every request."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from practice_tools import play
from stepper_runs import broken_runs, long_run, refused_run, shop_run, small_run

from agentlab import Run, client, meter, record
from agentlab.practice import say
from agentlab.views.meter import AGAIN, BAR_WIDTH, NEW, TokenMeter

BROKEN = broken_runs()


def bars(shown: TokenMeter) -> list[str]:
    return re.findall(rf"[{AGAIN}{NEW}]+$", repr(shown), re.MULTILINE)


def test_input_grows_with_each_step_and_the_meter_says_so() -> None:
    run = small_run(6)
    steps = meter(run).steps
    assert [use.input_tokens for use in steps] == [
        event.reply["usage"]["input_tokens"] for event in run.replies
    ]
    assert all(one.input_tokens < other.input_tokens for one, other in pairwise(steps))
    assert [use.sent_before for use in steps] == [0, *(use.input_tokens for use in steps[:-1])]
    lengths = [len(bar) for bar in bars(meter(run))]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1] == BAR_WIDTH
    share = sum(use.sent_before for use in steps) / sum(use.input_tokens for use in steps)
    summary = meter(run).summary
    assert "Each request sends the transcript again" in summary
    assert f"step 1 sent {steps[0].input_tokens:,} tokens, step 7 {steps[-1].input_tokens:,}" in (
        summary
    )
    assert f"About {share:.0%} of all input had been sent before." in summary


def test_the_parts_of_a_bar_stand_beside_it_as_numbers() -> None:
    shown = meter(small_run(4))
    most = max(use.input_tokens for use in shown.steps)
    for use, bar in zip(shown.steps, bars(shown), strict=True):
        assert bar.count(AGAIN) == round(use.sent_before * BAR_WIDTH / most)
        assert len(bar) == round(use.input_tokens * BAR_WIDTH / most)
        assert f"{use.input_tokens:,}  " in repr(shown)
    assert f"{AGAIN} sent before, {NEW} new" in repr(shown)


def test_the_last_total_is_the_cost_of_the_run() -> None:
    run = shop_run()
    steps = meter(run).steps
    assert sum(use.cost or 0 for use in steps) == pytest.approx(run.cost)
    assert steps[-1].total == pytest.approx(run.cost)
    assert sum(use.output_tokens for use in steps) == run.usage["output_tokens"]
    assert f"${run.cost:.4f} at list prices" in meter(run).summary


def test_a_price_that_is_not_known_is_not_guessed() -> None:
    run = small_run(2)
    run.replies[1].request["model"] = "some-local-model"
    shown = meter(run)
    assert [use.total is None for use in shown.steps] == [False, True, True]
    assert [use.cost is None for use in shown.steps] == [False, True, False]
    assert "cost not known at list prices" in shown.summary
    assert "not known" in repr(shown).splitlines()[-1]


def test_a_history_written_anew_was_not_sent_before() -> None:
    recorder = record(client([say("one"), say("two")]))
    for question in ("first", "second"):
        recorder.client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=100,
            messages=[{"role": "user", "content": question}],
        )
    assert [use.sent_before for use in meter(recorder.run).steps] == [0, 0]


def test_tokens_that_a_cache_spared_were_sent_all_the_same() -> None:
    run = small_run()
    plain = meter(run).steps[1]
    usage = run.replies[1].reply["usage"]
    usage["cache_read_input_tokens"], usage["input_tokens"] = usage["input_tokens"], 0
    cached = meter(run).steps[1]
    assert cached.input_tokens == plain.input_tokens
    assert cached.cost is not None
    assert plain.cost is not None
    assert cached.cost < plain.cost


def test_a_long_run_is_folded() -> None:
    shown = meter(long_run(200))
    text = repr(shown)
    assert "… 180 steps …" in text
    assert len(bars(shown)) == 20
    assert re.search(r"^ +10 +1,700 ", text, re.MULTILINE)
    assert re.search(r"^ +191 +27,040 ", text, re.MULTILINE)
    assert len(shown.steps) == 200
    assert "…" not in repr(meter(long_run(20)))
    assert "… 1 step …" in repr(meter(long_run(21)))
    assert max(map(len, text.splitlines())) <= 100


class Page(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scopes: list[str | None] = []
        self.hidden: list[str] = []
        self._in_hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in_hidden = dict(attrs).get("aria-hidden") == "true"
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))

    def handle_data(self, data: str) -> None:
        if self._in_hidden:
            self.hidden.append(data)
        self._in_hidden = False


def test_the_page_is_a_table_whose_bars_nobody_has_to_hear() -> None:
    shown = meter(small_run(2))
    page = Page(shown._repr_html_())
    assert set(page.tags) == {
        "div",
        "p",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    } | {"span"}
    assert page.scopes == ["col"] * 7 + ["row"] * 3
    assert page.hidden == bars(shown)
    assert "$" not in shown._repr_html_()


def test_runs_without_a_reply_and_with_a_refusal() -> None:
    assert repr(meter(Run())) == "No reply, no tokens: the model has not answered in this run."
    assert "<table" not in meter(Run())._repr_html_()
    assert meter(refused_run()).summary.startswith("1 step: ")
    assert "transcript again" not in meter(play([say("x")], [])).summary


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_run_is_metered_as_it_is(name: str) -> None:
    assert len(meter(BROKEN[name]).steps) == BROKEN[name].steps
    assert repr(meter(BROKEN[name])) == repr(meter(BROKEN[name]))


def test_what_is_no_run_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r"given Recorder\. Give what ask\(\) returned, recorder"):
        meter(record(client([say("x")])))  # type: ignore[arg-type]
