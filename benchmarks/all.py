"""Every measurement, one after the other, each beside a peer in the same run."""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MEASUREMENTS = ("loop", "practice", "notebooks", "grading", "stepper")


def main() -> int:
    """Run the measurements named, or all of them; 1 where one could not be made."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="try each; nothing is written down")
    parser.add_argument("only", nargs="*", metavar="MEASUREMENT", help=", ".join(MEASUREMENTS))
    settings = parser.parse_args()
    flags = ["--quick"] if settings.quick else []
    failed = []
    for name in settings.only or MEASUREMENTS:
        print(f"\n== {name}", flush=True)
        command = [sys.executable, str(HERE / f"{name}.py"), *flags]
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
