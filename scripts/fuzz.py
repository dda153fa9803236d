"""Odd input for ten minutes at most: tests/fuzz with forty times as many examples as usual."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ["-m", "pytest", "-n", "2", "--dist", "load", "--durations=5", "tests/fuzz"]


def main(flags: list[str]) -> int:
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "fuzz"}
    done = subprocess.run(
        [sys.executable, *COMMAND, *flags], cwd=ROOT, env=environment, check=False
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
