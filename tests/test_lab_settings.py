"""Two settings of JupyterLab come with the package: widgets keep their state, and no news."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SETTINGS = PROJECT / "jupyter" / "overrides.json"
INSTALLED_AS = "share/jupyter/lab/settings/overrides.d/agentlab.json"


def built(kind: str, folder: Path) -> dict[str, bytes]:
    """The files of a wheel, as it is for everybody or for whoever works on the package."""
    code = f"import sys; from hatchling import build; getattr(build, 'build_{kind}')(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=PROJECT, check=True, capture_output=True
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_installation_turns_on_what_keeps_a_stepper_in_a_saved_notebook(tmp_path: Path) -> None:
    for kind in ("wheel", "editable"):
        (tmp_path / kind).mkdir()
        files = built(kind, tmp_path / kind)
        (name,) = [each for each in files if each.endswith(f".data/data/{INSTALLED_AS}")]
        assert json.loads(files[name]) == {
            "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
            "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        }


def test_this_environment_has_todays_setting() -> None:
    installed = Path(sys.prefix, INSTALLED_AS)
    assert installed.read_bytes() == SETTINGS.read_bytes(), "install the project again"


def test_the_readme_says_how_to_turn_it_off() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert INSTALLED_AS in readme
    assert "saveState" in readme
