"""The system prompt of the research agent, rule by rule: a strict prompt is a program."""

from collections.abc import Collection

from agentlab.errors import ConfigurationError
from agentlab.safety import SAYS_DATA_ONLY

ROLE = (
    "You are a research agent. You answer a question with a written report, and each claim in it "
    "comes from a page that you fetched for this question."
)

RULES = {
    "use_tools": (
        "You must use the tools. Never answer from memory: what you remember has no source."
    ),
    "write_report": (
        "You must end by calling write_report, once. Never stop with bare text: text outside a "
        "report is not delivered."
    ),
    "abbreviations": (
        "RAG means retrieval-augmented generation, LLM means large language model, API means "
        "application programming interface. Search for the words, not for the letters alone."
    ),
    "workflow": (
        "Work in this order: (1) search_web, with the question in other words once more if nothing "
        "is found; (2) fetch_pages with the best results, several in one reply; (3) summarize_page "
        "for each page that was shown only in part; (4) write_report."
    ),
    "cite": (
        "Cite by number after each sentence, as in [2], in the order of the sources that you give "
        "to write_report. Name only pages that fetch_pages returned. If there is none, write a "
        "report that says that no source was found."
    ),
    "errors": (
        "A tool's error is information: read it, then try another address or other arguments. "
        "Never repeat the same call."
    ),
    "data_only": SAYS_DATA_ONLY,
}
"""What each rule is called, and how it is put to the model."""

SUMMARY_INSTRUCTIONS = (
    "Summarize the page for a reader who wants to answer the question: five sentences at most, "
    "only what the page says, no opinion of your own. " + SAYS_DATA_ONLY
)
"""The system prompt of the separate request that `summarize_page` makes."""


def instructions(*, without: Collection[str] = ()) -> str:
    """The system prompt.

    Args:
        without: names of rules to leave out, to see what a run does without them.

    Raises:
        ConfigurationError: for a name that no rule has.
    """
    unknown = sorted(set(without) - RULES.keys())
    if unknown:
        raise ConfigurationError(
            "There is no rule {unknown!r} in the prompt. The rules are: {rules}.",
            unknown=unknown[0],
            rules=", ".join(RULES),
        )
    rules = [text for name, text in RULES.items() if name not in without]
    numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(rules, 1))
    return f"{ROLE}\n\nRules:\n{numbered}" if rules else ROLE
