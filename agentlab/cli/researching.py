"""The command that researches a question."""

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from agentlab.cli.app import app
from agentlab.cli.speaking import complain, faults_as_sentences, tell
from agentlab.errors import AgentlabError, ConfigurationError
from agentlab.language import gettext

if TYPE_CHECKING:
    from agentlab.research import Orchestrator, Research


@app.command()
def research(
    question: Annotated[str, typer.Argument(help=gettext("What to find out."))],
    out: Annotated[
        Path | None, typer.Option(help=gettext("Write the report to this file."))
    ] = None,
    save: Annotated[Path | None, typer.Option(help=gettext("Save the run, for a Stepper."))] = None,
    force: Annotated[
        bool, typer.Option("--force", help=gettext("Replace files that exist."))
    ] = False,
    max_steps: Annotated[
        int, typer.Option(min=1, help=gettext("Replies after which to stop."))
    ] = 12,
    live_web: Annotated[
        bool,
        typer.Option("--live-web", help=gettext("Search the real web; needs the extra `web`.")),
    ] = False,
) -> None:
    """Research a question and print a report with its sources: 0 a report, 1 none, 2 misused."""
    from agentlab.research import Orchestrator, PracticeWeb, research_client
    from agentlab.research import live_web as real_web

    try:
        require_question(question)
        for path in (out, save):
            require_writable(path, force=force)
    except ConfigurationError as error:
        complain(error)
        raise typer.Exit(2) from error
    with faults_as_sentences(), redirect_stdout(sys.stderr):  # only the report goes to stdout
        with nullcontext(real_web()) if live_web else PracticeWeb() as web:
            found = look_into(question, Orchestrator(web, research_client(), max_steps=max_steps))
        if save:
            found.run.save(save)
        if out and found.report:
            out.write_text(found.markdown, encoding="utf-8")
        tell(found.ending)
    if sys.stdout.isatty():
        Console().print(found)
    elif not out:
        print(found.markdown, end="")
    if found.report is None or found.report.fallback:
        raise typer.Exit(1)


def look_into(question: str, orchestrator: "Orchestrator") -> "Research":
    """Research `question` and tell of each step; what was found before a fault or ^C is kept."""
    from anthropic import APIError

    from agentlab.research import Research
    from agentlab.research.progress import told_by

    run = orchestrator.new_run()
    try:
        for _ in told_by(orchestrator.events(question, run), tell):
            pass
    except KeyboardInterrupt:
        tell("interrupted")
    except (APIError, AgentlabError) as error:
        tell(f"agentlab: {error}")
    return Research(run)


def require_question(question: str) -> None:
    """Refuse a question without words.

    Raises:
        ConfigurationError: saying so.
    """
    if not question.strip():
        raise ConfigurationError(
            "The question {question!r} is empty. Say what to find out, in quotes.",
            question=question,
        )


def require_writable(path: Path | None, *, force: bool) -> None:
    """Refuse a file that cannot be written, or that would be lost.

    Raises:
        ConfigurationError: saying what is in the way.
    """
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigurationError(
            "{path!r} is no file in a folder that exists. Name another.", path=str(path)
        )
    if path.exists() and not force:
        raise ConfigurationError("{path!r} exists. Name another, or give --force.", path=str(path))
