"""The packages of agentlab's lock file that a browser gets, put into a folder for Pyodide."""

import hashlib
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).resolve().parent.parent.parent
BROWSER = {
    "implementation_name": "cpython",
    "implementation_version": "3.14.2",
    "os_name": "posix",
    "platform_machine": "wasm32",
    "platform_python_implementation": "CPython",
    "platform_release": "",
    "platform_system": "Emscripten",
    "platform_version": "",
    "python_full_version": "3.14.2",
    "python_version": "3.14",
    "sys_platform": "emscripten",
}
"""What markers of requirements are held against."""
PLATFORM = ["--platform", "pyemscripten_2026_0_wasm32", "--python-version", "314"]
ABIS = ["--implementation", "cp", "--abi", "cp314", "--abi", "abi3", "--abi", "none"]
FROM_ELSEWHERE = ["--only-binary=:all:", "--no-deps", "--ignore-requires-python"]  # not for us


def needed() -> set[str]:
    """The names of everything that `pip install agentlab` asks for in a browser.

    Dependencies of dependencies are read from what is installed here.
    """
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    found: set[tuple[str, str]] = set()
    waiting = list(chosen(project["dependencies"], ""))
    while waiting:
        package = waiting.pop()
        if package not in found:
            found.add(package)
            waiting += requirements_of(*package)
    return {name for name, _ in found}


def requirements_of(name: str, extra: str) -> Iterator[tuple[str, str]]:
    try:
        yield from chosen(requires(name) or (), extra)
    except PackageNotFoundError:  # only a browser has it
        return


def chosen(requirements: list[str] | tuple[()], extra: str) -> Iterator[tuple[str, str]]:
    """The requirements that hold in a browser, each once for itself and once for each extra."""
    for text in requirements:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({**BROWSER, "extra": extra}):
            for each in ("", *requirement.extras):
                yield canonicalize_name(requirement.name), each


def locked(names: set[str]) -> str:
    """The versions and hashes of these packages, from the project's own lock file."""
    entries = re.split(r"^(?=\S)", (PROJECT / "requirements.lock").read_text("utf-8"), flags=re.M)
    lines = []
    for entry in entries:
        head = entry.partition("\\")[0].strip()
        if not head or head.startswith("#"):
            continue
        requirement = Requirement(head)
        fits = requirement.marker is None or requirement.marker.evaluate(BROWSER)
        if canonicalize_name(requirement.name) in names and fits:
            hashes = re.findall(r"--hash=\S+", entry)
            lines.append(" ".join([f"{requirement.name}{requirement.specifier}", *hashes]))
    assert len(lines) == len(names), names
    return "\n".join(lines)


def install(names: set[str], folder: Path) -> Path:
    """Put the locked versions into a folder, unless they are there; gives that folder.

    Args:
        names: of packages that have a wheel for Pyodide's Python or for every Python.
        folder: where to; outside of the project, and kept between test runs.
    """
    lock = locked(names)
    site = folder / hashlib.sha256(lock.encode()).hexdigest()[:16]
    done = site / "installed"
    if not done.exists():
        requirements = folder / "requirements.lock"
        requirements.write_text(lock, encoding="utf-8")
        pip = pip_in(folder / "pip")
        what = ["--target", str(site), "--require-hashes", "--requirement", str(requirements)]
        ran = subprocess.run(
            [*pip, "install", *PLATFORM, *ABIS, *FROM_ELSEWHERE, *what],
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        done.touch()
    return site


def pip_in(folder: Path) -> list[str]:
    """A pip of our own: uv knows no such platform, and makes environments that have no pip."""
    if not (folder / "pyvenv.cfg").exists():
        venv.create(folder, with_pip=True)
    program = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    return [str(folder / program), "-m", "pip", "--quiet", "--no-input"]
