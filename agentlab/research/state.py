"""What a research run remembers: messages, sources, the report and the step; it only ever grows.

While the run goes on, sources and report are in the run's context as plain data. Nothing in it is
changed in place: the events hold copies of the context, and what an event has shown stays as it
was. So a saved run has the whole state in it, and a branch of a run begins with the right one.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from agentlab.events import Message, Run, ToolReturned
from agentlab.research.report import Report, Source, find_source
from agentlab.results import sendable
from agentlab.tools import Context


@dataclass(frozen=True)
class State:
    """The state at one moment of a run."""

    messages: tuple[Message, ...] = ()
    """The transcript."""
    sources: tuple[Source, ...] = ()
    """The pages that were really fetched, each once, in the order in which they came."""
    report: Report | None = None
    """What `write_report` wrote."""
    step: int = 0
    """How many replies the model has given."""

    @classmethod
    def of(cls, run: Run) -> "State":
        """The state that a run has reached, finished or not, loaded or new."""
        returned = (event for event in reversed(run.events) if isinstance(event, ToolReturned))
        context = next((event.context for event in returned), {})
        return cls(tuple(run.messages), sources_in(context), report_in(context), run.steps)


def sources_in(context: dict[str, Any]) -> tuple[Source, ...]:
    """The sources that a context holds."""
    return tuple(
        Source(each["url"], each["title"], tuple(each["asked"]))
        for each in context.get("sources", ())
    )


def report_in(context: dict[str, Any]) -> Report | None:
    """The report that a context holds."""
    return Report.from_data(context["report"]) if "report" in context else None


def remember_source(context: Context, source: Source) -> None:
    """Add a fetched page; a page that is there already only gets the address it was asked for."""
    sources = sources_in(context)
    known = find_source(sources, source.url)
    if known is None:
        sources = (*sources, replace(source, title=sendable(source.title)))
    else:
        asked = tuple(dict.fromkeys([*known.asked, *source.asked]))
        sources = tuple(replace(s, asked=asked) if s is known else s for s in sources)
    context["sources"] = [asdict(each) | {"asked": list(each.asked)} for each in sources]


def remember_report(context: Context, report: Report) -> None:
    """Keep the report."""
    context["report"] = report.to_data()
