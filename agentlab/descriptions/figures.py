"""The figures of the shipped sets: what the practice model's card says, and how to renew it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentlab import practice
from agentlab.descriptions.measure import measure
from agentlab.descriptions.measurement import Measurement, in_percent
from agentlab.descriptions.sets import TOOLSETS, QuestionSet, shipped
from agentlab.errors import ConfigurationError
from agentlab.language import gettext

if TYPE_CHECKING:
    from anthropic import Anthropic

CARD = Path(practice.__file__).parent / "MODEL_CARD.md"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"
HEADS = (
    gettext("set"),
    gettext("tools"),
    gettext("asked"),
    gettext("right"),
    gettext("wrong"),
    gettext("none"),
    gettext("accuracy (95%)"),
    gettext("arguments"),
)


@dataclass(frozen=True)
class Figure:
    """What one toolset of one set came to."""

    set: str
    toolset: str
    held_out: bool
    questions: int
    right: int
    wrong: int
    none: int
    accuracy: float
    low: float
    """Where the 95% interval of the accuracy begins."""
    high: float
    """Where it ends."""
    arguments_right: int
    arguments_compared: int

    @property
    def cells(self) -> list[str]:
        """The figures as the cells of a table, under `HEADS`."""
        counts = [self.questions, self.right, self.wrong, self.none]
        accuracy = f"{self.accuracy:.0%} ({in_percent((self.low, self.high))})"
        arguments = gettext(
            "{right} of {total}", right=self.arguments_right, total=self.arguments_compared
        )
        return [self.set, self.toolset, *map(str, counts), accuracy, arguments]

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, for JSON."""
        return asdict(self)


def measure_sets(
    names: Sequence[str],
    held_out: bool = False,
    client: "Anthropic | None" = None,
    progress: bool | None = None,
) -> Iterator[Figure]:
    """The figures of every toolset of some sets, with their English questions.

    Args:
        names: shipped sets, or paths.
        held_out: whether to ask the questions that were kept back when texts were tuned.
        client: who answers; the practice model, or live by the usual switch, where it is `None`.
        progress: as for `measure`.

    Raises:
        ConfigurationError: if there is no such set.
    """
    for questions in [QuestionSet.load(name) for name in names]:
        for toolset in TOOLSETS:
            asked = questions.questions(held_out=held_out, toolset=toolset)
            measured = measure(questions.tools(toolset), asked, client, progress=progress)
            yield _figure(questions.name, toolset, held_out, measured)


def as_markdown(figures: Sequence[Figure]) -> str:
    """The figures as a table of Markdown."""
    rows = [list(HEADS), ["---"] * len(HEADS), *(figure.cells for figure in figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def figures_in(card: str) -> str:
    """The table that a card holds between its two marks.

    Raises:
        ConfigurationError: if the marks are not there, once each and in this order.
    """
    return _parts(card)[1]


def with_figures(card: str, figures: Sequence[Figure]) -> str:
    """The card with these figures between its two marks, and nothing else changed."""
    before, _, after = _parts(card)
    return f"{before}{BEGIN}\n\n{as_markdown(figures)}\n\n{END}{after}"


def renew_card(client: "Anthropic", path: Path = CARD) -> list[Figure]:
    """Measure all shipped sets with the questions held out, and write the figures into a card.

    The table is in the reader's language and the card in English, so renew it in English.

    Args:
        client: who answers.
        path: the card; the practice model's where it is left out.

    Raises:
        ConfigurationError: if there is no card, or no place in it for figures.
    """
    if not path.is_file():
        raise ConfigurationError(
            "There is no card {name!r}. Write one with {begin} in it.", name=path.name, begin=BEGIN
        )
    card = path.read_text(encoding="utf-8")
    _parts(card)  # before the work, not after it
    figures = list(measure_sets(shipped(), held_out=True, client=client))
    path.write_text(with_figures(card, figures), encoding="utf-8")
    return figures


def _parts(card: str) -> tuple[str, str, str]:
    before, begin, rest = card.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigurationError(
            "The card has no place for the figures. Write {begin} and {end} where they belong.",
            begin=BEGIN,
            end=END,
        )
    return before, table.strip(), after


def _figure(name: str, toolset: str, held_out: bool, measured: Measurement) -> Figure:
    low, high = measured.interval
    return Figure(
        name,
        toolset,
        held_out,
        len(measured.selections),
        len(measured.right),
        len(measured.wrong),
        len(measured.missed),
        round(measured.accuracy, 4),
        round(low, 4),
        round(high, 4),
        *measured.arguments,
    )
