"""Make .venv ready and run a command in it: `python scripts/setup.py lab` (or test, check, ...).

The Makefile calls this script, and so can anybody who has no make. It needs the standard library
only, and is kept readable to Pythons too old for the package, so that they can be told so.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, TOO_NEW = (3, 11), (3, 15)

COMMANDS = {
    "lab": ["-m", "agentlab.cli", "lab"],
    "test": ["-m", "agentlab.cli", "test"],
    "check": ["-m", "agentlab.cli", "check"],
    "doctor": ["-m", "agentlab.cli", "doctor"],
    "bench": [str(ROOT / "benchmarks" / "all.py")],
    "fuzz": [str(ROOT / "scripts" / "fuzz.py")],
    "notebooks": [str(ROOT / "scripts" / "notebooks.py")],
    "docs": ["-m", "sphinx", "-W", "-b", "html", "-c", "docs", ".", "docs/_build/html"],
    "lite": [str(ROOT / "scripts" / "lite.py")],
}

NO_PYTHON = """\
agentlab needs Python 3.11 to 3.14 and found {found}. Install one and try again:
  Debian, Ubuntu   sudo apt install python3 python3-venv
  macOS            brew install python
  Windows          winget install Python.Python.3.13
With uv on the PATH nothing else is needed: uv fetches a Python by itself."""

STEP_FAILED = """\
Making .venv stopped at this step:
  {step}
What went wrong stands above. {advice}"""

NETWORK_ADVICE = "Check the network and run the command again; if that is not it, delete .venv."
VENV_ADVICE = "On Debian and Ubuntu a part of Python is missing: sudo apt install python3-venv"


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        given = repr(arguments[0]) if arguments else "nothing"
        print(f"Which command? Given was {given}; there are {', '.join(COMMANDS)}.")
        return 2
    environment = ROOT / ".venv"
    if not is_ready(environment, ROOT):
        make_ready(environment, ROOT)
    return run_inside(environment, [*COMMANDS[arguments[0]], *arguments[1:]])


def is_ready(environment: Path, root: Path) -> bool:
    """Whether the last installation was finished, here, and from today's requirements."""
    stamp = environment / "agentlab.stamp"
    return (
        python_in(environment).exists()
        and stamp.exists()
        and stamp.read_text(encoding="utf-8") == stamp_for(root)
    )


def stamp_for(root: Path) -> str:
    """What an installation depends on: the folder, for its paths, and the two files' contents.

    Contents, not times: a checkout gives every file a new time.
    """
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "requirements.lock"):
        digest.update((root / name).read_bytes())
    return f"{root}\n{digest.hexdigest()}\n"


def make_ready(environment: Path, root: Path) -> None:
    uv = shutil.which("uv")
    if not is_usable(environment, root):
        create(environment, uv)
    python = str(python_in(environment))
    pip = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    install = pip if sys.stdout.isatty() else [*pip, "--quiet"]
    print("Installing what is missing into .venv; the first time takes minutes.", flush=True)
    lock = str(root / "requirements.lock")
    # The lock names all there is to install. pip would look at releases that are newer than those
    # it names, if it were to resolve anything, and stop since they have no hash.
    step([*install, "--no-deps", "--require-hashes", "--requirement", lock], NETWORK_ADVICE)
    # The lock holds the build tools too, so the project itself needs nothing from the network.
    step([*install, "--no-deps", "--no-build-isolation", "--editable", str(root)], NETWORK_ADVICE)
    (environment / "agentlab.stamp").write_text(stamp_for(root), encoding="utf-8")


def is_usable(environment: Path, root: Path) -> bool:
    """Whether packages can be added to what is there: a fitting Python, not moved or half made."""
    stamp = environment / "agentlab.stamp"
    moved = stamp.exists() and stamp.read_text(encoding="utf-8").splitlines()[:1] != [str(root)]
    return not moved and fits(version_of(str(python_in(environment))))


def create(environment: Path, uv: str | None) -> None:
    python = find_python(candidates(), uv_is_there=uv is not None)
    if environment.exists():
        shutil.rmtree(environment)
    print(f"Making .venv with {python}", flush=True)
    if uv:  # --seed: so that `%pip install` works in a notebook
        step(
            [uv, "venv", "--quiet", "--seed", "--python", python, str(environment)], NETWORK_ADVICE
        )
    else:
        step([python, "-m", "venv", str(environment)], VENV_ADVICE)


def candidates() -> list[str]:
    # The base executable, because the running one may be the .venv that is to be made anew.
    running = getattr(sys, "_base_executable", None) or sys.executable
    return [running, "python3.13", "python3.12", "python3.11", "python3.14", "python3", "python"]


def find_python(names: list[str], *, uv_is_there: bool) -> str:
    """The first of `names` that fits, or a version that uv can fetch."""
    found = []
    for name in names:
        version = version_of(name)
        if fits(version):
            return name
        if version:
            found.append(f"{name} {'.'.join(map(str, version))}")
    if uv_is_there:
        return "3.13"
    sys.exit(NO_PYTHON.format(found=", ".join(dict.fromkeys(found)) or "none"))


def version_of(python: str) -> tuple[int, ...] | None:
    """Its version; None where there is none, or only a placeholder that does not run."""
    question = "import sys; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", question], capture_output=True, text=True)
    except OSError:
        return None
    return tuple(map(int, answer.stdout.split())) if answer.returncode == 0 else None


def fits(version: tuple[int, ...] | None) -> bool:
    return version is not None and OLDEST <= version < TOO_NEW


def step(command: list[str], advice: str) -> None:
    if subprocess.call(command) != 0:
        sys.exit(STEP_FAILED.format(step=" ".join(command), advice=advice))


def python_in(environment: Path) -> Path:
    if os.name == "nt":
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def run_inside(environment: Path, arguments: list[str]) -> int:
    """Run Python as if the environment were activated, and return its exit code."""
    python = python_in(environment)
    path = os.pathsep.join([str(python.parent), os.environ.get("PATH", "")])
    variables = {**os.environ, "VIRTUAL_ENV": str(environment), "PATH": path}
    command = [str(python), *arguments]
    os.chdir(ROOT)
    if os.name != "nt":  # there, exec gives the terminal back before the command has ended
        sys.stdout.flush()
        os.execve(command[0], command, variables)
    with subprocess.Popen(command, env=variables) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # it went to the process too, which ends in its own way
                continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
