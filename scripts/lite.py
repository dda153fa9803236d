"""Build the lessons and exercises as a site that runs them in the browser alone, by JupyterLite.

    python scripts/lite.py [FOLDER]

The site has no server behind it, but a browser that opens it fetches Python, and the packages that
the site does not hold, from the addresses that JupyterLite and Pyodide have built in.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "_build" / "lite"
EXTENSIONS = (
    "anywidget",
    "@jupyter-widgets/jupyterlab-manager",
    "@jupyterlite/pyodide-kernel-extension",
)
"""Parts of the page that JupyterLite does not bring itself: widgets, and the kernel."""
FIRST_CELL = "%pip install -q agentlab  # once for each notebook: the browser fetches it"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SITE, help="where the site goes")
    folder = parser.parse_args(arguments).folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / "jupyter-lite.json").exists():
        sys.exit(f"{folder} holds something else than such a site. Name another folder.")
    with tempfile.TemporaryDirectory() as made:
        source = Path(made)
        write_contents(source / "contents")
        build_wheel(source / "pypi")
        build_site(source, folder)
    print(f"The site is in {folder}. Any web server can show it: python -m http.server -d {folder}")
    return 0


def write_contents(folder: Path) -> None:
    """The lessons and the exercises, each with a first cell that installs agentlab."""
    (folder / "exercises").mkdir(parents=True)
    for lesson in sorted((ROOT / "notebooks").glob("*.ipynb")):
        write_notebook(lesson, folder / lesson.name)
    for exercise in sorted((ROOT / "exercises").glob("*/exercise.ipynb")):
        write_notebook(exercise, folder / "exercises" / f"{exercise.parent.name}.ipynb")


def write_notebook(path: Path, target: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    cell = {"cell_type": "code", "id": "install", "metadata": {}, "source": FIRST_CELL}
    notebook["cells"].insert(0, {**cell, "execution_count": None, "outputs": []})
    notebook["metadata"]["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)"}
    target.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")


def build_wheel(folder: Path) -> None:
    python("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), folder=ROOT)


def build_site(source: Path, folder: Path) -> None:
    """JupyterLite's own build, with no other extension of this environment than those named."""
    installed = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    settings = {
        "contents": [str(source / "contents")],
        "federated_extensions": [str(installed / name) for name in EXTENSIONS],
        "ignore_sys_prefix": ["federated_extensions"],
        "no_sourcemaps": True,
        "output_dir": str(folder),
    }
    config = source / "jupyter_lite_config.json"
    config.write_text(json.dumps({"LiteBuildConfig": settings}), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    python("-m", "jupyterlite_core", "build", folder=source)


def python(*arguments: str, folder: Path) -> None:
    """Run Python in a folder; what it says is of interest only where it fails."""
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
