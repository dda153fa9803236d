"""What the sessions measured, side by side: a table for the terminal and one in Markdown."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from sessions import CLICKS, Clicks, Session


@dataclass(frozen=True)
class Comparison:
    """The sessions of both steppers on runs of one length."""

    turns: int
    transcript_bytes: int
    """Length of the run's messages as JSON."""
    stepper: tuple[Session, ...]
    plain: tuple[Session, ...]


@dataclass(frozen=True)
class Figure:
    """A measured number; of clicks also the 90th percentile, or that they waited for the cell."""

    value: float
    percentile: float | None = None
    is_waiting: bool = False


@dataclass(frozen=True)
class Aim:
    """What the Stepper is to reach."""

    words: str
    holds: Callable[[Figure, Figure], bool]


@dataclass(frozen=True)
class Row:
    """One measure: its name with the unit, how it comes from the sessions, what is aimed at."""

    name: str
    measure: Callable[[Sequence[Session], Comparison], Figure]
    aim: Callable[[Comparison], Aim | None] = lambda _: None
    digits: int = 0


@dataclass(frozen=True)
class Line:
    """A row of the table as text."""

    name: str
    stepper: str
    plain: str
    ratio: str
    aim: str


HEADINGS = ("", "Stepper", "plain ipywidgets", "ratio", "aim")
SHOWN_WITHIN = {12: 500, 2_000: 1_500}
A_TENTH = Aim("≤ 0.1 of plain", lambda stepper, plain: stepper.value <= plain.value / 10)
TWO_OPENS = Aim("2", lambda stepper, _: stepper.value == 2)
LITTLE_MORE = Aim("≤ 1.3", lambda stepper, _: stepper.value <= 1.3)


def median_of(pick: Callable[[Session], float]) -> Callable[[Sequence[Session], object], Figure]:
    """A measure that is the median over the sessions."""
    return lambda sessions, _: Figure(statistics.median(map(pick, sessions)))


def least_of(pick: Callable[[Session], float]) -> Callable[[Sequence[Session], object], Figure]:
    """A measure that is the least of the sessions: what now and then comes in between is left out.

    A Stepper asks every few seconds whether its kernel is there, and not because of a click.
    """
    return lambda sessions, _: Figure(min(map(pick, sessions)))


def clicks_of(
    pick: Callable[[Session], Clicks], times: Callable[[Clicks], Iterable[float]]
) -> Callable[[Sequence[Session], object], Figure]:
    """A measure over the clicks of all sessions together."""

    def measure(sessions: Sequence[Session], _: object) -> Figure:
        series = [pick(session) for session in sessions]
        waits = [clicks.waited for clicks in series if clicks.waited is not None]
        if waits:
            return Figure(min(waits), is_waiting=True)
        all_times = list(chain.from_iterable(map(times, series)))
        return Figure(statistics.median(all_times), statistics.quantiles(all_times, n=10)[-1])

    return measure


def share_of_transcript(sessions: Sequence[Session], comparison: Comparison) -> Figure:
    """Bytes received per byte of the transcript's own JSON."""
    received = statistics.median(session.received_bytes for session in sessions)
    return Figure(received / comparison.transcript_bytes)


def shown_in_time(comparison: Comparison) -> Aim | None:
    """The time to be shown in, for the lengths for which there is one."""
    longest = SHOWN_WITHIN.get(comparison.turns)
    if longest is None:
        return None
    return Aim(f"≤ {longest:,}", lambda stepper, _: stepper.value <= longest)


ROWS = (
    Row("shown, ms", median_of(lambda session: session.shown), shown_in_time),
    Row("bytes to show it, kB", median_of(lambda session: session.received_bytes / 1e3), digits=1),
    Row("bytes of cell output, kB", median_of(lambda each: each.output_bytes / 1e3), digits=1),
    Row("bytes per transcript byte", share_of_transcript, lambda _: LITTLE_MORE, digits=2),
    Row("comm_open messages", median_of(lambda each: each.comm_opens), lambda _: TWO_OPENS),
    Row(
        "click to changed, ms",
        clicks_of(lambda session: session.clicks, lambda clicks: clicks.changed),
        lambda _: A_TENTH,
        digits=1,
    ),
    Row(
        "click to painted, ms",
        clicks_of(lambda session: session.clicks, lambda clicks: clicks.painted),
        lambda _: A_TENTH,
        digits=1,
    ),
    Row(
        "changed, cell running, ms",
        clicks_of(lambda session: session.clicks_while_running, lambda clicks: clicks.changed),
        lambda _: A_TENTH,
        digits=1,
    ),
    Row(
        "painted, cell running, ms",
        clicks_of(lambda session: session.clicks_while_running, lambda clicks: clicks.painted),
        lambda _: A_TENTH,
        digits=1,
    ),
    Row("messages sent per click", least_of(lambda session: session.messages_sent)),
    Row("messages received per click", least_of(lambda session: session.messages_received)),
    Row("kernel memory added, MB", median_of(lambda each: each.kernel_bytes / 1e6), digits=1),
    Row("page memory added, MB", median_of(lambda session: session.page_bytes / 1e6), digits=1),
    Row("page elements added", median_of(lambda session: session.elements)),
)


def lines_of(comparison: Comparison) -> Iterator[Line]:
    """The table of one comparison."""
    for row in ROWS:
        stepper = row.measure(comparison.stepper, comparison)
        plain = row.measure(comparison.plain, comparison)
        aim = row.aim(comparison)
        verdict = "holds" if aim and aim.holds(stepper, plain) else "missed"
        yield Line(
            row.name,
            written(stepper, row.digits),
            written(plain, row.digits),
            ratio(stepper, plain),
            f"{aim.words}: {verdict}" if aim else "",
        )


def written(figure: Figure, digits: int) -> str:
    """A figure as text; the 90th percentile stands in brackets."""
    if figure.is_waiting:
        return f"waits (> {figure.value / 1000:.0f} s)"
    value = f"{figure.value:,.{digits}f}"
    return value if figure.percentile is None else f"{value} ({figure.percentile:,.{digits}f})"


def ratio(stepper: Figure, plain: Figure) -> str:
    """The Stepper's figure over the peer's."""
    if plain.value <= 0 or stepper.is_waiting:
        return "none"
    quotient = stepper.value / plain.value
    text = f"{quotient:.2f}" if quotient >= 0.01 else f"{quotient:.4f}"
    return f"< {text}" if plain.is_waiting else text


def heading(comparison: Comparison) -> str:
    """What was compared."""
    events = 3 * comparison.turns + 1
    return (
        f"{comparison.turns:,} turns: {events:,} events, "
        f"{comparison.transcript_bytes / 1e3:,.1f} kB of transcript"
    )


def explanation(repetitions: int) -> str:
    """How the figures were taken."""
    times = "1 session" if repetitions == 1 else f"{repetitions} sessions"
    return (
        f"Medians of {times} for each stepper and length, each session in a fresh notebook and "
        f"kernel; of clicks, the median and in brackets the 90th percentile of {CLICKS} per "
        "session. The ratio is the Stepper's figure over that of plain ipywidgets. Where a click "
        "waits, nothing moves until the running cell has ended. What is painted waits for the "
        "browser's next frame in both, which is most of the Stepper's time and little of the other "
        "one's; and in a short run the Stepper's script outweighs the transcript."
    )


def print_report(comparisons: Sequence[Comparison], repetitions: int) -> None:
    """Print the tables."""
    console = Console(width=100, highlight=False)
    for comparison in comparisons:
        table = Table(*HEADINGS, title=heading(comparison), title_justify="left", box=SIMPLE)
        for column in table.columns[1:4]:
            column.justify, column.no_wrap = "right", True
        for line in lines_of(comparison):
            table.add_row(line.name, line.stepper, line.plain, line.ratio, line.aim)
        console.print(table)
    console.print(explanation(repetitions))


def report_in_markdown(
    comparisons: Sequence[Comparison], repetitions: int, surroundings: str
) -> str:
    """The report as a section of the page."""
    parts = [surroundings, explanation(repetitions)]
    for comparison in comparisons:
        rows = [HEADINGS, ("---", "---:", "---:", "---:", "---")]
        rows += [
            (line.name, line.stepper, line.plain, line.ratio, line.aim)
            for line in lines_of(comparison)
        ]
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
        parts += [f"### {heading(comparison)}", table]
    return "\n\n".join(parts)
