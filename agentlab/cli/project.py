"""Commands about the project and the installation: lessons, tests, doctor, practice API."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from agentlab.cli.app import app
from agentlab.cli.speaking import faults_as_sentences, tell
from agentlab.errors import ConfigurationError
from agentlab.language import gettext, language, languages

if TYPE_CHECKING:
    from agentlab.doctor import Check

Folder = Annotated[
    Path | None,
    typer.Option(
        help=gettext("The project's folder, where it is not the one agentlab was installed from.")
    ),
]
HANDED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Settings of a command that hands the flags it does not know on to another program."""

COURSE = "agentlab-course"
LEARNERS_SETTINGS = Path(__file__).parent / "learners"
CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
}
# One more than processors, since many tests wait for a browser, a kernel or a sandbox.
WORKERS = min(os.cpu_count() or 1, 4) + 1
# A notebook's cells share a kernel, so all of a file goes to one worker: loadscope. In the order of
# folders, the long ones of the browser come first.
PYTEST = ["pytest", "-n", str(WORKERS), "--dist", "loadscope", "--no-loadscope-reorder"]


@app.command(context_settings=HANDED_ON)
def lab(
    flags: typer.Context,
    folder: Folder = None,
    wanted: Annotated[
        str | None,
        typer.Option(
            "--language", help=gettext("The language of lessons and messages, such as ru.")
        ),
    ] = None,
) -> None:
    """Open JupyterLab on the first lesson. Other flags are JupyterLab's.

    Where agentlab was installed without a clone of its project, lessons and exercises are put into
    ./agentlab-course first, or into --folder; what stands there is never overwritten.
    """
    from agentlab.course import first_lesson

    with faults_as_sentences():
        spoken = require_language(wanted or language())
        project = learners_folder(folder)
        lesson = first_lesson(project, spoken)
        # By itself, JupyterLab would show only the first lesson's folder, not the package.
        command = ["jupyterlab", lesson, f"--ServerApp.root_dir={project.resolve()}"]
        # In a container everybody is root, and JupyterLab would refuse; its token still protects.
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--allow-root")
        # nbgrader's buttons are for instructors, who start JupyterLab by itself.
        unless_set = {"JUPYTER_CONFIG_PATH": str(LEARNERS_SETTINGS)}
        environment = {**unless_set, **os.environ, "AGENTLAB_LANGUAGE": spoken}
        raise typer.Exit(run_module([*command, *flags.args], project, environment))


def require_language(name: str) -> str:
    """A language, if there is a translation into it.

    Raises:
        ConfigurationError: naming those there are.
    """
    if name not in languages():
        raise ConfigurationError(
            "There is no translation into {name!r}. There are: {known}.",
            name=name,
            known=", ".join(languages()),
        )
    return name


def learners_folder(folder: Path | None) -> Path:
    """The folder with the lessons to open; of an installed package, a copy for the learner."""
    from agentlab.course import copy_course, course_folder, first_lesson

    clone = Path(__file__).resolve().parents[2]
    if folder is None and course_folder() == clone:
        return clone
    if folder is not None and (folder / first_lesson(folder, "en")).exists():
        return folder
    target = folder or Path(COURSE)
    copied = copy_course(target)
    tell(
        gettext(
            "{new} notebooks put into {target}, {kept} of yours kept",
            new=len(copied.new),
            target=target,
            kept=len(copied.kept),
        )
    )
    return target


@app.command("test", context_settings=HANDED_ON)
def run_tests(flags: typer.Context, folder: Folder = None) -> None:
    """Run every check and every test, the lessons included. Other flags are pytest's."""
    with faults_as_sentences():
        project = find_project(folder, needed="tests")
        failed = failing_checks(project)
        if run_module([*PYTEST, *flags.args], project) != 0:
            failed.append("pytest")
        report(failed)


@app.command()
def check(folder: Folder = None) -> None:
    """Look at the code without running it: ruff, its formatter and mypy."""
    with faults_as_sentences():
        report(failing_checks(find_project(folder, needed="pyproject.toml")))


@app.command()
def doctor() -> None:
    """Examine the installation: one line for each part, and what to do where one is at fault."""
    from agentlab.doctor import examine

    checks = examine()
    for found in checks:
        Console().print(line_about(found), soft_wrap=True)
    if any(not found.ok and found.needed for found in checks):
        raise typer.Exit(1)


@app.command()
def serve(
    port: Annotated[int, typer.Option(help=gettext("The port to listen on."))] = 8765,
    host: Annotated[str, typer.Option(help=gettext("The address to listen on."))] = gettext(
        "127.0.0.1"
    ),
    allow_remote: Annotated[
        bool,
        typer.Option("--allow-remote", help=gettext("Let other computers use it, too.")),
    ] = False,
) -> None:
    """Put the practice API on a local port, for curl, other SDKs and other frameworks."""
    with faults_as_sentences():
        from agentlab.practice.serve import serve as serve_practice

        serve_practice(host=host, port=port, allow_remote=allow_remote)


def line_about(found: "Check") -> Text:
    """One check in one line: its state in colour, what it found, what to do about it."""
    state = "ok" if found.ok else "fault" if found.needed else "optional"
    colour = {"ok": "green", "fault": "red", "optional": "yellow"}[state]
    advice = f"; {found.advice}" if found.advice else ""
    return Text.assemble((f"{state:<9}", colour), f"{found.name:<32}", found.found, advice)


def find_project(folder: Path | None, *, needed: str) -> Path:
    """The folder that holds `needed`: the one given, or else the one agentlab was installed from.

    Raises:
        ConfigurationError: if it is not there.
    """
    project = folder or Path(__file__).resolve().parents[2]
    if not (project / needed).exists():
        raise ConfigurationError(
            "There is no {needed} in {project!r}. Lessons and tests are not part of the "
            "installed package: clone the project and give its folder with --folder.",
            needed=needed,
            project=str(project),
        )
    return project


def failing_checks(project: Path) -> list[str]:
    """Names of the checks that fail, after each has said why."""
    return [name for name, command in CHECKS.items() if run_module(command, project) != 0]


def report(failed: list[str]) -> None:
    """End with an exit code, and say at the very end what failed: its output may be far above."""
    if failed:
        Console(stderr=True).print(
            gettext("failed: {failed}", failed=", ".join(failed)), style="red"
        )
        raise typer.Exit(1)


def run_module(
    command: list[str], project: Path, environment: Mapping[str, str] | None = None
) -> int:
    """Run `python -m ...` in the project's folder until it ends, and return its exit code."""
    process = subprocess.Popen([sys.executable, "-m", *command], cwd=project, env=environment)
    # A request to end, as containers send it, would otherwise end us and leave JupyterLab behind.
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # it went to the process too, which ends in its own way
                continue
    finally:
        signal.signal(signal.SIGTERM, before)
