"""What a measurement found: the tools called for each question, and how often the right ones."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

from agentlab.descriptions.charts import Chart, confusion_chart
from agentlab.descriptions.matching import Verdict
from agentlab.descriptions.sets import Question
from agentlab.descriptions.significance import mcnemar, wilson_interval
from agentlab.language import gettext, ngettext
from agentlab.views.html import STYLE
from agentlab.views.table import LINE_WIDTH, Column, Table, on_one_line, safe

MOST_ROWS = 20
LONGEST_QUESTION = 60
LONGEST_NAME = 32
MOST_LABELS = 25
"""Labels in a picture; where there are more, those that were confused most."""
NO_TOOL = gettext("no tool")


def spoken(names: Sequence[str]) -> str:
    """Tools as one label: their names each once, in alphabetical order."""
    return " + ".join(sorted(set(names))) or NO_TOOL


@dataclass(frozen=True)
class Selection:
    """The tools that were called for a question, held against those that it needs."""

    question: Question
    called: tuple[str, ...]
    """The names of the called tools; one that was called twice stands here twice."""
    verdict: Verdict
    arguments_right: bool | None = None
    """`None` where the tool is not right, or the question expects no certain arguments."""

    @property
    def expected(self) -> tuple[str, ...]:
        """The names of the tools that the question needs."""
        return self.question.tools


@dataclass(frozen=True)
class Measurement:
    """How often a model called the right tools of a toolset."""

    selections: tuple[Selection, ...]
    """In the order of the questions; of several samples, those of a question stand together."""
    tools: tuple[str, ...]
    model: str
    tokens: Mapping[str, int]
    """`input_tokens` and `output_tokens` of all requests."""
    cost: float | None
    """Dollars at list prices; `None` where the price is not known."""
    notes: tuple[str, ...] = ()
    """What to know before trusting the figures."""

    @property
    def right(self) -> list[Selection]:
        """Where all the expected tools were called, and no other."""
        return self._with("right")

    @property
    def wrong(self) -> list[Selection]:
        """Where something else was called than expected."""
        return self._with("wrong")

    @property
    def missed(self) -> list[Selection]:
        """Where a tool was expected and none was called."""
        return self._with("none")

    @property
    def accuracy(self) -> float:
        """The share of right selections, from 0 to 1."""
        return len(self.right) / len(self.selections)

    @property
    def interval(self) -> tuple[float, float]:
        """The share's 95% interval, by Wilson.

        Its width follows from the number of questions. More samples of the same questions do not
        make it narrower: they tell nothing of other questions.
        """
        questions = len(self.by_question)
        return wilson_interval(self.accuracy * questions, questions)

    @property
    def arguments(self) -> tuple[int, int]:
        """Of the right selections with known arguments: how many had them right, and how many."""
        compared = [each.arguments_right for each in self.right if each.arguments_right is not None]
        return sum(compared), len(compared)

    @property
    def by_question(self) -> dict[str, list[Selection]]:
        """The selections of each question, by its text."""
        found: dict[str, list[Selection]] = defaultdict(list)
        for each in self.selections:
            found[each.question.text].append(each)
        return dict(found)

    @property
    def pairs(self) -> Counter[tuple[str, str]]:
        """How often each expected label met each called one."""
        return Counter((spoken(each.expected), spoken(each.called)) for each in self.selections)

    @property
    def confusions(self) -> Table:
        """Expected against called, for every tool that took part; what is right is marked."""
        pairs = self.pairs
        columns = sorted({label for pair in pairs for label in pair}, key=_no_tool_last)
        rows = sorted({expected for expected, _ in pairs}, key=_no_tool_last)
        if len(columns) > MOST_ROWS:
            return self._confused_pairs()
        numbers = {label: str(number) for number, label in enumerate(columns, 1)}
        return Table(
            gettext("Expected (rows) against called (columns, by number); = marks what is right"),
            [
                Column(gettext("expected"), "name"),
                *(Column(numbers[each], "number") for each in columns),
            ],
            [
                [f"{numbers[row]} {on_one_line(row, LONGEST_NAME)}"]
                + [_count(pairs[row, column], row == column) for column in columns]
                for row in rows
            ]
            + [
                [
                    gettext(
                        "{number} {name}: called, never expected", number=numbers[each], name=each
                    )
                ]
                for each in columns
                if each not in rows
            ],
        )

    @property
    def summary(self) -> str:
        """The figures in a few sentences."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        questions, total = len(self.by_question), len(self.selections)
        asked = ngettext("{count} question", "{count} questions", questions)
        if total > questions:
            times = ngettext("{count} time", "{count} times", total // questions)
            asked = gettext("{questions} {times} each", questions=asked, times=times)
        yield gettext(
            "{right} of {total} right ({share:.0%}; {interval} with 95% confidence), "
            "{wrong} wrong, {missed} without a call; {questions}, {tools}.",
            right=len(self.right),
            total=total,
            share=self.accuracy,
            interval=in_percent(self.interval),
            wrong=len(self.wrong),
            missed=len(self.missed),
            questions=asked,
            tools=ngettext("{count} tool", "{count} tools", len(self.tools)),
        )
        fitting, compared = self.arguments
        if compared:
            yield gettext(
                "Arguments right in {fitting} of {compared}.", fitting=fitting, compared=compared
            )
        taken = {
            "sent": self.tokens["input_tokens"],
            "written": self.tokens["output_tokens"],
            "model": self.model,
        }
        if self.cost is None:
            yield gettext(
                "{sent:,} tokens in, {written:,} out, at a price not known ({model}).", **taken
            )
        else:
            yield gettext(
                "{sent:,} tokens in, {written:,} out, ${cost:.4f} at list prices ({model}).",
                **taken,
                cost=self.cost,
            )

    @property
    def table(self) -> Table:
        """The selections that are not right: what was expected, and what was called."""
        faults = [each for each in self.selections if each.verdict != "right"]
        rows = [
            [
                on_one_line(each.question.text, LONGEST_QUESTION),
                on_one_line(spoken(each.expected), LONGEST_NAME),
                on_one_line(spoken(each.called), LONGEST_NAME),
            ]
            for each in faults[:MOST_ROWS]
        ]
        if len(faults) > MOST_ROWS:
            rows.append([gettext("… and {count} more", count=len(faults) - MOST_ROWS)])
        columns = [
            Column(gettext("question")),
            Column(gettext("expected"), "name"),
            Column(gettext("called"), "name"),
        ]
        return Table(gettext("Not right"), columns, rows)

    def against(self, before: "Measurement") -> "Change":
        """Hold this measurement against an earlier one of the same questions.

        Args:
            before: the earlier one, as of the weaker descriptions.

        Raises:
            ValueError: if the two did not ask the same questions.
        """
        ours, theirs = self.by_question, before.by_question
        if odd := sorted(ours.keys() ^ theirs.keys()):
            raise ValueError(
                ngettext(
                    "{count} question stood in one of the two measurements only, such as "
                    "{example!r}. Measure both with the same questions.",
                    "{count} questions stood in one of the two measurements only, such as "
                    "{example!r}. Measure both with the same questions.",
                    len(odd),
                    example=odd[0],
                )
            )
        now, then = _mostly_right(ours), _mostly_right(theirs)
        return Change(
            questions=tuple(ours),
            right_before=sum(then.values()),
            right_now=sum(now.values()),
            better=tuple(text for text in ours if now[text] and not then[text]),
            worse=tuple(text for text in ours if then[text] and not now[text]),
        )

    def chart(self) -> Chart:
        """Expected against called as a picture, each count written into its field.

        Raises:
            ConfigurationError: if matplotlib is not installed.
        """
        found = sorted(self.pairs.items(), key=lambda each: (each[0][0] == each[0][1], -each[1]))
        labels = list(dict.fromkeys(label for pair, _ in found for label in pair))[:MOST_LABELS]
        confused = [
            gettext(
                "{called} for {expected}: {times}", called=called, expected=expected, times=times
            )
            for (expected, called), times in found
            if expected != called
        ]
        told = [gettext("Expected against called tools."), self.summary]
        if confused:
            told.append(gettext("Called: {confused}.", confused="; ".join(confused)))
        title = gettext(
            "{right} of {total} right (diagonal)",
            right=len(self.right),
            total=len(self.selections),
        )
        return confusion_chart(sorted(labels, key=_no_tool_last), self.pairs, title, " ".join(told))

    def __repr__(self) -> str:
        told = [fill(text, LINE_WIDTH) for text in (self.summary, *map(_as_note, self.notes))]
        return "\n".join([*told, *([self.table.as_text()] if self.table.rows else [])])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{safe(_as_note(note))}</p>" for note in self.notes)
        table = self.table.as_html() if self.table.rows else ""
        return f'<div style="{STYLE}"><p>{safe(self.summary)}</p>{notes}{table}</div>'

    def _with(self, verdict: Verdict) -> list[Selection]:
        return [each for each in self.selections if each.verdict == verdict]

    def _confused_pairs(self) -> Table:
        """What was taken for what, the most frequent first: many tools make no readable square."""
        faults = [(pair, count) for pair, count in self.pairs.most_common() if pair[0] != pair[1]]
        return Table(
            gettext("What was called instead of what was expected"),
            [
                Column(gettext("expected")),
                Column(gettext("called")),
                Column(gettext("times"), "number"),
            ],
            [[*pair, str(count)] for pair, count in faults[:MOST_ROWS]],
        )


@dataclass(frozen=True)
class Change:
    """What became of the same questions from one measurement to the next."""

    questions: tuple[str, ...]
    right_before: int
    right_now: int
    better: tuple[str, ...]
    """The questions that turned from wrong to right."""
    worse: tuple[str, ...]
    """The questions that turned from right to wrong."""

    @property
    def p_value(self) -> float:
        """The chance of so uneven a turn, or a more uneven one, by chance: McNemar's exact test."""
        return mcnemar(len(self.better), len(self.worse))

    @property
    def summary(self) -> str:
        """The change in words, and whether chance alone would explain it."""
        better, worse = len(self.better), len(self.worse)
        told = gettext(
            "Right before: {before} of {total}, now: {now}. {better}, {worse} turned wrong.",
            before=self.right_before,
            total=len(self.questions),
            now=self.right_now,
            better=ngettext(
                "{count} question turned right", "{count} questions turned right", better
            ),
            worse=worse,
        )
        return f"{told} {self._chance_told()}"

    def _chance_told(self) -> str:
        if not self.better and not self.worse:
            return gettext(
                "No question turned, so the two cannot be told apart by these questions."
            )
        chance = f"p = {self.p_value:.4f}" if self.p_value >= 0.0001 else "p < 0.0001"
        if self.p_value < 0.05:
            return gettext(
                "Chance alone would hardly do that (McNemar's exact test, {chance}).",
                chance=chance,
            )
        return gettext(
            "Chance alone may well do that (McNemar's exact test, {chance}): a difference "
            "is not shown. More questions would tell.",
            chance=chance,
        )

    @property
    def table(self) -> Table:
        """The questions that turned."""
        turned = [
            *((text, gettext("right")) for text in self.better),
            *((text, gettext("wrong")) for text in self.worse),
        ]
        rows = [[on_one_line(text, LONGEST_QUESTION), to] for text, to in turned[:MOST_ROWS]]
        if len(turned) > MOST_ROWS:
            rows.append([gettext("… and {count} more", count=len(turned) - MOST_ROWS)])
        columns = [Column(gettext("question")), Column(gettext("turned"), "name")]
        return Table(gettext("Questions that turned"), columns, rows)

    def __repr__(self) -> str:
        told = fill(self.summary, LINE_WIDTH)
        return f"{told}\n{self.table.as_text()}" if self.table.rows else told

    def _repr_html_(self) -> str:
        table = self.table.as_html() if self.table.rows else ""
        return f'<div style="{STYLE}"><p>{safe(self.summary)}</p>{table}</div>'


def in_percent(interval: tuple[float, float]) -> str:
    """An interval of shares as percentages, such as `71 to 92%`."""
    low, high = interval
    return gettext("{low:.0f} to {high:.0f}%", low=100 * low, high=100 * high)


def _mostly_right(selections: Mapping[str, Sequence[Selection]]) -> dict[str, bool]:
    """Whether each question was right in more than half of its samples."""
    return {
        text: 2 * sum(each.verdict == "right" for each in samples) > len(samples)
        for text, samples in selections.items()
    }


def _as_note(text: str) -> str:
    return gettext("Note: {text}", text=text)


def _no_tool_last(label: str) -> tuple[bool, str]:
    return label == NO_TOOL, label


def _count(times: int, is_right: bool) -> str:
    return f"={times}" if times and is_right else str(times or "·")
