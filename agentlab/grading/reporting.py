"""What an instructor gets: a gradebook for people and for platforms, and a page for each learner.

gradebook.csv  gradebook.json   a row for each hand-in
cases.csv                       a row for each case of each hand-in
canvas.csv  moodle.csv          points, as these platforms take them
gradescope/…/results.json       one for each hand-in
feedback/….html                 one page for each hand-in, with the run that failed
index.html                      all of it, and the commonest mistakes
retry.txt                       what could not be marked, which is no zero
"""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from agentlab.events import Run
from agentlab.exercises.case import Verdict
from agentlab.exercises.suites import load
from agentlab.grading.book import Batch, Marked
from agentlab.language import gettext, language
from agentlab.views.html import run_as_html
from agentlab.views.table import Column, Table

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With what a cell begins that a spreadsheet would carry out."""
POSSIBLE = "    Points Possible"
"""How Canvas marks the row of the most points; the spaces belong to it."""
COMMONEST = 10
NUMBERED = re.compile(r"\d+|'[^']*'|\"[^\"]*\"")

PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem }}
body {{ margin: 2rem auto; padding: 0 1rem }}
table {{ border-collapse: collapse }} th, td {{ padding: .2rem .8rem .2rem 0 }}
caption {{ font-weight: 600; padding: .6rem 0 }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def write_report(batch: Batch, out: Path) -> None:
    """Write every file of the report; what stands there from before is replaced."""
    rows = [_row(each) for each in batch.marked]
    heads = ["learner", "exercise", "points", "most", "state", "file", "remarks", "wall"]
    _write(out / "gradebook.csv", _csv([heads, *rows]))
    _write(out / "cases.csv", _csv([CASE_HEADS, *_case_rows(batch.marked)]))
    _write(out / "gradebook.json", _json([dict(zip(heads, row, strict=True)) for row in rows]))
    for name, table in (("canvas", _canvas(batch.marked)), ("moodle", _moodle(batch.marked))):
        _write(out / f"{name}.csv", _csv(table))
    for each in batch.marked:
        name = file_name(each)
        _write(out / "gradescope" / name / "results.json", _json(_gradescope(each)))
        _write(out / "feedback" / f"{name}.html", feedback_page(each))
    _write(out / "retry.txt", "".join(f"{each.hand_in.place}\n" for each in batch.broken))
    _write(out / "index.html", _index(batch))


def file_name(marked: Marked) -> str:
    """A name for a hand-in's files: readable, and no way out of the folder."""
    hand_in = marked.hand_in
    known = f"{hand_in.learner}\0{hand_in.exercise}\0{hand_in.place}"
    short = re.sub(r"[^\w-]+", "-", hand_in.learner).strip("-")[:40] or "learner"
    return (
        f"{short}-{hand_in.exercise or 'unknown'}-{hashlib.sha256(known.encode()).hexdigest()[:8]}"
    )


def commonest_mistakes(marked: Iterable[Marked]) -> list[tuple[str, str, int]]:
    """Exercise, what broke and how many learners met it, the commonest first.

    Numbers and quoted words differ from run to run, so messages are counted without them.
    """
    counted: Counter[tuple[str, str]] = Counter()
    for each in marked:
        broken = {_without_details(case) for case in each.result.cases if not case.passed}
        counted.update((each.result.exercise, message) for message in broken)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [(number, message, count) for (number, message), count in ordered[:COMMONEST]]


def _without_details(case: Verdict) -> str:
    if case.state == "no_answer":
        return gettext("there is no answer that could be called")
    return NUMBERED.sub("…", case.message)


def _row(marked: Marked) -> list[Any]:
    hand_in, result = marked.hand_in, marked.result
    gradable = result.state != "infra_error"
    return [
        hand_in.learner,
        hand_in.exercise or "",
        result.points if gradable else "",  # not zero: nobody knows yet
        result.most if gradable else "",
        result.state,
        hand_in.place,
        " ".join([*result.warnings, hand_in.remark]).strip(),
        result.tier,
    ]


CASE_HEADS = ["learner", "exercise", "case", "criterion", "points", "most", "state", "message"]


def _case_rows(marked: Iterable[Marked]) -> list[list[Any]]:
    return [
        [
            each.hand_in.learner,
            each.hand_in.exercise,
            case.case,
            case.criterion,
            case.points,
            case.most,
            case.state,
            case.message,
        ]
        for each in marked
        for case in each.result.cases
    ]


def _by_learner(marked: Iterable[Marked]) -> dict[str, dict[str, float]]:
    points: dict[str, dict[str, float]] = {}
    for each in marked:
        own = points.setdefault(each.hand_in.learner, {})
        if each.hand_in.exercise and each.result.state != "infra_error":
            own[each.hand_in.exercise] = each.result.points
    return points


def _titles(marked: Iterable[Marked]) -> dict[str, str]:
    numbers = sorted({each.hand_in.exercise for each in marked if each.hand_in.exercise})
    return {number: f"{number} {load(number).title}" for number in numbers}


def _canvas(marked: Sequence[Marked]) -> list[list[Any]]:
    """Canvas's gradebook import: its five columns of names, one per assignment, and the most."""
    titles = _titles(marked)
    heads = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles.values()]
    possible = [POSSIBLE, "", "", "", "", *(load(number).points for number in titles)]
    rows = [
        [learner, "", "", learner, "", *(points.get(number, "") for number in titles)]
        for learner, points in _by_learner(marked).items()
    ]
    return [heads, possible, *rows]


def _moodle(marked: Sequence[Marked]) -> list[list[Any]]:
    """Moodle's grade import: a column to find the learner by, and one for each item."""
    titles = _titles(marked)
    rows = [
        [learner, *(points.get(number, "") for number in titles)]
        for learner, points in _by_learner(marked).items()
    ]
    return [["Username", *titles.values()], *rows]


def _gradescope(marked: Marked) -> dict[str, Any]:
    """Gradescope's results.json; what was no fault of the learner's has no score."""
    result = marked.result
    tests = [
        {
            "name": case.criterion,
            "score": case.points,
            "max_score": case.most,
            "status": "passed" if case.passed else "failed",
            "output": case.message,
            "visibility": "visible",
        }
        for case in result.cases
    ]
    told: dict[str, Any] = {"tests": tests, "output": "\n".join(result.warnings)}
    if result.state == "infra_error":
        output = gettext("This hand-in could not be marked yet. It is no fault of yours.")
        return told | {"output": output}
    return told | {"score": result.points, "extra_data": {"state": result.state}}


# --- pages


def feedback_page(marked: Marked) -> str:
    """One page for a learner: what was asked, what happened, and the run in which it did."""
    hand_in, result = marked.hand_in, marked.result
    title = gettext("{learner}: exercise unknown", learner=hand_in.learner)
    if hand_in.exercise:
        title = gettext(
            "{learner}: exercise {number}", learner=hand_in.learner, number=hand_in.exercise
        )
    columns = [
        Column("", "name"),
        Column(gettext("what is asked")),
        Column(gettext("what happened")),
        Column(gettext("points"), "number"),
    ]
    rows = [
        [
            gettext("passed") if case.passed else gettext("not yet"),
            case.criterion,
            case.message,
            f"{case.points:g} / {case.most:g}",
        ]
        for case in result.cases
    ]
    caption = gettext("{points:g} of {most:g} points", points=result.points, most=result.most)
    parts = [Table(caption, columns, rows).as_html()]
    if result.state == "infra_error":
        sorry = gettext("This could not be marked yet, which is no fault of yours.")
        parts = [f"<p>{escape(sorry)}</p>"]
    parts += [f"<p>{escape(warning)}</p>" for warning in result.warnings]
    if result.failure:
        head = gettext("What went over the wire where it first failed")
        parts.append(f"<h2>{escape(head)}</h2>")
        parts.append(run_as_html(Run.load(io.StringIO(result.failure))))
    return _page(title, "\n".join(parts))


def _page(title: str, body: str) -> str:
    return PAGE.format(language=escape(language()), title=escape(title), body=body)


def _index(batch: Batch) -> str:
    columns = [
        Column(gettext("learner"), "name"),
        Column(gettext("exercise"), "name"),
        Column(gettext("points"), "number"),
        Column(gettext("state"), "name"),
    ]
    rows = [
        [each.hand_in.learner, each.hand_in.exercise or "?", _points(each), each.result.state]
        for each in batch.marked
    ]
    mistakes = Table(
        gettext("The commonest mistakes"),
        [
            Column(gettext("exercise"), "name"),
            Column(gettext("what broke")),
            Column(gettext("learners"), "number"),
            Column("", "bar"),
        ],
        [
            [number, message, str(count), "█" * round(20 * count / max(len(batch.marked), 1))]
            for number, message, count in commonest_mistakes(batch.marked)
        ],
    )
    wall = gettext("Behind this wall: {wall}.", wall=batch.tier)
    book = Table(gettext("Gradebook"), columns, rows)
    body = f"<p>{escape(wall)}</p>{mistakes.as_html()}{book.as_html()}"
    return _page(gettext("Report"), body)


def _points(marked: Marked) -> str:
    result = marked.result
    return "" if result.state == "infra_error" else f"{result.points:g} / {result.most:g}"


# --- files


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([[_tame(cell) for cell in row] for row in rows])
    return file.getvalue()


def _tame(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(cell, str):
        return f"{cell:g}" if isinstance(cell, float) else cell
    if cell == POSSIBLE:
        return cell
    text = " ".join(cell.split())
    return f"'{text}" if text.startswith(FORMULA) else text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
