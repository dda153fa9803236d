"""The Stepper: a run, one event at a time, in a notebook cell or on a page of its own."""

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from agentlab.branching import (
    Change,
    NewDescription,
    NewInput,
    NewQuestion,
    NewResult,
    NewSystem,
)
from agentlab.language import gettext
from agentlab.stepping import LoopSteps, Steps
from agentlab.tools import Tool
from agentlab.views.html import run_as_html
from agentlab.views.page import SCRIPT, STYLE, write_page
from agentlab.views.payload import payload_of, plain
from agentlab.views.steering import Branches, Source, Steering, inside
from agentlab.views.words import quoted, sentence

if TYPE_CHECKING:
    from anthropic import Anthropic

WIDGET = "application/vnd.jupyter.widget-view+json"
NO_BUTTONS = gettext(
    "This is the whole run; to step through it with buttons, install the notebook's widgets: "
    "pip install 'agentlab[lab]'"
)
BESIDE_THE_WIDGET: dict[str, Any] = {"raw": False, "most_steps": 20}
"""What stands in the page of a notebook that is not running."""
LONGEST_OUTPUT = 4_000
"""Characters of what a loop printed, returned or raised that are shown; the last ones."""


def shown_alone() -> bool:
    """Whether a notebook is to get the pages that stand in for widgets, and no widgets."""
    return os.environ.get("AGENTLAB_WIDGETS") == "0"


def bundle_of(fallback: dict[str, str], show_widget: Callable[[], Any]) -> Any:
    """What a notebook is given to show: a widget, and a page for where there are no widgets.

    Args:
        fallback: the page and its text, by MIME type.
        show_widget: makes the widget's own bundle; not called where the page stands alone.
    """
    if shown_alone():
        return fallback
    data, metadata = show_widget()
    return {WIDGET: data[WIDGET], **fallback}, metadata


class StaticStepper(Steering):
    """A run as text and as HTML without script: what a Stepper is where there are no widgets.

    An agent or a loop is run to its end, and so is each branch; nobody says yes there.
    """

    def __init__(
        self,
        source: Source,
        question: str | None = None,
        client: "Anthropic | None" = None,
        *,
        position: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(Branches(source, question, client, **options))
        self._update()
        if self.exception is not None:
            raise self.exception
        self.position = inside(self.run, position)

    def __repr__(self) -> str:
        return sentence(self.run, self.position)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        page = f"{run_as_html(self.run)}<p>{escape(NO_BUTTONS)}</p>"
        return {"text/plain": f"{self!r}\n{NO_BUTTONS}", "text/html": page}

    def _update(self, position: int | None = None) -> None:
        steps = self._branches.steps
        while not steps.is_over:
            steps.advance()
            steps.wait()
        self.position = inside(steps.run, position or 0)

    write_page = staticmethod(write_page)


@dataclass
class _Shown:
    """The Steppers that a cell has made, and in which of its executions."""

    execution: str
    steppers: list[Any] = field(default_factory=list)


_shown: dict[str, _Shown] = {}


def _this_cell() -> tuple[str, str] | None:
    """The notebook's cell that is being executed, and its execution; `None` elsewhere."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "get_parent"):
        return None
    request = shell.get_parent()
    cell = request.get("metadata", {}).get("cellId")
    return (cell, request["header"]["msg_id"]) if cell else None


def close_earlier_ones(stepper: Any) -> None:
    """Close what this cell showed when it was executed before, and with it any thread of it."""
    if (place := _this_cell()) is None:
        return
    cell, execution = place
    if cell not in _shown or _shown[cell].execution != execution:
        for earlier in _shown.pop(cell, _Shown("")).steppers:
            earlier.close()
        _shown[cell] = _Shown(execution)
    _shown[cell].steppers.append(stepper)


if TYPE_CHECKING:
    from anywidget import AnyWidget
    from traitlets import Dict, Int, List, validate
else:
    try:
        from anywidget import AnyWidget
        from traitlets import Dict, Int, List, validate
    except ModuleNotFoundError:  # a plain Python: the run as text and HTML is what there is
        AnyWidget = None

if TYPE_CHECKING or AnyWidget is not None:

    class Stepper(Steering, AnyWidget):
        """A run, one event at a time: forward, back, jump, play; edit it, and run it again.

        `Stepper(run)` goes through what has happened, in the browser alone: it goes on stepping
        while a cell runs, and when the kernel is gone. `Stepper(agent, question)` lets a run
        happen, one event for each Next. `Stepper(my_loop, question, client)` does that with a
        function of your own, which stops before each request leaves and before each reply is
        handed over.

        Args:
            source: a `Run`, a recorder, the path of a run that `run.save` wrote, an `Agent`, or a
                function that takes a question and a client.
            question: what an agent or a function is asked.
            client: what sends the requests; `agentlab.client()` if none is given.
            position: index of the event to begin with.
            tools: functions for the tools of a run whose agent is not at hand, for branches of it.
            context: the context variables that an agent begins with.
            max_steps: the most steps that an agent may take.

        Raises:
            RecordingError: for a file that is no saved run.
            TypeError: for what cannot be stepped through, or a question that is missing.
        """

        _esm = SCRIPT
        _css = STYLE
        payload = Dict().tag(sync=True)
        """The branch in view, as `payload_of` writes it."""
        position = Int(0).tag(sync=True)
        """Index of the event in view; set it to move every view of this Stepper."""
        session = Dict().tag(sync=True)
        """How the branch in view stands: over, working, waiting for a yes, and the like."""
        branches = List(Dict()).tag(sync=True)
        """Every branch in a few words; the index is its number."""
        branch = Int(0).tag(sync=True)
        """The number of the branch in view."""
        others = Dict().tag(sync=True)
        """The payloads of the other branches by number, for a page that has no kernel."""

        write_page = staticmethod(write_page)

        def __init__(
            self,
            source: Source,
            question: str | None = None,
            client: "Anthropic | None" = None,
            *,
            position: int = 0,
            tools: Sequence[Tool | Callable[..., Any]] = (),
            context: Mapping[str, Any] | None = None,
            max_steps: int = 10,
        ) -> None:
            branches = Branches(
                source,
                question,
                client,
                tools=tools,
                context=context,
                max_steps=max_steps,
                on_change=self._came_further,
            )
            Steering.__init__(self, branches)
            self._happened, self._asked = 0, False
            AnyWidget.__init__(self, **self._state(), position=position)
            self._happened = len(self.payload["events"])
            self.on_msg(self._receive)
            close_earlier_ones(self)

        def __repr__(self) -> str:
            run = self.run
            if not run.events and not self.is_over:
                question = self._branches.question
                words = quoted(question or gettext("the change"))
                return gettext("Stepper: no event yet; Next begins with {words}", words=words)
            return sentence(run, inside(run, self.position))

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            # The widget has the JSON and every step, so a page a tenth as long will do beside it.
            beside = {} if shown_alone() else BESIDE_THE_WIDGET
            html = run_as_html(self.run, **beside)
            if not self.run.events:
                html = f"<p>{escape(repr(self))}</p>"
            fallback = {"text/plain": repr(self), "text/html": html}
            return bundle_of(fallback, super()._repr_mimebundle_)

        def close(self) -> None:
            """Take the Stepper away, and end what is still going on in it."""
            if hasattr(self, "_branches"):
                self._branches.close()
            super().close()

        # --- keeping the page up to date

        def _state(self) -> dict[str, Any]:
            branches = self._branches
            steps = branches.steps
            return {
                "payload": payload_of(steps.shown, whole=steps.run, waiting=steps.waiting_request),
                "session": _session(steps, branches),
                "branches": [branch.described(at) for at, branch in enumerate(branches.all)],
                "branch": branches.current,
                "others": {
                    str(at): payload_of(branch.steps.shown, whole=branch.steps.run)
                    for at, branch in enumerate(branches.all)
                    if at != branches.current
                },
            }

        def _update(self, position: int | None = None) -> None:
            """Send what is new; the view goes to the first event that was not there before."""
            with self._lock, self.hold_sync():
                state = self._state()
                kinds = [event["kind"] for event in state["payload"]["events"]]
                happened, asks = len(kinds) - kinds.count("asking"), "asking" in kinds
                if position is None and (happened > self._happened or (asks and not self._asked)):
                    position = self._happened
                self._happened, self._asked = happened, asks
                for name, value in state.items():
                    setattr(self, name, value)
                if position is not None:
                    self.position = position

        def _came_further(self) -> None:
            if self.comm is not None:  # a loop that is over with before the widget is made
                self._update()

        @validate("position")
        def _keep_inside(self, proposal: Any) -> int:
            last = len(self.payload.get("events", ())) - 1
            return max(0, min(int(proposal["value"]), last))

        # --- what the page asks for

        def _receive(self, widget: Any, content: Any, buffers: Any) -> None:
            if not isinstance(content, dict):
                return
            if "ping" in content:
                self.send({"pong": content["ping"]})
            if "command" in content:
                problem = None
                try:
                    # A page tells its position when it rests; a command comes from where it is.
                    self.position = content.get("position", self.position)
                    self._obey(content)
                except Exception as error:  # said on the page, where the command came from
                    problem = str(error)
                self.send({"answer": content.get("id"), "problem": problem})

        def _obey(self, content: Mapping[str, Any]) -> None:
            match content:
                case {"command": "next"}:
                    self._branches.steps.advance()  # a loop goes on in its own thread
                    self._update()
                case {"command": "approve"}:
                    self.approve()
                case {"command": "deny"}:
                    self.deny()
                case {"command": "stop"}:
                    self.stop()
                case {"command": "show", "branch": int(branch)}:
                    self.show(branch)
                case {"command": "fork", "step": int(step), "change": change}:
                    self.fork(step, _as_change(change))
                case _:
                    raise ValueError(
                        gettext(
                            "The page asked for {content!r:.200}, which is no command.",
                            content=content,
                        )
                    )

else:
    Stepper = StaticStepper


def _session(steps: Steps, branches: Branches) -> dict[str, Any]:
    """How a branch stands, as plain data for a page."""
    call = steps.undecided
    kind = "loop" if isinstance(steps, LoopSteps) else "agent"
    returned = None if steps.returned is None else repr(steps.returned)[:LONGEST_OUTPUT]
    state = {
        "kind": "recorded" if type(steps) is Steps else kind,
        "question": branches.question,
        "over": steps.is_over,
        "working": steps.is_working,
        "undecided": {"id": call.id, "name": call.name, "input": call.input} if call else None,
        "printed": steps.printed[-LONGEST_OUTPUT:],
        "returned": returned,
        "error": _raised(steps.error) if steps.error is not None else None,
        "kept": branches.all[branches.current].kept,
    }
    written: dict[str, Any] = plain(state)
    return written


def _raised(error: BaseException) -> dict[str, str]:
    lines = traceback.format_exception(error)
    text = f"{type(error).__name__}: {error}"[:LONGEST_OUTPUT]
    return {"text": text, "traceback": "".join(lines)[-LONGEST_OUTPUT:]}


def _as_change(written: Mapping[str, Any] | None) -> Change | None:
    """A change as a page writes it."""
    match written:
        case None:
            return None
        case {"kind": "question", "text": str(text)}:
            return NewQuestion(text)
        case {"kind": "system", "text": str(text)}:
            return NewSystem(text)
        case {"kind": "description", "tool": str(tool), "text": str(text)}:
            return NewDescription(tool, text)
        case {"kind": "input", "call": str(call), "input": dict(arguments)}:
            return NewInput(call, arguments)
        case {"kind": "result", "call": str(call), "text": str(text)}:
            return NewResult(call, text, bool(written.get("is_error")))
    raise ValueError(
        gettext(
            "The page asked for the change {change!r:.200}, which there is not.", change=written
        )
    )
