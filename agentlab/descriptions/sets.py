"""Questions with the tool that each one needs, and the sets of them that are shipped."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from agentlab.errors import ConfigurationError, DefinitionError
from agentlab.language import gettext, ngettext

SHIPPED = Path(__file__).parent / "sets"
TOOLSETS = ("weak", "named", "described", "strong")
"""From the poorest to the best: weak names and texts; only names; only texts; both."""

Input = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """Something a user may say, and the tools that should be called for it.

    A value in `inputs` stands for itself, or is `{"any": [...]}`, one of several values, or
    `{"about": "words"}`, a text that holds these words.

    Raises:
        DefinitionError: for a question without words, or inputs that fit no expected call.
    """

    text: str
    expected: str | Sequence[str] | None = None
    """The name of a tool, or several; `None` where no tool should be called."""
    inputs: Input | Sequence[Input] | None = None
    """The arguments of each expected call, in the same order; `None` where any will do."""
    language: str = "en"
    held_out: bool = False
    """Whether the question is kept for the final measurement, and not for tuning texts."""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise DefinitionError(
                "A question needs words, and this one is {found!r}. Write what a user says.",
                found=self.text,
            )
        expected, inputs = self.expected, self.inputs
        names = (expected,) if isinstance(expected, str) else tuple(expected or ())
        given = (inputs,) if isinstance(inputs, Mapping) else tuple(inputs or ())
        if given and len(given) != len(names):
            raise DefinitionError(
                "The question {question!r} expects {expected} calls and has the inputs of "
                "{found}. Give one input for each expected tool, or none at all.",
                question=self.text,
                expected=len(names),
                found=len(given),
            )
        object.__setattr__(self, "expected", names)
        object.__setattr__(self, "inputs", given)

    @property
    def calls(self) -> tuple[tuple[str, Input | None], ...]:
        """Each expected call: its tool, and its arguments where they are given."""
        names: tuple[str, ...] = tuple(self.expected or ())
        inputs: tuple[Any, ...] = tuple(self.inputs or (None,) * len(names))
        return tuple(zip(names, inputs, strict=True))

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the expected tools, each once; empty where no tool should be called."""
        return tuple(dict.fromkeys(name for name, _ in self.calls))


@dataclass(frozen=True)
class QuestionSet:
    """Questions, and one set of tools for them, worded in several ways."""

    name: str
    about: str
    toolsets: Mapping[str, tuple[dict[str, Any], ...]]
    """The definitions by wording; the same place in each holds the same tool."""
    asked: tuple[Question, ...]
    """Every question, with the names of the tools in `strong`."""

    def __repr__(self) -> str:
        return gettext(
            "QuestionSet({name!r}: {questions}, {tools})",
            name=self.name,
            questions=ngettext("{count} question", "{count} questions", len(self.asked)),
            tools=ngettext("{count} tool", "{count} tools", len(self.toolsets["strong"])),
        )

    @classmethod
    def load(cls, name: str | Path) -> "QuestionSet":
        """A shipped set by its name, or one of your own by its path.

        Args:
            name: a name that `shipped()` lists, such as `shop`, or the path of a `.json` file.

        Raises:
            ConfigurationError: if there is no such set.
            DefinitionError: if the file is not a set of questions; it says what is wrong.
        """
        path = Path(name) if str(name).endswith(".json") else SHIPPED / f"{name}.json"
        if not path.is_file():
            raise ConfigurationError(
                "There is no set of questions {name!r}. Shipped are {shipped}; or give the "
                "path of a .json file.",
                name=str(name),
                shipped=", ".join(shipped()) or gettext("none"),
            )
        try:
            return _read(json.loads(path.read_text(encoding="utf-8")))
        except json.JSONDecodeError as error:
            raise DefinitionError(
                "{name!r} is not JSON: {error}. Correct the file.", name=path.name, error=error
            ) from error
        except (KeyError, TypeError, AttributeError) as error:
            raise DefinitionError(
                "{name!r} is not a set of questions: {kind}: {error}. It needs name, "
                "about, toolsets and questions, as agentlab/descriptions/sets has them.",
                name=path.name,
                kind=type(error).__name__,
                error=error,
            ) from error

    def tools(self, toolset: str = "strong") -> list[dict[str, Any]]:
        """The definitions of one wording.

        Args:
            toolset: `weak`, `named`, `described` or `strong`.

        Raises:
            ConfigurationError: if the set has no such wording.
        """
        if toolset not in self.toolsets:
            raise ConfigurationError(
                "The set {name!r} has no toolset {toolset!r}. It has {toolsets}.",
                name=self.name,
                toolset=toolset,
                toolsets=", ".join(self.toolsets),
            )
        return [dict(each) for each in self.toolsets[toolset]]

    def questions(
        self,
        held_out: bool | None = False,
        language: str | None = "en",
        toolset: str = "strong",
    ) -> list[Question]:
        """The questions, expecting the tools by the names that they have in `toolset`.

        Arguments are expected only where the tool has the parameters they are given by: a poorly
        worded tool often calls them something else, and cannot be held to them.

        Args:
            held_out: those kept for the final measurement, or those that texts may be tuned on;
                `None` for both.
            language: a code such as `en`; `None` for all languages.
            toolset: the wording that is to be measured.
        """
        renamed = {
            strong["name"]: tool
            for strong, tool in zip(self.tools("strong"), self.tools(toolset), strict=True)
        }
        return [
            _translated(question, renamed)
            for question in self.asked
            if held_out in (None, question.held_out) and language in (None, question.language)
        ]


def shipped() -> list[str]:
    """The names of the sets that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def similar_names(name: str, names: Sequence[str]) -> str:
    """The names most like this one, or the first few, for an error's advice."""
    near = get_close_matches(name, names, n=3, cutoff=0.5) or list(names[:8])
    return ", ".join(near) + (", …" if len(near) == 8 < len(names) else "")


def _read(stored: Mapping[str, Any]) -> QuestionSet:
    toolsets = {name: tuple(stored["toolsets"][name]) for name in TOOLSETS}
    sizes = {name: len(tools) for name, tools in toolsets.items()}
    if len(set(sizes.values())) > 1:
        raise DefinitionError(
            "The toolsets of {name!r} are of different length: {sizes}. The same place "
            "must hold the same tool in each of them.",
            name=stored["name"],
            sizes=sizes,
        )
    names = [tool["name"] for tool in toolsets["strong"]]
    questions = tuple(_questions(stored["questions"], names))
    return QuestionSet(stored["name"], stored["about"], toolsets, questions)


def _questions(stored: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[Question]:
    for each in stored:
        expected = [call["tool"] for call in each["calls"]]
        for unknown in [name for name in expected if name not in names]:
            raise DefinitionError(
                "The question {question!r} expects {unknown!r}, which is not in the strong "
                "toolset. Did you mean {similar}?",
                question=each["text"],
                unknown=unknown,
                similar=similar_names(unknown, names),
            )
        inputs = [call.get("input") for call in each["calls"]]
        known = [given for given in inputs if given is not None]
        yield Question(
            each["text"],
            expected,
            known if len(known) == len(expected) else None,
            each.get("language", "en"),
            each.get("held_out", False),
        )


def _translated(question: Question, renamed: Mapping[str, Mapping[str, Any]]) -> Question:
    """The question as it is to be answered with other wordings of the same tools."""
    tools = [renamed[name] for name, _ in question.calls]
    inputs = [given for _, given in question.calls if given is not None]
    comparable = inputs and all(
        given.keys() <= tool["input_schema"].get("properties", {}).keys()
        for tool, given in zip(tools, inputs, strict=True)
    )
    return Question(
        question.text,
        [tool["name"] for tool in tools],
        inputs if comparable else None,
        question.language,
        question.held_out,
    )
