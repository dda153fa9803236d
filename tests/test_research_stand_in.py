"""The written stand-in for the model: what it looks for in a prompt, and what it makes of pages."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from research_runs import ORDERS, SENTENCE, A, B, SmallWeb, researched

from agentlab import check_run
from agentlab.errors import ConfigurationError
from agentlab.research import RULES, Hit, PracticeWeb, WebError, instructions, researcher
from agentlab.research.sentences import sentences, telling

# --- the prompt


def test_without_the_rule_to_use_tools_nothing_is_looked_up() -> None:
    web = SmallWeb({A: SENTENCE})
    found = researched(researcher, web, instructions=instructions(without=["use_tools"]))
    assert (web.queries, web.fetched) == ([], [])
    assert found.report is not None
    assert found.report.unsupported


def test_without_the_rule_to_write_a_report_there_is_only_text() -> None:
    found = researched(researcher, instructions=instructions(without=["write_report"]))
    assert found.report is not None
    assert found.report.fallback
    assert found.report.sources == [A, B]


def test_without_the_abbreviation_the_wrong_thing_is_searched_for() -> None:
    strong, weak = SmallWeb({A: SENTENCE}), SmallWeb({A: SENTENCE})
    researched(researcher, strong)
    researched(researcher, weak, instructions=instructions(without=["abbreviations"]))
    assert strong.queries == ["retrieval-augmented generation best practices"]
    assert weak.queries == ["RAG best practices"]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("What is rag?", "What is retrieval-augmented generation?"),
        ("LLMs and APIs", "large language models and application programming interfaces"),
        ("Which rags clean brass?", "Which rags clean brass?"),
    ],
)
def test_an_abbreviation_is_written_out_and_a_word_like_it_is_not(
    question: str, query: str
) -> None:
    web = SmallWeb({A: SENTENCE})
    researched(researcher, web, question)
    assert web.queries == [query]


def test_without_the_abbreviation_the_practice_web_finds_cloth() -> None:
    weak = instructions(without=["abbreviations"])
    with PracticeWeb() as web:
        found = researched(researcher, web, instructions=weak)
    assert {source.url.split("/")[2] for source in found.sources} - {"rag.example"}


def test_without_the_workflow_it_gives_up_early_and_reads_in_part() -> None:
    weak = instructions(without=["workflow"])
    nothing = SmallWeb({})
    researched(researcher, nothing, instructions=weak)
    assert len(nothing.queries) == 1
    long = researched(researcher, SmallWeb({A: f"{SENTENCE} " * 200}), instructions=weak)
    assert "summarize_page" not in {outcome.call.name for outcome in long.run.outcomes}


def test_without_the_rule_to_cite_no_source_is_named() -> None:
    found = researched(researcher, instructions=instructions(without=["cite"]))
    assert found.report is not None
    assert found.report.unsupported
    assert "[1]" not in found.report.content


def test_a_rule_that_does_not_exist_cannot_be_left_out() -> None:
    with pytest.raises(ConfigurationError, match="no rule 'politeness'"):
        instructions(without=["politeness"])
    assert all(text in instructions() for text in RULES.values())


# --- what it chooses


def test_the_stand_in_searches_once_more_and_then_says_that_there_is_nothing() -> None:
    web = SmallWeb({})
    found = researched(researcher, web, "zorblat resonance of quuxine")
    assert len(web.queries) == 2
    assert web.queries[0] != web.queries[1]
    assert found.report is not None
    assert found.report.unsupported
    assert "No source was found" in found.report.content


def test_the_stand_in_fetches_others_where_some_fail() -> None:
    failing: dict[str, str | Exception] = {
        f"https://gone.example/{n}": WebError("It is gone.") for n in range(3)
    }
    good = {f"https://good.example/{n}": SENTENCE for n in range(5)}
    found = researched(researcher, SmallWeb({**failing, **good}))
    assert [source.url for source in found.sources] == list(good)
    assert check_run(found.run) == []


def test_the_stand_in_prefers_results_that_speak_of_the_question() -> None:
    class Told(SmallWeb):
        def search(self, query: str, limit: int) -> list[Hit]:
            fitting = Hit("Practices of generation", B, "augmented with retrieval")
            return [*(Hit("Cloth", f"{A}{n}", "for cleaning") for n in range(7)), fitting]

    web = Told({f"{A}{n}": SENTENCE for n in range(7)} | {B: SENTENCE})
    found = researched(researcher, web)
    assert [source.url for source in found.sources] == [B, *(f"{A}{n}" for n in range(4))]


def test_the_stand_in_says_so_where_every_page_fails() -> None:
    web = SmallWeb({f"https://gone.example/{n}": WebError("It is gone.") for n in range(20)})
    found = researched(researcher, web)
    assert found.report is not None
    assert found.report.unsupported
    assert check_run(found.run) == []


# --- sentences


def test_sentences_are_whole_and_come_once() -> None:
    text = "# A heading\nThis is the first whole sentence of it. Too short. And\n" * 2
    text += "- Each point of a list may be a sentence.\nbut not what is left of one at its end.\n"
    text += "See the page on embeddings for what happens next."
    assert sentences(text) == [
        "This is the first whole sentence of it.",
        "Each point of a list may be a sentence.",
    ]


@given(text=st.text(), question=st.text(), count=st.integers(0, 5))
def test_what_tells_most_is_part_of_the_text(text: str, question: str, count: int) -> None:
    told = telling(text, question, count)
    assert len(told) <= count
    assert [each for each in sentences(text) if each in told] == told


# --- whatever it reads


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    question=st.text(min_size=1, max_size=60).filter(str.strip),
    without=st.sets(st.sampled_from(sorted(RULES))),
    pages=st.lists(
        st.one_of(
            st.text(max_size=80),
            st.sampled_from([SENTENCE, f"{SENTENCE} " * 100, ORDERS, WebError("It is gone.")]),
        ),
        max_size=12,
    ),
)
def test_the_stand_in_comes_to_an_end_whatever_it_reads(
    question: str, without: set[str], pages: list[str | Exception]
) -> None:
    web = SmallWeb({f"https://{n}.example/": page for n, page in enumerate(pages)})
    prompt = instructions(without=without)
    found = researched(researcher, web, question, instructions=prompt)
    assert found.report is not None
    assert found.report.fallback is ("write_report" in without)
    assert found.report.not_fetched == []
    assert check_run(found.run) == []
    if not without:
        assert found.report.sources == [source.url for source in found.sources]
