"""Pictures of figures: every number is written out, and none is told by colour alone."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, filterwarnings

from agentlab.errors import ConfigurationError
from agentlab.language import gettext
from agentlab.views.table import on_one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_LABEL = 28
DARK = 0.6
"""From this share of the highest count on, a field's number is white."""


@dataclass(frozen=True)
class Chart:
    """A picture, and the same in words for whoever does not see it."""

    figure: "Figure" = field(repr=False)
    """The picture; change it or save it as you would any figure of matplotlib."""
    caption: str
    """All that the picture shows, in words."""

    def __repr__(self) -> str:
        return self.caption

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The picture with its caption as alternative text, for a notebook."""
        content = BytesIO()
        with _missing_letters_are_no_warning():
            self.figure.savefig(content, format="png", metadata={"Software": None})
        data = {"image/png": content.getvalue(), "text/plain": self.caption}
        return data, {"image/png": {"alt": self.caption}}


@dataclass(frozen=True)
class Rung:
    """A bar of a ladder."""

    name: str
    share: float
    interval: tuple[float, float]
    told: str
    """The numbers behind it, such as `12 of 40`."""


def confusion_chart(
    labels: Sequence[str], pairs: Mapping[tuple[str, str], int], title: str, caption: str
) -> Chart:
    """Expected against called labels, the count of each pair in its field.

    Args:
        labels: what stands on both sides of the square, in this order.
        pairs: how often each expected label met each called one.
        title: what stands above.
        caption: the same in words.

    Raises:
        ConfigurationError: if matplotlib is not installed.
    """
    size = max(4.0, 0.45 * len(labels) + 2.5)
    figure = _new_figure(size + 1, size)
    axes = figure.add_subplot()
    counts = [[pairs.get((row, column), 0) for column in labels] for row in labels]
    most = max(1, *map(max, counts))
    axes.imshow(counts, cmap="Blues", vmin=0, vmax=most)
    for row, found in enumerate(counts):
        for column, times in enumerate(found):
            if times:
                axes.text(
                    column,
                    row,
                    str(times),
                    ha="center",
                    va="center",
                    color="white" if times > DARK * most else "black",
                    weight="bold" if row == column else "normal",
                )
    shown = [on_one_line(label, LONGEST_LABEL) for label in labels]
    axes.set_xticks(range(len(labels)), shown, rotation=60, ha="right", parse_math=False)
    axes.set_yticks(range(len(labels)), shown, parse_math=False)
    axes.set_xlabel(gettext("called"))
    axes.set_ylabel(gettext("expected"))
    axes.set_title(title)
    return _finished(figure, caption)


def ladder_chart(rungs: Sequence[Rung], caption: str) -> Chart:
    """Shares as bars below each other, each with its interval and its numbers.

    Args:
        rungs: the bars, from the first to the last.
        caption: the same in words.

    Raises:
        ConfigurationError: if matplotlib is not installed.
    """
    figure = _new_figure(7.0, 1.2 + 0.6 * len(rungs))
    axes = figure.add_subplot()
    for place, rung in enumerate(rungs):
        low, high = rung.interval
        margins = [[max(0.0, rung.share - low)], [max(0.0, high - rung.share)]]
        axes.barh(place, rung.share, color="#4878a8", height=0.6)
        axes.errorbar(rung.share, place, xerr=margins, color="black", capsize=5)
        axes.text(1.02, place, rung.told, va="center", ha="left")
    names = [on_one_line(rung.name, LONGEST_LABEL) for rung in rungs]
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    axes.set_xlabel(gettext("right choices; the line is the 95% interval"))
    return _finished(figure, caption)


def _new_figure(width: float, height: float) -> "Figure":
    """An empty figure that no window and no notebook knows of, as long as it is not shown."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            "Charts need matplotlib, which is not installed. Run pip install 'agentlab[lab]', or "
            "read the same figures from the measurement itself."
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def _finished(figure: "Figure", caption: str) -> Chart:
    """The chart, laid out once: every further time, the layout would move by a hair."""
    with _missing_letters_are_no_warning():
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return Chart(figure, caption)


@contextmanager
def _missing_letters_are_no_warning() -> Iterator[None]:
    """A letter that the font lacks becomes a box; the caption holds it."""
    with catch_warnings():
        filterwarnings("ignore", message="Glyph .* missing from")
        yield
