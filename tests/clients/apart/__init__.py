"""Clients that need older packages than the project: each has an environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def lock_of(client: str) -> Path:
    """The file that names a client's packages, each with its version and its hashes."""
    return HERE / f"{client}.lock"


def python_with(client: str, folder: Path) -> str:
    """A Python that has a client's packages; made the first time and then kept.

    Args:
        client: as `lock_of` takes it.
        folder: where to make it; outside of the project, and kept between test runs.
    """
    lock = lock_of(client)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed.lock"
    if not done.exists() or done.read_bytes() != lock.read_bytes():
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
        run([*install, "-r", str(lock)])
        done.write_bytes(lock.read_bytes())
    return str(python)


def run(command: list[str], **variables: str) -> str:
    """Run a command that has to succeed, with these variables, and give what it prints."""
    environment = {**os.environ, **variables}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
