"""The Stepper: a run, one event at a time, in a notebook cell or on a page of its own."""

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
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
from agentlab.recorder import Recorder
from agentlab.stepping import AgentSteps, LoopSteps, Steps, functions_near
from agentlab.tools import Context, Tool
from agentlab.views.html import run_as_html
from agentlab.views.parts import headline
from agentlab.views.payload import payload_of, plain
from agentlab.views.words import sentence

if TYPE_CHECKING:
    from anthropic import Anthropic

HERE = Path(__file__).parent
SCRIPT = (HERE / "stepper.js").read_text(encoding="utf-8")
STYLE = (HERE / "stepper.css").read_text(encoding="utf-8")
EXPORT = "export default { render };"
"""How the script ends, so that a notebook's front end finds `render`."""
WIDGET = "application/vnd.jupyter.widget-view+json"
NO_BUTTONS = (
    "This is the whole run; to step through it with buttons, install the notebook's widgets: "
    "pip install 'agentlab[lab]'"
)
LONGEST_OUTPUT = 4_000
"""Characters of what a loop printed, returned or raised that are shown; the last ones."""

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body class="agentlab-page">
<main id="stepper"></main>
<noscript>{static}</noscript>
<script type="application/json" id="run">{payload}</script>
<script type="module">
{script}
// In place of the notebook: the run stands in this page, and the position lives in it.
const values = {{ payload: JSON.parse(document.getElementById("run").textContent), position: 0 }};
const listeners = [];
const page = {{
  get: (name) => values[name],
  set: (name, value) => {{ values[name] = value; listeners.forEach((listener) => listener()); }},
  on: (name, listener) => {{ if (name === "change:position") listeners.push(listener); }},
  off: () => {{}},
  save_changes: () => {{}},
}};
render({{ model: page, el: document.getElementById("stepper") }});
</script>
</body>
</html>
"""

Source = Run | Recorder | str | Path | Agent | Callable[..., Any]
"""What can be stepped through."""


def write_page(run: Run | Recorder | str | Path, path: str | Path) -> None:
    """Write a run as one page that steps offline, in any browser, without a notebook.

    Args:
        run: a run, a recorder or the path of a saved run.
        path: where the page is written.
    """
    run = as_run(run)
    # Inside a script element only `<` could end it; as an escape it is the same JSON.
    payload = json.dumps(payload_of(run), ensure_ascii=False).replace("<", "\\u003c")
    page = PAGE.format(
        title=escape(f"{run!r}"),
        style=STYLE,
        static=run_as_html(run),
        payload=payload,
        script=SCRIPT.replace(EXPORT, ""),
    )
    Path(path).write_text(page, encoding="utf-8")


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
        "Stepper takes a Run, a recorder, the path of a saved run, an agent or a loop with its "
        f"question, not {type(source).__name__}."
    )


@dataclass
class Branch:
    """One way that a run went: the run as it was, or what came of a change."""

    steps: Steps
    parent: int | None = None
    """Index of the branch that it left; `None` for the run itself."""
    step: int = 1
    """The step in which it left."""
    change: str = "the run as it was"
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
            raise IndexError(f"There is no branch {at!r}; there are 0 to {len(self.all) - 1}.")
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
            return "asked again"
        case NewQuestion():
            return "another question"
        case NewSystem():
            return "another system prompt"
        case NewDescription(tool=name):
            return f"another description of {name}"
        case NewInput(call_id=call_id):
            return f"another input of {names.get(call_id, call_id)}"
        case NewResult(call_id=call_id):
            return f"another result of {names.get(call_id, call_id)}"


def _question_for(source: Any, question: str | None) -> str:
    if not isinstance(question, str) or not question.strip():
        name = getattr(source, "name", None) or getattr(source, "__name__", "it")
        raise TypeError(
            f"Stepping through {name} needs a question, and {question!r} is none: "
            f"Stepper({name}, 'Where is my order SP-1024?')"
        )
    return question


class StaticStepper:
    """A run as text and as HTML without script: what a Stepper is where there are no widgets.

    An agent or a loop is run to its end.
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
        steps = Branches(source, question, client, **options).steps
        while not steps.is_over:
            steps.advance()
            steps.wait()
        if steps.error is not None:
            raise steps.error
        self.run = steps.run
        self.position = _inside(self.run, position)

    def __repr__(self) -> str:
        return sentence(self.run, self.position)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        page = f"{run_as_html(self.run)}<p>{escape(NO_BUTTONS)}</p>"
        return {"text/plain": f"{self!r}\n{NO_BUTTONS}", "text/html": page}

    def save(self, path: str | Path) -> None:
        """Write the run: a page that steps where the name ends in `.html`, else JSON Lines."""
        save_run(self.run, path)

    write_page = staticmethod(write_page)


def save_run(run: Run, path: str | Path) -> None:
    """Write a run: a page that steps where the name ends in `.html`, else JSON Lines."""
    if Path(path).suffix.lower() in (".html", ".htm"):
        write_page(run, path)
    else:
        run.save(path)


def _inside(run: Run, position: int) -> int:
    return max(0, min(position, len(run.events) - 1))


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

    class Stepper(AnyWidget):
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
            self._lock = threading.RLock()
            self._branches = Branches(
                source,
                question,
                client,
                tools=tools,
                context=context,
                max_steps=max_steps,
                on_change=self._came_further,
            )
            self._happened, self._asked = 0, False
            super().__init__(**self._state(), position=position)
            self._happened = len(self.payload["events"])
            self.on_msg(self._receive)
            close_earlier_ones(self)

        def __repr__(self) -> str:
            run = self.run
            if not run.events and not self._branches.steps.is_over:
                return "Stepper: no event yet, the run waits for Next"
            return sentence(run, _inside(run, self.position))

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            # The widget has the JSON; without it the same page is a tenth as long.
            html = run_as_html(self.run, raw=False)
            fallback = {"text/plain": repr(self), "text/html": html}
            if os.environ.get("AGENTLAB_WIDGETS") == "0":
                return fallback
            bundle: Any = super()._repr_mimebundle_(**kwargs)
            data, metadata = bundle
            return {WIDGET: data[WIDGET], **fallback}, metadata

        # --- what is there to be read

        @property
        def run(self) -> Run:
            """The branch in view; its transcript holds whole steps only, so it can be sent."""
            return self._branches.steps.run

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
                self._update(position=_inside(self.run, self.position))

        def close(self) -> None:
            """Take the Stepper away, and end what is still going on in it."""
            if hasattr(self, "_branches"):
                self._branches.close()
            super().close()

        def _decide(self, *, is_approved: bool) -> None:
            steps = self._branches.steps
            call = steps.undecided
            if call is None:
                raise RuntimeError("No destructive call is waiting for a decision here.")
            if is_approved:
                steps.approve(call.id)
            self.next()

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
                    raise ValueError(f"The page asked for {content!r:.200}, which is no command.")

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
    raise ValueError(f"The page asked for the change {written!r:.200}, which there is not.")
