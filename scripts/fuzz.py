"""Odd input for ten minutes at most: tests/fuzz with up to forty times as many examples as usual.

A minute of it is the soak, which nothing else runs.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = ["-m", "pytest", "-n", "2", "--dist", "load", "--durations=5"]
TESTS = ["-o", "python_files=test_*.py soak.py", "tests/fuzz"]


def main(flags: list[str]) -> int:
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "fuzz"}
    done = subprocess.run(
        [sys.executable, *PYTEST, *TESTS, *flags], cwd=ROOT, env=environment, check=False
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
