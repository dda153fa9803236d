"""Steering a run: let it go on, say yes or no, change it and look at its branches."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlab.agent import Agent
from agentlab.branching import (
    Change,
    NewDescription,
    NewInput,
    NewQuestion,
    NewResult,
    NewSystem,
    fork,
)
from agentlab.events import Run, ToolCalled
from agentlab.language import gettext
from agentlab.recorder import Recorder
from agentlab.stepping import AgentSteps, LoopSteps, Steps, functions_near
from agentlab.tools import Context, Tool
from agentlab.views.page import save_run
from agentlab.views.parts import headline

if TYPE_CHECKING:
    from anthropic import Anthropic

Source = Run | Recorder | str | Path | Agent | Callable[..., Any]
"""What can be stepped through."""


def as_run(source: Any) -> Run:
    """The run of a run, of a recorder or of a saved file.

    Raises:
        RecordingError: for a file that is no saved run.
        TypeError: for anything else.
    """
    match source:
        case Run():
            return source
        case Recorder():
            return source.run
        case str() | Path():
            return Run.load(source)
    raise TypeError(
        gettext(
            "Stepper takes a Run, a recorder, the path of a saved run, an agent or a loop with its "
            "question, not {kind}.",
            kind=type(source).__name__,
        )
    )


@dataclass
class Branch:
    """One way that a run went: the run as it was, or what came of a change."""

    steps: Steps
    parent: int | None = None
    """Index of the branch that it left; `None` for the run itself."""
    step: int = 1
    """The step in which it left."""
    change: str = gettext("the run as it was")
    """What is different, in words."""
    kept: int = 0
    """How many events it took over from there."""

    def described(self, at: int) -> dict[str, Any]:
        """What a page says of it, as plain data."""
        return {
            "id": at,
            "parent": self.parent,
            "step": self.step,
            "kept": self.kept,
            "change": self.change,
            "headline": headline(self.steps.run),
        }


class Branches:
    """The branches of a run, and how more of them are made. It knows nothing of pages.

    Args:
        source: what is stepped through.
        question: what an agent or a loop is asked.
        client: the client of an agent or a loop, and of each branch; `agentlab.client()` if none
            is given.
        tools: functions for the tools of a run whose agent is not at hand.
        context: the context variables that an agent begins with.
        max_steps: the most steps that an agent may take.
        on_change: called when a loop of one's own has come to its next stop.

    Raises:
        RecordingError: for a file that is no saved run.
        TypeError: for what cannot be stepped through, or a question that is missing.
    """

    def __init__(
        self,
        source: Source,
        question: str | None = None,
        client: "Anthropic | None" = None,
        *,
        tools: Sequence[Tool | Callable[..., Any]] = (),
        context: Mapping[str, Any] | None = None,
        max_steps: int = 10,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.client = client
        self.tools = tools
        self.context = dict(context or {})
        self.agent = source if isinstance(source, Agent) else None
        self.loop = source if callable(source) and not isinstance(source, (Agent, Tool)) else None
        self.current = 0
        self.question = None
        first: Steps
        if self.agent is not None or self.loop is not None:
            self.question = asked = _question_for(source, question)
        if self.agent is not None:
            variables = Context(self.context)
            first = AgentSteps.of_agent(self.agent, asked, self._client(), variables, max_steps)
        elif self.loop is not None:
            first = LoopSteps(self.loop, asked, self._client(), on_change)
        else:
            first = Steps(as_run(source))
        self.all = [Branch(first)]

    @property
    def steps(self) -> Steps:
        """The branch in view."""
        return self.all[self.current].steps

    def fork(self, step: int, change: Change | None) -> None:
        """Leave the branch in view at a step, with one thing different, and look at what comes.

        Raises:
            DefinitionError: for a step, a call or a tool that is not in the run.
            TranscriptError: where the transcript up to there cannot be sent.
        """
        run = self.steps.run
        tools = [*self.tools, *self._functions_of(run)]
        left = fork(run, step, change, agent=self.agent, tools=tools, context=self.context)
        steps = AgentSteps.of_fork(left, self._client())
        words = _in_words(change, run)
        self.all.append(Branch(steps, self.current, step, words, len(left.kept)))
        self.current = len(self.all) - 1

    def show(self, at: int) -> None:
        """Look at another branch.

        Raises:
            IndexError: where there is no such branch.
        """
        if not 0 <= at < len(self.all):
            raise IndexError(
                gettext(
                    "There is no branch {at!r}; there are 0 to {last}.",
                    at=at,
                    last=len(self.all) - 1,
                )
            )
        self.current = at

    def close(self) -> None:
        """End what is still going on in any of them."""
        for branch in self.all:
            branch.steps.close()

    def _client(self) -> "Anthropic":
        if self.client is None:
            from agentlab.clients import client

            self.client = client()
        return self.client

    def _functions_of(self, run: Run) -> list[Any]:
        """The learner's own functions, under the names that the run's requests gave them."""
        if self.loop is None:
            return []
        definitions = [each for reply in run.replies for each in reply.request.get("tools") or []]
        return functions_near(self.loop, {str(each.get("name")) for each in definitions})


def _in_words(change: Change | None, run: Run) -> str:
    """What a change makes different; a call is named by its tool, which says more than its id."""
    calls = (event.call for event in run.events if isinstance(event, ToolCalled))
    names = {call.id: call.name for call in calls}
    match change:
        case None:
            return gettext("asked again")
        case NewQuestion():
            return gettext("another question")
        case NewSystem():
            return gettext("another system prompt")
        case NewDescription(tool=name):
            return gettext("another description of {name}", name=name)
        case NewInput(call_id=call_id):
            return gettext("another input of {name}", name=names.get(call_id, call_id))
        case NewResult(call_id=call_id):
            return gettext("another result of {name}", name=names.get(call_id, call_id))


def _question_for(source: Any, question: str | None) -> str:
    if not isinstance(question, str) or not question.strip():
        name = getattr(source, "name", None) or getattr(source, "__name__", gettext("it"))
        raise TypeError(
            gettext(
                "Stepping through {name} needs a question, and {question!r} is none: "
                "Stepper({name}, 'Where is my order SP-1024?')",
                name=name,
                question=question,
            )
        )
    return question


def inside(run: Run, position: int) -> int:
    """The nearest index of an event that the run has; 0 where it has none."""
    return max(0, min(position, len(run.events) - 1))


class Steering:
    """What can be done with a run, in Python; a page's buttons do the same."""

    position: int

    def __init__(self, branches: Branches) -> None:
        self._branches = branches
        self._lock = threading.RLock()

    def _update(self, position: int | None = None) -> None:
        """Show what is new; the view goes to `position`, or to what was not there before."""
        raise NotImplementedError

    # --- what is there to be read

    @property
    def run(self) -> Run:
        """The branch in view; its transcript holds whole steps only, so it can be sent."""
        return self._branches.steps.run

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen in the branch in view."""
        return self._branches.steps.is_over

    @property
    def exception(self) -> BaseException | None:
        """What the branch in view was ended by, if something was raised in it."""
        return self._branches.steps.error

    @property
    def returned(self) -> Any:
        """What your own loop returned."""
        return self._branches.steps.returned

    @property
    def printed(self) -> str:
        """What your own loop has printed."""
        return self._branches.steps.printed

    def save(self, path: str | Path) -> None:
        """Write the branch in view: as a page where the name ends in `.html`, else JSON Lines.

        Args:
            path: where it is written.
        """
        save_run(self.run, path)

    # --- what can be done, here and by the page's buttons

    def next(self) -> None:
        """Let the next event happen, and wait until it has."""
        self._branches.steps.advance()
        self._branches.steps.wait()
        self._update()

    def approve(self) -> None:
        """Say yes to the destructive call that is waiting, and let it run."""
        self._decide(is_approved=True)

    def deny(self) -> None:
        """Say no to the destructive call that is waiting; passing it over says no, too."""
        self._decide(is_approved=False)

    def stop(self) -> None:
        """End the branch in view where it stands."""
        self._branches.steps.close()
        self._update()

    def fork(self, step: int, change: Change | None = None) -> None:
        """Run again from a step, with one thing different, as a branch beside this one.

        What came before is kept, and none of its tools is run again. The branch waits for
        Next. A branch of a loop of your own goes on in agentlab's loop.

        Args:
            step: the step (from 1) that is changed, or whose request is sent again.
            change: one of agentlab.branching's changes; `None` asks the same again.

        Raises:
            DefinitionError: for a step, a call or a tool that is not in the run.
            TranscriptError: where the transcript up to there cannot be sent.
        """
        with self._lock:
            self._branches.fork(step, change)
            kept = self._branches.all[-1].kept
            self._update(position=max(0, kept - 1))

    def show(self, branch: int) -> None:
        """Look at another branch.

        Args:
            branch: its number; 0 is the run as it was.

        Raises:
            IndexError: where there is no such branch.
        """
        with self._lock:
            self._branches.show(branch)
            self._update(position=inside(self.run, self.position))

    def _decide(self, *, is_approved: bool) -> None:
        steps = self._branches.steps
        call = steps.undecided
        if call is None:
            raise RuntimeError(gettext("No destructive call is waiting for a decision here."))
        if is_approved:
            steps.approve(call.id)
        self.next()
