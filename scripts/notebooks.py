"""Run the lessons and store their outputs, in a form that changes only when a lesson changes.

    python scripts/notebooks.py [NOTEBOOK ...]            run, normalise, write
    python scripts/notebooks.py --check [NOTEBOOK ...]    normalised already? nothing is run
    python scripts/notebooks.py --verify [NOTEBOOK ...]   would a run give the same bytes?

Without names, all of notebooks/.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
SECONDS_PER_CELL = 120
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
KEPT_CELL_METADATA = ("jupyter", "tags")
WIDGET = "application/vnd.jupyter.widget-view+json"
MAY_FAIL = "raises-exception"
"""The tag of a cell that is there to show an error."""

FOREIGN_SETTINGS = (
    "AGENTLAB_",
    "ANTHROPIC_",
    "COLUMNS",
    "FORCE_COLOR",
    "JUPYTER_COLUMNS",
    "NO_COLOR",
)
"""Beginnings of variables that change what a lesson shows: one machine's must not be stored."""


class Refused(Exception):
    """A notebook that cannot be stored, with the reason."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="run nothing; are they normalised?")
    mode.add_argument("--verify", action="store_true", help="would a run give the same bytes?")
    parser.add_argument("notebooks", nargs="*", type=Path, metavar="NOTEBOOK")
    options = parser.parse_args(arguments)
    handle = check if options.check else verify if options.verify else regenerate
    refusals = 0
    for path in options.notebooks or sorted(FOLDER.glob("*.ipynb")):
        try:
            print(f"{path.name}: {handle(path)}", flush=True)
        except Refused as reason:
            refusals += 1
            print(f"{path.name}: {reason}", file=sys.stderr, flush=True)
    return 1 if refusals else 0


def regenerate(path: Path) -> str:
    stored = path.read_text(encoding="utf-8")
    text = as_text(normalise(execute(read(path), path.parent, hash_seed=0)))
    if text == stored:
        return "unchanged"
    path.write_text(text, encoding="utf-8", newline="\n")
    return "written"


def check(path: Path) -> str:
    if as_text(normalise(read(path))) != path.read_text(encoding="utf-8"):
        raise Refused("is not normalised; run `make notebooks`")
    return "normalised"


def verify(path: Path) -> str:
    # Another hash seed than the stored outputs were made with: sets would come in another order.
    text = as_text(normalise(execute(read(path), path.parent, hash_seed=1)))
    if text != path.read_text(encoding="utf-8"):
        raise Refused("a new run gives other outputs than the stored ones; run `make notebooks`")
    return "the same again"


def read(path: Path) -> NotebookNode:
    """A notebook as it stands in its file; `nbformat.read` would mend it with random ids."""
    text = path.read_text(encoding="utf-8")
    try:
        version = json.loads(text).get("nbformat")
    except json.JSONDecodeError as error:
        raise Refused(f"is not JSON ({error})") from error
    if version != 4:
        raise Refused(f"has nbformat {version!r}; open it in JupyterLab and save it")
    notebook: NotebookNode = nbformat.v4.reads(text)
    return notebook


def execute(notebook: NotebookNode, folder: Path, *, hash_seed: int) -> NotebookNode:
    """Run all cells top to bottom in a fresh kernel that knows nothing of this machine."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    with tempfile.TemporaryDirectory() as profile:
        client = NotebookClient(
            give_ids(notebook),
            timeout=SECONDS_PER_CELL,
            kernel_name=KERNEL["name"],
            extra_arguments=["--log-level=40"],  # errors: it warns about its transport otherwise
            resources={"metadata": {"path": str(folder)}},
        )
        settings = {**bare_environment(), "PYTHONHASHSEED": str(hash_seed), "IPYTHONDIR": profile}
        try:
            client.execute(env=settings)
        except CellExecutionError:
            refuse_failed_cells(notebook)
            raise
        except (CellTimeoutError, DeadKernelError) as error:
            number = sum(bool(cell.get("execution_count")) for cell in notebook.cells) + 1
            raise Refused(f"the kernel did not come through code cell {number}: {error}") from error
    return notebook


def bare_environment() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if not name.startswith(FOREIGN_SETTINGS)
    }


def normalise(notebook: NotebookNode) -> NotebookNode:
    """The notebook without anything that a second run would change."""
    refuse_failed_cells(notebook)
    notebook = give_ids(notebook)
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in KEPT_CELL_METADATA if cell.metadata.get(key)}
        )
        if cell.cell_type == "code":
            cell.outputs = normalise_outputs(cell.outputs)
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise Refused(f"is not a valid notebook: {error.message}") from error
    return notebook


def give_ids(notebook: NotebookNode) -> NotebookNode:
    """Keep the cells' ids; cells without one, or with a used one, get one from their position."""
    notebook.nbformat_minor = 5
    taken = {cell.get("id") for cell in notebook.cells}
    seen: set[str] = set()
    for position, cell in enumerate(notebook.cells, 1):
        if cell.get("id") is None or cell.id in seen:
            cell.id = next(
                name
                for name in (f"cell-{position:02}{'-new' * again}" for again in range(10))
                if name not in taken
            )
            taken.add(cell.id)
        seen.add(cell.id)
    return notebook


def normalise_outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    kept: list[NotebookNode] = []
    for output in outputs:
        output.pop("transient", None)
        if "data" in output:
            output.data.pop(WIDGET, None)
            if not output.data:
                continue
        if output.output_type == "error":  # its frames name files of this machine
            output.traceback = [f"{output.ename}: {output.evalue}"]
        previous = kept[-1] if kept else None
        if previous and is_same_stream(previous, output):  # where it was cut depends on timing
            previous.text += output.text
        else:
            kept.append(output)
    return kept


def is_same_stream(one: NotebookNode, other: NotebookNode) -> bool:
    return one.output_type == other.output_type == "stream" and one.name == other.name


def refuse_failed_cells(notebook: NotebookNode) -> None:
    for position, cell in enumerate(notebook.cells, 1):
        errors = [each for each in cell.get("outputs", []) if each.output_type == "error"]
        if errors and MAY_FAIL not in cell.metadata.get("tags", []):
            raise Refused(
                f"cell {position} ({cell.source.partition(chr(10))[0]!r}) failed with "
                f"{errors[0].ename}: {errors[0].evalue}. Mend it, or tag it {MAY_FAIL!r} if it is "
                "there to show the error."
            )


def as_text(notebook: NotebookNode) -> str:
    """The file's content, laid out as JupyterLab saves it, so that saving changes nothing."""
    text: str = nbformat.writes(notebook)
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
