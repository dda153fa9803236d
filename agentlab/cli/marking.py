"""The commands of instructors: grade a class, and give an exercise out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from agentlab.cli.app import app
from agentlab.cli.speaking import faults_as_sentences, tell
from agentlab.language import gettext

if TYPE_CHECKING:
    from agentlab.grading.book import Batch


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help=gettext("A folder, a zip or a notebook."))],
    out: Annotated[Path, typer.Option(help=gettext("The folder of the report."))],
    exercise: Annotated[
        str | None, typer.Option(help=gettext("The exercise they are for, where they do not tell."))
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help=gettext("How many are marked at once."))] = 2,
    scheduler: Annotated[
        str | None, typer.Option(help=gettext("A Dask scheduler that hands the work out."))
    ] = None,
    trust_submissions: Annotated[
        bool, typer.Option("--trust-submissions", help=gettext("Go on without a wall around them."))
    ] = False,
) -> None:
    """Mark a class and write its report: 0 all marked, 1 nothing marked, 3 some to be retried."""
    from rich.progress import Progress

    with faults_as_sentences():
        from agentlab.grading.batch import grade as mark_all
        from agentlab.grading.sandbox import require_wall

        wall = require_wall(trust_submissions=trust_submissions)
        tell(gettext("wall around the hand-ins: {wall}", wall=wall))
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task(gettext("marking"), total=None)
            batch = mark_all(
                submissions,
                out,
                exercise=exercise,
                jobs=jobs,
                scheduler=scheduler,
                trust_submissions=trust_submissions,
                begun=lambda count: progress.update(task, total=count),
                told=lambda _: progress.advance(task),
            )
        print_batch(batch)
        tell(gettext("written to {folder}", folder=out))
    if batch.broken:
        raise typer.Exit(3)


def print_batch(batch: "Batch") -> None:
    """Print who got what, and which mistakes were the commonest."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from agentlab.grading.reporting import commonest_mistakes

    table = Table(title=gettext("Gradebook"), box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column(gettext("learner"))
    table.add_column(gettext("exercise"))
    table.add_column(gettext("points"), justify="right")
    table.add_column(gettext("state"))
    for each in batch.marked:
        result = each.result
        points = "" if result.state == "infra_error" else f"{result.points:g}/{result.most:g}"
        cells = (each.hand_in.learner, each.hand_in.exercise or "?", points, result.state)
        table.add_row(*(Text(cell) for cell in cells))
    Console().print(table)
    for number, message, count in commonest_mistakes(batch.marked):
        Console().print(Text(f"{count:4} x {number}: {message}"), soft_wrap=True)


@app.command()
def release(
    exercises: Annotated[
        list[str], typer.Argument(help=gettext("Numbers or folders; all of them: all."))
    ],
    out: Annotated[Path, typer.Option(help=gettext("The folder to write into."))],
    nbgrader: Annotated[
        bool, typer.Option("--nbgrader", help=gettext("Write nbgrader's source folder."))
    ] = False,
) -> None:
    """Write exercises as learners get them, after a proof that no answer is in them."""
    with faults_as_sentences():
        from agentlab.exercises.suites import folders
        from agentlab.grading.releasing import release as write

        for name in folders() if exercises == ["all"] else exercises:
            print(write(name, out, for_nbgrader=nbgrader))
