"""A written stand-in for the model that does research: rules, and no language model at all.

`client(script=researcher)` lets the whole research agent run offline. The stand-in reads nothing
but the request. It really searches, fetches and quotes: each sentence of its report is a sentence
of a page that a tool returned in this conversation, chosen by the words it shares with the
question. It understands none of them, and so its report is a list of quotations, not an argument.

It does what the system prompt says, as far as it looks for it:

| it looks for | without it |
|---|---|
| "must use the tools" | it uses none to find anything, and answers from an empty memory |
| "end by calling write_report" | it ends with bare text |
| "X means ..." for an abbreviation X | it searches for the letters |
| "with the question in other words once more" | it gives up after a search without results |
| "Cite by number" | its sentences have no numbers, and it names no source |
| "summarize_page for each" | it reads only the part of a long page that was shown |

Whatever the prompt says, it takes text between the marks of `mark_untrusted` as data and does not
follow orders there. Of a language model that cannot be said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlab.clients import client
from agentlab.models import is_live
from agentlab.practice.script import Reply, both, say, use
from agentlab.practice.values import stems
from agentlab.research.report import address
from agentlab.research.sentences import sentences, telling

if TYPE_CHECKING:
    from anthropic import Anthropic

WANTED_SOURCES = 5
FEWEST_SOURCES = 3
AT_ONCE = 4
"""Pages that one call of fetch_pages takes."""
RESULTS = 8
"""Results to ask for: some are kept in reserve for pages that cannot be fetched."""
MOST_SEARCHES = 2
SENTENCES_OF_A_SUMMARY = 5
SENTENCES_OF_A_SECTION = 3

MARKED = re.compile(
    r"\[untrusted ([0-9a-f]{16})\]\nsource: ([^\n]*)\n(.*?)\n\[/untrusted \1\]", re.DOTALL
)
HIT = re.compile(r"^\d+\. (.*)\n {3}(https?://\S+)\n {3}(.*)$", re.MULTILINE)
MEANING = re.compile(r"\b([A-Z][A-Za-z]*[A-Z]) means ([a-z][a-z -]+)")
RULE = {
    "use_tools": re.compile(r"must use the tools", re.IGNORECASE),
    "write_report": re.compile(r"end by calling write_report", re.IGNORECASE),
    "other_words": re.compile(r"in other words once more", re.IGNORECASE),
    "cite": re.compile(r"cite by number", re.IGNORECASE),
    "summarize": re.compile(r"summarize_page for each", re.IGNORECASE),
}
TO_A_MODEL = re.compile(
    r"\b(ignore|disregard|forget)\b.*\b(instructions?|rules?|prompt)\b|\bcall `?[a-z]+_[a-z_]+",
    re.IGNORECASE,
)
"""Sentences that speak to a model and not to a reader; they answer nobody's question."""


@dataclass(frozen=True)
class Call:
    """A call of the conversation with what came back."""

    name: str
    input: Mapping[str, Any]
    result: str

    @property
    def quoted(self) -> list[tuple[str, str]]:
        """The source and the text of each marked part of the result."""
        return [(source, text) for _, source, text in MARKED.findall(self.result)]


@dataclass(frozen=True)
class Read:
    """A page as far as the conversation has it."""

    url: str
    title: str
    text: str


@dataclass(frozen=True)
class Conversation:
    """What a request shows: the rules, the question and the calls so far."""

    system: str
    messages: Sequence[Mapping[str, Any]]

    def obeys(self, rule: str) -> bool:
        """Whether the system prompt has the rule."""
        return bool(RULE[rule].search(self.system))

    @property
    def asked(self) -> str:
        """The question as it was asked."""
        return next((_text(m) for m in self.messages if m["role"] == "user"), "")

    @cached_property
    def question(self) -> str:
        """The question, with each abbreviation that the system prompt explains written out."""
        meanings: dict[str, str] = {
            short: whole.strip() for short, whole in MEANING.findall(self.system)
        }

        def written_out(word: re.Match[str]) -> str:
            short: str = word["letters"]
            if short in meanings:
                return meanings[short] + str(word["plural"])
            return meanings.get(word[0].upper(), word[0])  # not `rags`, which are cloth

        return re.sub(r"\b(?P<letters>\w+?)(?P<plural>s?)\b", written_out, self.asked).strip()

    @cached_property
    def calls(self) -> list[Call]:
        """The calls that were answered, in order."""
        blocks = [
            b for m in self.messages if not isinstance(m["content"], str) for b in m["content"]
        ]
        results = {b["tool_use_id"]: b for b in blocks if b["type"] == "tool_result"}
        return [
            Call(block["name"], block["input"], _text(found))
            for block in blocks
            if block["type"] == "tool_use" and (found := results.get(block["id"]))
        ]

    def calls_of(self, name: str) -> list[Call]:
        """The calls of one tool."""
        return [call for call in self.calls if call.name == name]

    @property
    def hits(self) -> list[str]:
        """The addresses found, those first whose title and snippet say most of the question."""
        listed = (text for call in self.calls_of("search_web") for _, text in call.quoted)
        found = {
            url: stems(f"{title} {snippet}")
            for text in listed
            for title, url, snippet in HIT.findall(text)
        }
        wanted = set(stems(self.question))
        return sorted(found, key=lambda url: -len(wanted & set(found[url])))

    @property
    def untried(self) -> list[str]:
        """The addresses found that were not asked for yet."""
        tried = {
            address(url)
            for call in self.calls_of("fetch_pages")
            for url in call.input.get("urls", ())
        }
        return [url for url in self.hits if address(url) not in tried]

    @property
    def pages(self) -> list[Read]:
        """The pages that were read, each once; a summary stands in for the page that was cut."""
        summaries = dict(pair for call in self.calls_of("summarize_page") for pair in call.quoted)
        quoted = [pair for call in self.calls_of("fetch_pages") for pair in call.quoted]
        read = {url: text.partition("\n\n") for url, text in quoted}
        return [
            Read(url, title or url, summaries.get(url, text))
            for url, (title, _, text) in read.items()
        ]

    @property
    def cut(self) -> list[str]:
        """The pages that were shown in part and not summarized yet."""
        asked = {call.input.get("url") for call in self.calls_of("summarize_page")}
        return [url for url in self._shown_in_part() if url not in asked]

    def _shown_in_part(self) -> Iterator[str]:
        for call in self.calls_of("fetch_pages"):
            for match in MARKED.finditer(call.result):
                following = call.result[match.end() :].lstrip("\n").split("\n", 1)[0]
                if "call summarize_page" in following:
                    yield match[2]


def researcher(request: dict[str, Any]) -> Reply:
    """What the stand-in replies to a request; to be given to a client as its script.

    Args:
        request: the body of a request to the Messages API. One without tools is taken for a
            request to summarize.
    """
    talk = Conversation(_joined(request.get("system", "")), request["messages"])
    if not request.get("tools"):
        return say(_summary(_text(request["messages"][-1])))
    if talk.calls_of("write_report"):  # it failed, and would fail again
        return say("The report could not be written.")
    return (talk.obeys("use_tools") and _research(talk)) or _finish(talk)


def _research(talk: Conversation) -> Reply | None:
    """The next call that finds something; `None` where there is enough, or no more to find."""
    searches = len(talk.calls_of("search_web"))
    if not searches:
        return use("search_web", query=talk.question, limit=RESULTS)
    # After some failures it is content with fewer pages than it wanted.
    wanted = WANTED_SOURCES if len(talk.calls_of("fetch_pages")) <= 2 else FEWEST_SOURCES
    if len(talk.pages) < wanted and talk.untried:
        return _fetch(talk.untried[: WANTED_SOURCES - len(talk.pages)])
    if not talk.pages and searches < MOST_SEARCHES and talk.obeys("other_words"):
        return use("search_web", query=_other_words(talk.question), limit=RESULTS)
    if talk.cut and talk.obeys("summarize"):
        return both(*(use("summarize_page", url=url) for url in talk.cut))
    return None


def _fetch(urls: Sequence[str]) -> Reply:
    batches = [urls[start : start + AT_ONCE] for start in range(0, len(urls), AT_ONCE)]
    return both(*(use("fetch_pages", urls=list(batch)) for batch in batches))


def _other_words(question: str) -> str:
    """The longer half of the question's words, which mostly say what it is about."""
    words = list(dict.fromkeys(re.findall(r"\w+", question)))
    longest = sorted(words, key=lambda word: -len(word))[: max(1, len(words) // 2)]
    return " ".join(word for word in words if word in longest) or question


def _finish(talk: Conversation) -> Reply:
    """The report, by the tool for it where the system prompt demands that."""
    title = talk.asked.strip().rstrip(".!")[:120].strip() or "Report"
    title = title[:1].upper() + title[1:]
    cited = [page.url for page in talk.pages] if talk.obeys("cite") else []
    if not talk.obeys("write_report"):
        listed = "\n".join(f"- [{number}] {url}" for number, url in enumerate(cited, 1))
        return say(f"{_content(talk)}\n\n{listed}".strip())
    return use("write_report", title=title, content=_content(talk), sources=cited)


def _content(talk: Conversation) -> str:
    if not talk.obeys("use_tools"):
        return "This is answered from memory, without looking anything up, and names no source."
    if not talk.pages:
        searched = "; ".join(
            str(call.input.get("query", "")) for call in talk.calls_of("search_web")
        )
        return f"No source was found, so nothing is claimed here. Searched for: {searched}."
    short, sections = [], []
    for number, page in enumerate(talk.pages, 1):
        mark = f" [{number}]" if talk.obeys("cite") else ""
        main, *more = _quoted(page, talk.question) or [f"{page.title} has no sentence to quote."]
        short.append(f"- {main}{mark}")
        if more:
            sections.append(f"## {page.title}\n\n{' '.join(each + mark for each in more)}")
    return "\n\n".join(["## In short", "\n".join(short), *sections])


def _quoted(page: Read, question: str) -> list[str]:
    """Sentences of a page, first the one that tells most, then more in the order of the page."""
    text = "\n".join(line for line in page.text.splitlines() if line.strip() != page.title)
    to_model = [each for each in sentences(text) if TO_A_MODEL.search(each)]
    main = telling(text, question, 1, without=to_model)
    return [*main, *telling(text, question, SENTENCES_OF_A_SECTION, without=[*to_model, *main])]


def _summary(prompt: str) -> str:
    """The sentences of the marked text that share most words with the rest of the prompt."""
    text = "\n".join(text for _, _, text in MARKED.findall(prompt))
    question = re.sub(r"^(Question|Page):", "", MARKED.sub("", prompt), flags=re.MULTILINE)
    told = telling(text, question, SENTENCES_OF_A_SUMMARY) if stems(text) else []
    return " ".join(told) or "The page has no sentence to quote."


def _text(holder: Mapping[str, Any]) -> str:
    """The text of a message or a tool_result."""
    return _joined(holder.get("content") or "")


def _joined(content: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content if block["type"] == "text")


def research_client() -> "Anthropic":
    """The client to do research with: live where `AGENTLAB_LIVE` says so, else the stand-in's.

    Raises:
        ConfigurationError: in live mode without a key, as `agentlab.client` does.
    """
    return client(script=None if is_live() else researcher)
