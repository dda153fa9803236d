"""A JupyterLab of our own and the computer's Chromium, for tests that look at real pages."""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import nbformat
import pytest
from npm_packages import install
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

HERE = Path(__file__).parent
TESTS = HERE.parent
IMPORTABLE = [TESTS, TESTS.parent / "benchmarks"]
"""Folders whose modules a notebook of ours may import."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NO_BROWSER = (
    "The tests in tests/browser need Chromium or Chrome, found none, and could not install one. "
    "Install it (Debian and Ubuntu: apt install chromium) or run `playwright install chromium`.\n"
)
NO_NEWS = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False}
}
SAVED_STATE = {"@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True}}
EXPOSED = "--LabApp.expose_app_in_browser=True"
IDLE = """async () => {
  const panel = window.jupyterapp?.shell.currentWidget;
  if (!panel?.context) return false;
  await panel.context.ready;
  await panel.sessionContext.ready;
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel) return false;
  await kernel.info;
  return kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}"""
SHOW_ALONE = """async (path) => {
  const { commands, shell } = window.jupyterapp;
  for (const shown of [...shell.widgets('main')]) {
    shown.sessionContext?.shutdown(); // its end is not waited for
    shown.dispose();
  }
  await commands.execute('docmanager:open', { path });
}"""
CLOSED_AT_WORK = re.compile(r"^Disposed$|Canceled future for \w+ message")
"""What JupyterLab says of a notebook that is closed while its kernel works."""
SECONDS_TO_START = 90


@dataclass
class Lab:
    """A running JupyterLab, and the folder whose notebooks it shows."""

    url: str
    token: str
    root: Path

    def write(self, name: str, *cells: str) -> None:
        """Write a notebook into the folder, not yet executed."""
        metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        made = [nbformat.v4.new_code_cell(source) for source in cells]
        nbformat.write(
            nbformat.v4.new_notebook(cells=made, metadata=metadata), self.root / f"{name}.ipynb"
        )

    def open(self, page: Page, name: str) -> None:
        """Show a notebook alone, in the JupyterLab that the page shows already, if it does."""
        if page.url.startswith(f"{self.url}/lab"):
            page.evaluate(SHOW_ALONE, f"{name}.ipynb")
            page.wait_for_selector(".jp-Notebook")
        else:
            self.load(page, name)

    def load(self, page: Page, name: str) -> None:
        """Load JupyterLab anew, which takes seconds, and show a notebook."""
        page.goto(f"{self.url}/lab/tree/{name}.ipynb?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook")

    def run(self, page: Page, name: str) -> None:
        """Show a notebook and run all of it."""
        self.open(page, name)
        page.wait_for_function(IDLE)
        command(page, "notebook:run-all-cells")


ALab = TypeVar("ALab", bound=Lab)


def command(page: Page, name: str) -> None:
    """Have JupyterLab do what one of its menu entries does."""
    page.evaluate("(name) => window.jupyterapp.commands.execute(name).then(() => 1)", name)


def shut_kernel_down(page: Page) -> None:
    page.evaluate("() => window.jupyterapp?.shell.currentWidget?.sessionContext?.shutdown()")


@contextmanager
def started(
    made: type[ALab], home: Path, settings: dict[str, Any], *command: str
) -> Iterator[ALab]:
    """A server on a free port, with settings, workspaces and notebooks of its own in `home`."""
    root, token, port = home / "notebooks", secrets.token_hex(8), free_port()
    root.mkdir()
    for plugin, values in settings.items():
        file = home / "settings" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", *command, "--no-browser", "--allow-root"),
            *("--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"),
            *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"),
        ],
        env={**os.environ, **folders_in(home), "PYTHONPATH": os.pathsep.join(map(str, IMPORTABLE))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_answering(f"http://127.0.0.1:{port}/api/status?token={token}", server)
        yield made(f"http://127.0.0.1:{port}", token, root)
    finally:
        server.terminate()
        server.wait(20)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab that saves the state of widgets."""
    settings = {**NO_NEWS, **SAVED_STATE}
    with started(Lab, tmp_path_factory.mktemp("lab"), settings, "jupyterlab", EXPOSED) as running:
        yield running


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def folders_in(home: Path) -> dict[str, str]:
    """Folders and files of our own, so that no test reads or changes those of whoever runs it."""
    names = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "IPYTHONDIR": "ipython",
        "AGENTLAB_PROGRESS": "progress.json",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    return {variable: str(home / folder) for variable, folder in names.items()}


def wait_until_answering(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait for the server; one that ended or never answers fails the tests with a sentence."""
    for _ in range(SECONDS_TO_START * 10):
        try:
            urllib.request.urlopen(address, timeout=2).close()
        except OSError:
            if server.poll() is not None:
                pytest.fail(f"JupyterLab ended with {server.returncode} before it answered.")
            time.sleep(0.1)
        else:
            return
    pytest.fail("JupyterLab was started and never answered.")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The computer's Chromium or Chrome; where there is none, one that playwright installs.

    For one module only: while it is open, playwright keeps an event loop running in this thread,
    and the tests of other modules would meet it.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        yield browser
        browser.close()


def find_browser(playwright: Playwright) -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return found
    own = playwright.chromium.executable_path
    if not Path(own).exists():
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        installed = subprocess.run(command, capture_output=True, text=True)
        if installed.returncode != 0:
            pytest.fail(NO_BROWSER + installed.stderr[-500:])
    return own


@contextmanager
def watched_page(chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page and the errors of its scripts."""
    opened = chromium.new_page(viewport={"width": 1200, "height": 1000})
    opened.set_default_timeout(60_000)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened, errors
    opened.close()


@pytest.fixture(scope="module")
def watched(chromium: Browser) -> Iterator[tuple[Page, list[str]]]:
    """One page for all tests of a module, since JupyterLab takes longer to load than most tests."""
    with watched_page(chromium) as opened_and_errors:
        yield opened_and_errors


@pytest.fixture
def page(watched: tuple[Page, list[str]]) -> Iterator[Page]:
    """A page that may run no script but its own without an error."""
    opened, errors = watched
    errors.clear()
    yield opened
    assert [error for error in errors if not CLOSED_AT_WORK.search(error)] == []


@pytest.fixture(scope="session")
def axe(pytestconfig: pytest.Config) -> str:
    """The script of axe-core, which looks a page over for what keeps people out."""
    folder = install(HERE / "axe", Path(pytestconfig.cache.mkdir("axe")))
    script: str = (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    return script
