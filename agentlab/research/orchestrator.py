"""The orchestrator: it keeps order among those who think, know how, and remember.

- The model thinks: it decides which tool is called next.
- The registry knows how: `ResearchTools` holds the tools.
- The state remembers: `State` holds messages, sources, report and step.
- The orchestrator keeps order: it puts them together, sets the limit, and says how it ended.

The loop itself is `agentlab.run`; there is no second one.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentlab.agent import Agent
from agentlab.events import Event, Run, timed
from agentlab.language import gettext, ngettext
from agentlab.loop import run
from agentlab.models import MODEL
from agentlab.research.prompt import instructions
from agentlab.research.report import Report, Source
from agentlab.research.state import State
from agentlab.research.tools import ResearchTools
from agentlab.research.web import Web
from agentlab.tools import Context

if TYPE_CHECKING:
    from anthropic import Anthropic

MOST_STEPS = 12
REPORT_TOKENS = 4_096
"""Longest reply: a report has to fit into one."""

WITHOUT_ANSWER = {
    "end_turn": gettext("the model ended with an empty reply, also after a reminder"),
    "max_tokens": gettext("the reply ended at the limit of its tokens"),
    "model_context_window_exceeded": gettext("the conversation has outgrown the model's context"),
    "refusal": gettext("the model refused"),
    "repeating": gettext("the same call was made again and again"),
}
"""What a reason to stop means where nothing was written."""


@dataclass(frozen=True)
class Research:
    """What a research run came to, read from the run itself: saved, loaded, or still going on."""

    run: Run = field(repr=False)

    def __repr__(self) -> str:
        steps = ngettext("{count} step", "{count} steps", self.step)
        sources = ngettext("{count} source", "{count} sources", len(self.sources))
        return f"Research({self.question!r:.80}, {steps}, {sources}, {self.ending!r})"

    @property
    def question(self) -> str:
        """What was asked."""
        asked: Any = self.run.messages[0]["content"] if self.run.messages else ""
        return str(asked)

    @property
    def state(self) -> State:
        """The state at the end of what has happened."""
        return State.of(self.run)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The pages that were really fetched, whether the report cites them or not."""
        return self.state.sources

    @property
    def step(self) -> int:
        """How many replies the model gave."""
        return self.run.steps

    @property
    def report(self) -> Report | None:
        """The report; text that came in place of one is kept as a fallback, and says so."""
        state, stopped = self.state, self.run.stopped
        if state.report or stopped is None:
            return state.report
        if stopped.reason == "refusal" or not stopped.text.strip():
            return None
        return Report.citing(
            (), state.sources, title=self.question, content=stopped.text, fallback=True
        )

    @property
    def ending(self) -> str:
        """How it ended, in a sentence."""
        report, stopped = self.report, self.run.stopped
        found = ngettext("{count} page", "{count} pages", len(self.sources))
        if report and not report.fallback:
            return gettext("The report was written in step {step}.", step=self.step)
        if stopped is None:
            return gettext(
                "No report: the run was interrupted in step {step}; {found} fetched.",
                step=self.step,
                found=found,
            )
        if report:
            return gettext(
                "No report: the model stopped with text ({reason}), which is kept as a fallback.",
                reason=stopped.reason,
            )
        if stopped.reason == "max_steps":
            limit = ngettext("{count} step", "{count} steps", self.step)
            return gettext(
                "No report: the limit of {limit} was reached; {found} fetched.",
                limit=limit,
                found=found,
            )
        reason = WITHOUT_ANSWER.get(str(stopped.reason), gettext("nothing was written"))
        return gettext(
            "No report: {reason} (stop_reason {stop_reason!r}); {found} fetched.",
            reason=reason,
            stop_reason=stopped.reason,
            found=found,
        )

    @property
    def markdown(self) -> str:
        """The report as Markdown; where there is none, how it ended and what was fetched."""
        if self.report:
            return self.report.markdown
        sources = "\n".join(f"- {source.title}: {source.url}" for source in self.sources)
        heading, fetched = gettext("No report"), gettext("Fetched so far:")
        listed = f"\n\n{fetched}\n\n{sources}" if sources else ""
        return f"# {heading}\n\n{self.ending}{listed}\n"

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __rich__(self) -> Any:
        from rich.markdown import Markdown

        return Markdown(self.markdown, hyperlinks=False)


@dataclass(frozen=True)
class Orchestrator:
    """Puts a model, a web and the tools to work on a question.

    Args:
        web: where to search and fetch, such as `PracticeWeb()` or `live_web()`.
        client: an `anthropic.Anthropic`; offline, `client(script=researcher)` plays the model.
        instructions: the system prompt; `agentlab.research.instructions` makes weaker ones.
        max_steps: replies after which the run ends, report or not.
        model: the model that thinks.
    """

    web: Web
    client: "Anthropic"
    instructions: str = field(default_factory=instructions, repr=False)
    max_steps: int = MOST_STEPS
    model: str = MODEL

    @cached_property
    def agent(self) -> Agent:
        """The agent that does the research."""
        tools = ResearchTools(self.web, self.client, self.model).tools
        return Agent(
            "researcher", self.instructions, tools, model=self.model, max_tokens=REPORT_TOKENS
        )

    def new_run(self) -> Run:
        """An empty run for `events` to fill."""
        return Run([], [], self.max_steps)

    def events(self, question: str, into: Run | None = None) -> Iterator[Event]:
        """Research `question`, yielding an event for each thing that happens.

        Args:
            question: what to find out.
            into: an empty run that collects the events. After an interrupt or an error it holds
                what was found until then: `Research(into)`.
        """
        collected = self.new_run() if into is None else into
        collected.messages.append({"role": "user", "content": question})
        happening = run(
            self.agent,
            collected.messages,
            client=self.client,
            context=Context(question=question),
            max_steps=self.max_steps,
        )
        for event in timed(happening):
            collected.events.append(event)
            yield event

    def research(self, question: str, into: Run | None = None) -> Research:
        """Research `question` to the end.

        Args:
            question: what to find out.
            into: an empty run that collects the events, as for `events`.
        """
        collected = self.new_run() if into is None else into
        deque(self.events(question, collected), maxlen=0)
        return Research(collected)
