"""Repair the orchestrator: cases."""

from itertools import pairwise
from typing import Any

from agentlab.exercises import CLIENT, Case, Evidence, Exercise, Nonce, Scene
from agentlab.language import gettext, ngettext
from agentlab.practice import both, say, use
from agentlab.practice.script import Script
from agentlab.rules import check_transcript, refused
from agentlab.tools import ToolError

KEYS = {"report", "sources", "step", "log", "messages"}


def search_web(query: str) -> str:
    """Find pages by words.

    Args:
        query: the words to look for.
    """
    return f"1 page: http://pages.example/{query}"


def fetch_page(url: str) -> str:
    """Read a page.

    Args:
        url: its address.
    """
    if "missing" in url:
        raise ToolError(f"{url} is not there (404)")
    if "slow" in url:
        raise TimeoutError(f"{url} did not answer")
    return f"All about {url}."


def write_report(content: str) -> str:
    """Write the report; this ends the research.

    Args:
        content: the report as Markdown.
    """
    if not content.startswith("#"):
        raise ToolError("a report begins with a title, such as '# Frogs'")
    return "the report is written"


def research(question: str, script: Script, secret: dict[str, Any], **more: Any) -> Scene:
    """A run of the orchestrator."""
    return Scene(
        "research",
        {
            "client": CLIENT,
            "tools": [search_web, fetch_page, write_report],
            "question": question,
            **more,
        },
        script=script,
        secret=secret,
    )


def no_report(nonce: Nonce) -> Scene:
    """A model that searches for ever and writes no report."""
    word = nonce.word()

    def search_on(request: dict[str, Any]) -> Any:
        return use("search_web", query=f"{word}-{len(request['messages'])}")

    return research(f"Research {word}.", search_on, {"word": word}, max_steps=4)


def three_searches(nonce: Nonce) -> Scene:
    """Three calls in one reply, of which the second fails."""
    first, second = nonce.word(), nonce.word()
    asked = both(
        use("search_web", query=first),
        use("fetch_page", url=f"http://pages.example/missing/{second}"),
        use("search_web", query=second),
    )
    return research(
        f"Research {first} and {second}.",
        [asked, use("write_report", content=f"# About {first}")],
        {"word": first},
    )


def troubles(nonce: Nonce) -> Scene:
    """A page that does not answer, and a tool that does not exist."""
    word = nonce.word()
    asked = both(
        use("fetch_page", url=f"http://pages.example/slow/{word}"),
        use("read_mind", of=word),
    )
    return research(
        f"Research {word}.",
        [asked, use("write_report", content=f"# Nothing about {word}")],
        {"word": word, "errors": 2},
    )


def told_trouble(nonce: Nonce) -> Scene:
    """A page that is not there: the tool says so itself."""
    word = nonce.word()
    return research(
        f"Research {word}.",
        [
            use("fetch_page", url=f"http://pages.example/missing/{word}"),
            use("write_report", content=f"# Nothing about {word}"),
        ],
        {"word": word, "errors": 1},
    )


def three_pages(nonce: Nonce) -> Scene:
    """Three pages, one after the other; the second is not there."""
    first, gone, third = (nonce.word() for _ in range(3))
    urls = [f"http://pages.example/{each}" for each in (first, f"missing/{gone}", third)]
    return research(
        f"Research {first}.",
        [
            *(use("fetch_page", url=url) for url in urls),
            use("write_report", content=f"# About {first}"),
        ],
        {"word": first, "sources": [urls[0], urls[2]]},
    )


def report_and_more(nonce: Nonce) -> Scene:
    """A report in the middle of a reply, and a model that would go on."""
    word = nonce.word()
    report = f"# About {word}\n\nThere are {nonce.number()} of them."
    asked = both(
        use("search_web", query=f"{word}-before"),
        use("write_report", content=report),
        use("search_web", query=f"{word}-after"),
    )
    return research(f"Research {word}.", [asked, say("One more thing.")], {"report": report})


def report_refused(nonce: Nonce) -> Scene:
    """A report without a title, which the tool does not take; then one with a title."""
    word = nonce.word()
    report = f"# About {word}\n\nThere are {nonce.number()} of them."
    return research(
        f"Research {word}.",
        [
            use("write_report", content=report.removeprefix("# ")),
            use("write_report", content=report),
            say("One more thing."),
        ],
        {"report": report},
    )


# --- judging


def misshapen(evidence: Evidence) -> str | None:
    """Whether the state is not what was asked for."""
    found = evidence.returned
    if not isinstance(found, dict) or not found.keys() >= KEYS:
        return gettext(
            "your function has to return the state: report, sources, step, log and "
            "messages; found {found!r:.60}",
            found=found,
        )
    if found["step"] != evidence.run.steps:
        return ngettext(
            "there was {count} reply, and your state says {found!r}",
            "there were {count} replies, and your state says {found!r}",
            evidence.run.steps,
            found=found["step"],
        )
    return None


def holds_the_limit(evidence: Evidence) -> str | None:
    """Whether the limit held without a report, and the state says that there is none."""
    if evidence.run.steps != 4:
        return ngettext(
            "max_steps was 4 and no report came; your loop made {count} request",
            "max_steps was 4 and no report came; your loop made {count} requests",
            evidence.run.steps,
        )
    if problem := misshapen(evidence):
        return problem
    if evidence.returned["report"]:
        return gettext(
            "nobody wrote a report, and yours says {report!r:.60}",
            report=evidence.returned["report"],
        )
    return None


def logs_every_dispatch(evidence: Evidence) -> str | None:
    """Whether each call is in the log, in order, the failed one too."""
    if problem := misshapen(evidence):
        return problem
    if len(evidence.effects) < 4:
        return gettext(
            "four calls were asked for, and {ran} ran",
            ran=len(evidence.effects),
        )
    log = evidence.returned["log"]
    wanted = [(call["name"], call["input"]) for call in evidence.calls]
    found = [(e.get("tool"), e.get("input")) for e in log if isinstance(e, dict)]
    if found != wanted:
        return ngettext(
            "{count} call was dispatched, and your log holds {found}; each dispatch is one, "
            "with its tool and its input, also where the tool fails",
            "{count} calls were dispatched, and your log holds {found}; each dispatch is one, "
            "with its tool and its input, also where the tool fails",
            len(wanted),
            found=len(found),
        )
    return None


def flags_errors(evidence: Evidence) -> str | None:
    """Whether each failure went back as an error."""
    if evidence.run.steps < 2:
        return gettext("a tool failed, and the model never heard of it")
    for result in evidence.results:
        if not result.get("is_error"):
            return gettext("a tool failed, and its result went back without is_error")
        if not result.get("content"):
            return gettext("a tool failed, and the result does not say why")
    return misshapen(evidence)


def only_grows(evidence: Evidence) -> str | None:
    """Whether no message that was sent was changed, and no source was lost."""
    sent = [event.request["messages"] for event in evidence.run.replies]
    if len(sent) < 4:
        return gettext(
            "the research takes four steps, and yours made {steps}",
            steps=len(sent),
        )
    if any(after[: len(before)] != before for before, after in pairwise(sent)):
        return gettext("a message that was sent before was changed or removed; a state only grows")
    if problem := misshapen(evidence):
        return problem
    wanted, found = evidence.secret["sources"], evidence.returned["sources"]
    if found != wanted:
        return ngettext(
            "{count} page was really fetched, and your sources are {found!r:.150}",
            "{count} pages were really fetched, and your sources are {found!r:.150}",
            len(wanted),
            found=found,
        )
    return None


def has_report(evidence: Evidence) -> str | None:
    """Whether the report is in the state, and the state can be sent again."""
    if problem := misshapen(evidence):
        return problem
    if evidence.returned["report"] != evidence.secret["report"]:
        return gettext("the report in your state is not the one that was written")
    messages = evidence.returned["messages"]
    if not isinstance(messages, list):
        return gettext(
            "the messages in your state have to be a list; found {messages!r:.60}",
            messages=messages,
        )
    if broken := refused(check_transcript(messages)):
        return gettext(
            "the messages in your state cannot be sent again: {problem}", problem=broken[0].problem
        )
    if len(messages) < 3:
        return gettext("your state has lost the messages of the run")
    return None


def ends_at_once(evidence: Evidence) -> str | None:
    """Whether nothing ran after the report, and everything was answered."""
    if evidence.run.steps > 1:
        return gettext("the report was written, and your loop asked the model again")
    happened = [effect.name for effect in evidence.effects]
    if happened != ["search_web", "write_report"]:
        return gettext(
            "in a reply the calls before the report run, and none after it; yours ran {calls}",
            calls=", ".join(happened) or gettext("none"),
        )
    return has_report(evidence)


def looks_first(evidence: Evidence) -> str | None:
    """Whether a report that failed was not taken for one."""
    if evidence.run.steps < 2:
        return gettext("write_report failed, and your loop took the run for finished")
    if evidence.run.steps > 2:
        return gettext("the second report was written, and your loop asked the model again")
    return has_report(evidence)


EXERCISE = Exercise(
    number="10",
    title=gettext("Repair the orchestrator"),
    answers=("research",),
    cases=(
        Case("limit", gettext("the step limit holds, report or not"), no_report, holds_the_limit),
        Case("log", gettext("every dispatch is logged"), three_searches, logs_every_dispatch),
        Case("crash", gettext("no error of a tool ends the run"), troubles, flags_errors),
        Case("flag", gettext("an error is sent as an error"), told_trouble, flags_errors),
        Case("state", gettext("the state only grows"), three_pages, only_grows),
        Case(
            "report",
            gettext("a written report ends the run at once"),
            report_and_more,
            ends_at_once,
        ),
        Case("failed_report", gettext("a failed report does not"), report_refused, looks_first),
    ),
    hints=(
        gettext(
            "Go through the five invariants one by one, and find for each the line that breaks "
            "it. Some of them are broken in two places."
        ),
        gettext(
            "`dispatch` is the place where errors become results: all of them, with the flag. "
            "Whether a call succeeded can be read from the result it returns."
        ),
        gettext(
            "Answer every call of a reply before you leave it: those after a written report "
            "are answered as not run. Log inside the loop over calls, and take the lines away "
            "that change what is already there."
        ),
    ),
)
