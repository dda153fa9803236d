"""The files around the package agree with each other and with it."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

import setup
from agentlab import cli

PROJECT = Path(__file__).resolve().parent.parent
LOCKED = re.compile(r"^([a-z0-9-]+)==([^ ;\\]+)(.*?)\\?$", re.MULTILINE)


def text_of(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def pyproject() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(text_of("pyproject.toml"))["project"]
    return project


def direct_requirements() -> list[Requirement]:
    extras = pyproject()["optional-dependencies"].values()
    lines = [*pyproject()["dependencies"], *(line for extra in extras for line in extra)]
    requirements = [Requirement(line) for line in lines]
    return [each for each in requirements if each.name != "agentlab"]


def files_of_the_project() -> list[Path]:
    """Every file that a clone holds: what .gitignore names is left out."""
    ignored = [line.strip("/") for line in text_of(".gitignore").splitlines() if line]
    names = {name for name in ignored if "*" not in name} | {".git"}
    endings = tuple(name.lstrip("*") for name in ignored if name.startswith("*"))
    found = []
    for folder, folders, files in os.walk(PROJECT):
        folders[:] = [each for each in folders if each not in names and not each.endswith(endings)]
        found += [Path(folder, file) for file in files if file not in names]
    return found


def code_in(document: str) -> str:
    """What a Markdown file shows as code: fenced blocks and backticks."""
    text = text_of(document)
    fences = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return "\n".join([*fences, *re.findall(r"`([^`\n]+)`", text)])


# --- versions ---


def test_the_lock_holds_every_direct_dependency_within_its_bounds() -> None:
    locked: dict[str, list[str]] = {}
    for name, version, _ in LOCKED.findall(text_of("requirements.lock")):
        locked.setdefault(name, []).append(version)
    for requirement in direct_requirements():
        versions = locked.get(requirement.name, [])
        assert versions, f"{requirement.name} is not locked; run `make lock`"
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_every_locked_package_has_hashes_and_none_an_address() -> None:
    lock = text_of("requirements.lock")
    entries = re.split(r"^(?=[a-z0-9-]+==)", lock, flags=re.MULTILINE)
    assert entries[0] == ""
    assert [entry.split()[0] for entry in entries[1:] if "--hash=sha256:" not in entry] == []
    assert "://" not in lock
    assert " @ " not in lock


def test_what_was_installed_lacks_nothing() -> None:
    """Packages are installed as the lock names them, and nothing that they need besides."""
    lacking = []
    for installed in metadata.distributions():
        for requirement in map(Requirement, installed.requires or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                try:
                    version = metadata.version(requirement.name)
                except metadata.PackageNotFoundError:
                    version = ""
                if not version or not requirement.specifier.contains(version, prereleases=True):
                    lacking.append(f"{installed.name} needs {requirement}, found {version!r}")
    assert lacking == []


def test_conda_and_binder_get_what_pyproject_names() -> None:
    environment = yaml.safe_load(text_of("environment.yml"))
    assert environment["channels"] == ["conda-forge"]
    python, pip, through_pip = environment["dependencies"]
    accepted = SpecifierSet(pyproject()["requires-python"])
    assert Version(python.removeprefix("python=")) in accepted
    assert pip == "pip"
    # No version is named there: all bounds are those of pyproject.toml.
    (line,) = through_pip["pip"]
    extra = re.fullmatch(r"-e \.\[(\w+)\]", line)
    assert extra is not None
    assert extra.group(1) in pyproject()["optional-dependencies"]


def test_one_version_everywhere() -> None:
    newest = re.search(r"^## \[([^\]]+)\]", text_of("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    assert newest.group(1) == pyproject()["version"] == metadata.version("agentlab")


def test_setup_and_pyproject_accept_the_same_pythons() -> None:
    accepted = SpecifierSet(pyproject()["requires-python"])
    for minor in range(8, 20):
        assert setup.fits((3, minor)) == accepted.contains(f"3.{minor}")


# --- commands ---


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/instructors.md",
        "docs/large-classes.md",
    ],
)
def test_commands_in_the_documents_exist(document: str) -> None:
    code = code_in(document)
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", code)) <= targets
    assert set(re.findall(r"setup\.py ([a-z]+)", code)) <= set(setup.COMMANDS)
    commands = {each.name or each.callback.__name__ for each in cli.app.registered_commands}
    # Not `from agentlab import ...`, nor the message that begins with the name.
    assert set(re.findall(r"(?<!from )\bagentlab ([a-z]+)\b(?! Python)", code)) <= commands


def test_the_makefile_only_calls_setup() -> None:
    recipes = re.findall(r"^([a-z]+):.*\n((?:\t.*\n)+)", text_of("Makefile"), re.MULTILINE)
    calls = {target: recipe for target, recipe in recipes if target not in ("help", "lock")}
    assert sorted(calls) == ["bench", "check", "docs", "fuzz", "lab", "lite", "notebooks", "test"]
    for target, recipe in calls.items():
        assert recipe.startswith(f"\t@$(SETUP) {target}")


def test_continuous_integration_runs_what_the_readme_names() -> None:
    assert text_of(".ci/run").rstrip().splitlines()[-1].startswith("exec make test")
    assert "make test" in code_in("README.md")


def test_the_readme_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"^```python\n(.*?)^```", text_of("README.md"), re.DOTALL | re.MULTILINE)
    assert len(examples) == 2
    for example in examples:
        exec(compile(example, "README.md", "exec"), {"__name__": "example"})
    shown = capsys.readouterr().out
    assert "order_status(order_id='A-17')" in shown
    assert "left the warehouse on Monday" in shown


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", "docs/instructors.md", "docs/large-classes.md"]
)
def test_links_in_the_documents_lead_somewhere(document: str) -> None:
    links = re.findall(r"\]\(([^)#\s]+)\)", text_of(document))
    folder = (PROJECT / document).parent
    missing = [link for link in links if "://" not in link and not (folder / link).exists()]
    assert missing == []


# --- what must not be in the project ---


def test_no_file_names_a_package_index() -> None:
    # Built from parts, so that this file does not name one either.
    hosts = [
        ".".join(parts)
        for parts in [
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("anaconda", "org"),
            ("anaconda", "com"),
        ]
    ]
    settings = ["-".join(parts) for parts in [("--index", "url"), ("--extra-index", "url")]]
    for path in files_of_the_project():
        content = path.read_bytes()
        for forbidden in [*hosts, *settings]:
            assert forbidden.encode() not in content, f"{path} names {forbidden}"


# --- scripts/setup.py ---


def test_setup_can_be_read_by_pythons_too_old_for_the_package() -> None:
    ast.parse(text_of("scripts/setup.py"), feature_version=(3, 8))


def test_without_a_fitting_python_setup_says_what_to_install() -> None:
    with pytest.raises(SystemExit) as ended:
        setup.find_python(["no-such-python"], uv_is_there=False)
    assert "needs Python 3.11 to 3.14 and found none" in str(ended.value)
    assert "winget install" in str(ended.value)
    assert setup.find_python(["no-such-python"], uv_is_there=True) == "3.13"


def test_an_unknown_command_of_setup_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert setup.main(["tests"]) == 2
    assert "Given was 'tests'; there are lab, test" in capsys.readouterr().out


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements.lock"])
def test_an_installation_is_ready_until_what_it_was_made_from_changes(
    tmp_path: Path, changed: str
) -> None:
    for name in ("pyproject.toml", "requirements.lock"):
        (tmp_path / name).write_text("one", encoding="utf-8")
    environment = tmp_path / ".venv"
    python = setup.python_in(environment)
    python.parent.mkdir(parents=True)
    python.touch()
    assert not setup.is_ready(environment, tmp_path)  # as after an installation that broke off
    (environment / "agentlab.stamp").write_text(setup.stamp_for(tmp_path), encoding="utf-8")
    assert setup.is_ready(environment, tmp_path)
    (tmp_path / changed).write_text("two", encoding="utf-8")
    assert not setup.is_ready(environment, tmp_path)


def test_an_environment_is_kept_unless_its_folder_was_moved(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    assert setup.is_usable(tmp_path, PROJECT)
    stamp = tmp_path / "agentlab.stamp"
    stamp.write_text(setup.stamp_for(PROJECT), encoding="utf-8")
    assert setup.is_usable(tmp_path, PROJECT)
    stamp.write_text("/where/it/was/before\n0\n", encoding="utf-8")
    assert not setup.is_usable(tmp_path, PROJECT)
