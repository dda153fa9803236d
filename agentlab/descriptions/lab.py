"""The description lab: edit a tool's name and description, and see at once what becomes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlab.descriptions.definitions import AnyTool, definitions_of
from agentlab.descriptions.measure import measure
from agentlab.descriptions.measurement import Measurement, in_percent
from agentlab.descriptions.sets import Question, QuestionSet
from agentlab.errors import DefinitionError
from agentlab.language import gettext, ngettext
from agentlab.views.page import ELEMENTS, STYLE
from agentlab.views.stepper import bundle_of

if TYPE_CHECKING:
    from anthropic import Anthropic

HERE = Path(__file__).parent
SCRIPT = f"{ELEMENTS}\n{(HERE / 'lab.js').read_text(encoding='utf-8')}"
LAB_STYLE = f"{STYLE}\n{(HERE / 'lab.css').read_text(encoding='utf-8')}"


@dataclass(frozen=True)
class Attempt:
    """What was edited, and what was measured then."""

    label: str
    measurement: Measurement


class Workbench:
    """A toolset that is edited and measured again and again; it knows nothing of pages.

    Args:
        tools: tools, functions or definitions.
        questions: the questions, each with the tools it needs, by the names the tools have now.
        held_out: questions that are asked only when somebody says so.
        client: who answers; the practice model, or live by the usual switch, where this is `None`.

    Raises:
        DefinitionError: as `measure` does.
    """

    def __init__(
        self,
        tools: Sequence[AnyTool],
        questions: Sequence[Question],
        held_out: Sequence[Question] = (),
        client: "Anthropic | None" = None,
    ) -> None:
        self.original = definitions_of(tools)
        self.tools = [dict(each) for each in self.original]
        self.questions = list(questions)
        self.held_out_questions = list(held_out)
        self.client = client
        self.held_out: Measurement | None = None
        """What the held-out questions gave, if they were asked since the last edit."""
        self.history = [Attempt(gettext("as it was"), self._measured(self.questions))]

    @property
    def measurement(self) -> Measurement:
        """What the texts are worth now."""
        return self.history[-1].measurement

    def edit(self, tool: int, name: str | None = None, description: str | None = None) -> None:
        """Give a tool another name or description, and measure.

        Args:
            tool: its place in the toolset.
            name: the new name; `None` leaves it.
            description: the new description; `None` leaves it.

        Raises:
            DefinitionError: for a name that another tool has, or that the API would refuse.
        """
        before = self.tools[tool]
        texts = {"name": name, "description": description}
        after = {**before, **{key: text for key, text in texts.items() if text is not None}}
        if after == before:
            return
        if after["name"] in {each["name"] for each in self.tools if each is not before}:
            raise DefinitionError("Another tool is named {name!r} already.", name=after["name"])
        _require_usable_name(after["name"])
        self.tools[tool] = after
        try:
            measured = self._measured(self.questions)
        except BaseException:
            self.tools[tool] = before
            raise
        self.held_out = None
        self.history.append(Attempt(after["name"], measured))
        self._show()

    def reset(self) -> None:
        """Give every tool the texts that it began with."""
        self.tools = [dict(each) for each in self.original]
        self.held_out = None
        self.history.append(Attempt(gettext("reset"), self.history[0].measurement))
        self._show()

    def ask_held_out(self) -> Measurement:
        """Ask the questions that the texts were not tuned on.

        Raises:
            DefinitionError: where there are none.
        """
        if not self.held_out_questions:
            raise DefinitionError("No held-out questions were given. Give some as held_out=[...].")
        self.held_out = self._measured(self.held_out_questions)
        self._show()
        return self.held_out

    def _show(self) -> None:
        """Show what is new; there is nothing to show it on here."""

    def _measured(self, questions: Sequence[Question]) -> Measurement:
        now = {old["name"]: new["name"] for old, new in zip(self.original, self.tools, strict=True)}
        renamed = [
            replace(each, expected=[now.get(name, name) for name, _ in each.calls])
            for each in questions
        ]
        return measure(self.tools, renamed, self.client, progress=False)

    def __repr__(self) -> str:
        measured = self.measurement
        return gettext(
            "DescriptionLab: {right} of {asked} questions right ({share:.0%}), {tools}",
            right=len(measured.right),
            asked=len(measured.selections),
            share=measured.accuracy,
            tools=ngettext("{count} tool", "{count} tools", len(self.tools)),
        )


def _require_usable_name(name: str) -> None:
    from agentlab.tools import NAME_PATTERN

    if not NAME_PATTERN.fullmatch(name):
        raise DefinitionError(
            "The API would refuse the name {name!r}: it must match ^{pattern}$.",
            name=name,
            pattern=NAME_PATTERN.pattern,
        )


def workbench_of(
    name: str, toolset: str = "weak", client: "Anthropic | None" = None
) -> dict[str, Any]:
    """What a lab of a shipped set begins with: its tools and both halves of its questions."""
    questions = QuestionSet.load(name)
    return {
        "tools": questions.tools(toolset),
        "questions": questions.questions(held_out=False, toolset=toolset),
        "held_out": questions.questions(held_out=True, toolset=toolset),
        "client": client,
    }


if TYPE_CHECKING:
    from anywidget import AnyWidget
    from traitlets import Dict
else:
    try:
        from anywidget import AnyWidget
        from traitlets import Dict
    except ModuleNotFoundError:  # a plain Python: figures without a page
        AnyWidget = None

if TYPE_CHECKING or AnyWidget is not None:

    class DescriptionLab(Workbench, AnyWidget):
        """Edit a tool's name and description on the left; see what the questions say on the right.

        Each edit is measured once the typing rests. `DescriptionLab.of("shop", "weak")` begins
        with a shipped set; its held-out questions are not asked before the button is pressed.

        Args:
            tools: tools, functions or definitions.
            questions: the questions, each with the tools it needs.
            held_out: questions that are asked only when the learner says so.
            client: who answers; the practice model, or live by the usual switch.

        Raises:
            DefinitionError: as `measure` does.
        """

        _esm = SCRIPT
        _css = LAB_STYLE
        state = Dict().tag(sync=True)
        """What the page shows, as plain data."""

        def __init__(
            self,
            tools: Sequence[AnyTool],
            questions: Sequence[Question],
            held_out: Sequence[Question] = (),
            client: "Anthropic | None" = None,
        ) -> None:
            Workbench.__init__(self, tools, questions, held_out, client)
            AnyWidget.__init__(self, state=_state(self))
            self.on_msg(self._receive)

        @classmethod
        def of(
            cls, name: str, toolset: str = "weak", client: "Anthropic | None" = None
        ) -> "DescriptionLab":
            """A lab that begins with a shipped set of questions, in one of its wordings."""
            return cls(**workbench_of(name, toolset, client))

        def _show(self) -> None:
            self.state = _state(self)

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            html = f"<p>{escape(repr(self))}</p>"
            fallback = {"text/plain": repr(self), "text/html": html}
            return bundle_of(fallback, super()._repr_mimebundle_)

        def _receive(self, widget: Any, content: Any, buffers: Any) -> None:
            if not isinstance(content, dict) or "command" not in content:
                return
            problem = None
            try:
                self._obey(content)
            except Exception as error:  # said on the page, where the command came from
                problem = str(error)
            self.send({"answer": content["command"], "problem": problem})

        def _obey(self, content: Mapping[str, Any]) -> None:
            match content:
                case {"command": "edit", "tool": int(tool), "name": name, "description": text}:
                    self.edit(tool, name, text)
                case {"command": "reset"}:
                    self.reset()
                case {"command": "held_out"}:
                    self.ask_held_out()
                case _:
                    raise ValueError(
                        gettext(
                            "The page asked for {content!r:.200}, which is no command.",
                            content=content,
                        )
                    )

else:
    DescriptionLab = Workbench


def _state(bench: Workbench) -> dict[str, Any]:
    """What a page shows of a workbench."""
    first, now = bench.history[0].measurement, bench.measurement
    change = now.against(first)
    return {
        "tools": [{name: each[name] for name in ("name", "description")} for each in bench.tools],
        "right": len(now.right),
        "asked": len(now.selections),
        "accuracy": now.accuracy,
        "interval": in_percent(now.interval),
        "began": first.accuracy,
        "change": change.summary,
        "better": list(change.better),
        "worse": list(change.worse),
        "history": [
            {"label": each.label, "right": len(each.measurement.right)} for each in bench.history
        ],
        "heldOut": bench.held_out.summary if bench.held_out else None,
    }
