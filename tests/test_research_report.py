"""A report cites what was fetched, and says so where it does not."""

import json

from hypothesis import given
from hypothesis import strategies as st
from research_runs import OLD, A, B, C, report_on, researched

from agentlab.practice import use
from agentlab.research import Report, Source
from agentlab.research.report import NO_SOURCE


def test_a_report_says_in_its_first_lines_that_it_has_no_source() -> None:
    found = researched([report_on()])
    assert found.report is not None
    assert found.report.unsupported
    assert "No source" in found.markdown.splitlines()[2]


def test_an_address_in_the_text_counts_as_cited() -> None:
    found = researched(
        [use("fetch_pages", urls=[A]), report_on(content=f"See [a]({A}) and <{C}>, or {B}.")]
    )
    assert found.report is not None
    assert (found.report.sources, found.report.not_fetched) == ([A], [C, B])


def test_a_title_that_the_text_repeats_is_shown_once() -> None:
    for content in ("# Title\n\nIt is so.", "It is so."):
        report = Report.citing([], [], title="Title", content=content)
        assert report.markdown == f"# Title\n\n{NO_SOURCE}\n\nIt is so.\n"
    assert Report.citing([], [], title="T", content="# Only this").content == "# Only this"


def test_an_address_with_parentheses_is_read_whole() -> None:
    page = f"{A}RAG_(method)"
    sources = [Source(page, "t", ())]
    report = Report.citing([], sources, title="T", content=f"See [it]({page}), ({page}).")
    assert (report.sources, report.not_fetched) == ([page], [])


def test_a_title_from_outside_cannot_break_the_list() -> None:
    sources = [Source("https://a.example/(x)", "A ](https://c.example) [b\n# Big", ())]
    report = Report.citing([sources[0].url], sources, title="T", content="Text.")
    line = report.markdown.splitlines()[-1]
    assert line == (r"- [1] [A \](https://c.example) \[b # Big](https://a.example/%28x%29)")


@given(
    cited=st.lists(st.sampled_from([A, B, C, OLD, "", "x", "http://["]), max_size=6),
    fetched=st.sets(st.sampled_from([A, B])),
    content=st.text(max_size=40),
)
def test_sources_are_those_of_the_cited_that_were_fetched(
    cited: list[str], fetched: set[str], content: str
) -> None:
    sources = [Source(url, "t") for url in sorted(fetched)]
    report = Report.citing(cited, sources, title="T", content=f"Text {content}")
    assert set(report.sources) == fetched & set(cited)
    assert not set(report.not_fetched) & fetched
    assert report.unsupported is ("## Sources" not in report.markdown.splitlines())
    assert Report.from_data(json.loads(json.dumps(report.to_data()))) == report
