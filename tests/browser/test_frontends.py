"""The views in other front ends: Notebook 7, static pages, VS Code, a bare JupyterLab."""

import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect
from stepper_runs import HOSTILE, shop_run

from agentlab.views.payload import payload_of
from agentlab.views.stepper import SCRIPT, STYLE

from .conftest import (
    EXPOSED,
    IDLE,
    NO_NEWS,
    TESTS,
    Lab,
    command,
    shut_kernel_down,
    started,
    watched_page,
)

SHOP = "from stepper_runs import shop_run\nfrom agentlab import Stepper\nStepper(shop_run())"
AS_HTML = (
    "--NbConvertBase.display_data_priority=text/html",
    "--NbConvertBase.display_data_priority=text/plain",
)
SOON = {"timeout": 30_000}


class Notebook7(Lab):
    """A running Notebook 7; it has one page for each notebook."""

    def open(self, page: Page, name: str) -> None:
        page.goto(f"{self.url}/notebooks/{name}.ipynb?token={self.token}")
        page.wait_for_selector(".jp-Notebook")


@pytest.fixture(scope="module")
def notebook7(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook7]:
    home = tmp_path_factory.mktemp("notebook7")
    flag = "--JupyterNotebookApp.expose_app_in_browser=True"
    with started(Notebook7, home, NO_NEWS, "notebook", flag) as running:
        yield running


@pytest.fixture(scope="module")
def unset_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab as it is after installing agentlab, without a setting of the person's own."""
    home = tmp_path_factory.mktemp("unset")
    with started(Lab, home, NO_NEWS, "jupyterlab", EXPOSED) as running:
        yield running


@pytest.fixture
def notebook_page(chromium: Browser) -> Iterator[Page]:
    """As `page`, but for one fault of Notebook 7's own, which it has with an empty notebook too."""
    with watched_page(chromium) as (opened, errors):
        yield opened
    assert [error for error in errors if not error.endswith("(reading 'schema')")] == []


def stepper_in(page: Page) -> Locator:
    return page.locator(".agentlab-stepper").first


def expect_event(stepper: Locator, number: int) -> None:
    expect(stepper).to_have_attribute("data-position", str(number), **SOON)


def press(stepper: Locator, name: str) -> None:
    stepper.get_by_role("button", name=name, exact=True).click()


def violations(page: Page, axe: str, selector: str) -> list[str]:
    """The rules by which axe-core objects to a part of a page."""
    page.evaluate(axe)
    found = page.evaluate("async (part) => (await axe.run(part)).violations", selector)
    return [f"{each['id']}: {[node['html'][:200] for node in each['nodes'][:2]]}" for each in found]


# --- Notebook 7


def test_stepping_in_notebook_7(notebook7: Notebook7, notebook_page: Page) -> None:
    page = notebook_page
    notebook7.write("steps", SHOP)
    notebook7.run(page, "steps")
    stepper = stepper_in(page)
    expect(stepper).to_have_attribute("data-kernel", "live", **SOON)
    press(stepper, "Next →")
    expect_event(stepper, 2)
    cells = page.locator(".jp-Cell").count()
    stepper.focus()
    for key, number in (("ArrowRight", 3), ("ArrowLeft", 2), ("End", 29), ("Home", 1)):
        page.keyboard.press(key)
        expect_event(stepper, number)
    for key in "abxdd":  # keys with which the notebook adds, cuts and deletes cells
        page.keyboard.press(key)
    expect(page.locator(".jp-Cell")).to_have_count(cells)


# --- JupyterLab with nothing set


def test_a_reopened_notebook_shows_its_stepper_although_nobody_set_that(
    unset_lab: Lab, page: Page
) -> None:
    unset_lab.write("reopened", SHOP)
    unset_lab.run(page, "reopened")
    stepper = stepper_in(page)
    expect(stepper).to_have_attribute("data-kernel", "live", **SOON)
    press(stepper, "Last")
    expect_event(stepper, 29)
    page.wait_for_timeout(1_000)  # the position is sent on once the learner rests
    command(page, "docmanager:save")
    shut_kernel_down(page)
    unset_lab.load(page, "reopened")
    expect(stepper).to_have_attribute("data-kernel", "gone", **SOON)
    expect_event(stepper, 29)
    press(stepper, "← Back")
    expect_event(stepper, 28)


def test_tables_survive_the_cleaning_of_a_notebook_that_is_not_trusted(
    unset_lab: Lab, page: Page, axe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    source = (
        "from stepper_runs import shop_run, small_run\n"
        "from agentlab import compare, meter\n"
        "display(compare({'shop': shop_run(), 'small': small_run()}), meter(small_run(30)))"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    NotebookClient(notebook, timeout=60, extra_arguments=["--log-level=40"]).execute()
    nbformat.write(notebook, unset_lab.root / "foreign.ipynb")
    unset_lab.open(page, "foreign")
    compared = page.get_by_role("table", name="2 runs side by side")
    expect(compared.get_by_role("columnheader", name="small")).to_be_visible()
    expect(compared.get_by_role("rowheader")).to_have_count(9)
    expect(compared).to_contain_text(HOSTILE)
    expect(compared.locator("img, script")).to_have_count(0)
    metered = page.get_by_role("table", name="Tokens and cost of each step")
    expect(metered).to_contain_text("… 11 steps …")
    expect(metered.get_by_role("rowheader")).to_have_count(20)
    alignment = metered.get_by_role("cell").first.evaluate(
        "(cell) => getComputedStyle(cell).textAlign"
    )
    assert alignment == "right"
    assert violations(page, axe, "table") == []
    assert page.title() != "hacked"


def test_a_question_is_answered_below_the_cell(unset_lab: Lab, page: Page) -> None:
    source = (
        "from agentlab import Agent, ask, ask_human, client, tool\n"
        "from agentlab.practice import say, use\n"
        "@tool(destructive=True)\n"
        "def delete(path: str) -> str:\n"
        "    'Delete a file.'\n"
        "    return 'deleted'\n"
        "api = client([use('delete', path='a.txt'), say('done')])\n"
        "run = ask(Agent('a', '', [delete]), 'go', client=api, approve=ask_human)\n"
        "print('outcome:', run.outcomes[0].status)"
    )
    unset_lab.write("asked", source, source.replace("a.txt", "b.txt"))
    unset_lab.open(page, "asked")
    page.wait_for_function(IDLE)
    # Without waiting for its end, which comes with the answers.
    page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    prompts, answers = page.locator(".jp-Stdin-prompt"), page.locator("input.jp-Stdin-input")
    for number, (path, typed) in enumerate([("a.txt", "y"), ("b.txt", "")], 1):
        expect(prompts).to_have_count(number, **SOON)
        expect(prompts.last).to_contain_text(f"cannot be undone: delete(path='{path}') Run it?")
        answers.last.fill(typed)
        answers.last.press("Enter")
    outputs = page.locator(".jp-CodeCell .jp-OutputArea")
    expect(outputs.nth(0)).to_contain_text("outcome: ran")
    expect(outputs.nth(1)).to_contain_text("outcome: denied")


# --- static pages


def exported(folder: Path, *flags: str, **variables: str) -> str:
    """The address of a page that nbconvert makes of a notebook with a Stepper."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SHOP)])
    nbformat.write(notebook, folder / "run.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute"]
    timeout = "--ExecutePreprocessor.timeout=120"
    subprocess.run(
        [*command, timeout, "--log-level=ERROR", *flags, str(folder / "run.ipynb")],
        env={**os.environ, "PYTHONPATH": str(TESTS), **variables},
        check=True,
    )
    return (folder / "run.html").as_uri()


def offline(chromium: Browser, address: str, **settings: Any) -> tuple[Page, list[str]]:
    """A page opened without a network, and what it would have fetched."""
    page, wanted = chromium.new_page(**settings), list[str]()

    def refuse(route: Route, request: Request) -> None:
        wanted.append(request.url)
        route.abort()

    page.route(lambda url: url.startswith("http"), refuse)
    page.goto(address)
    return page, wanted


@pytest.mark.parametrize(
    ("flags", "variables"),
    [(AS_HTML, {}), ((), {"AGENTLAB_WIDGETS": "0"})],
    ids=["flags", "variable"],
)
def test_a_static_page_can_be_read_offline_without_any_script(
    chromium: Browser, tmp_path: Path, flags: tuple[str, ...], variables: dict[str, str]
) -> None:
    address = exported(tmp_path, *flags, **variables)
    page, _ = offline(chromium, address, java_script_enabled=False)
    expect(page.get_by_text("Run: 8 steps, 9 tool calls, stopped: end_turn")).to_be_visible()
    steps = page.locator("details", has=page.locator("> summary", has_text="step "))
    expect(steps).to_have_count(8)
    step, line = steps.last, steps.last.get_by_text("stopped").first
    expect(line).to_be_visible()
    step.locator("> summary").focus()
    page.keyboard.press("Enter")
    expect(line).to_be_hidden()
    page.keyboard.press("Enter")
    expect(line).to_be_visible()
    raw = page.locator("details", has=page.locator("> summary", has_text="raw request"))
    if not variables:
        expect(raw).to_have_count(0)
    else:
        expect(raw.last.locator("pre")).to_be_hidden()
        raw.last.locator("> summary").focus()
        page.keyboard.press("Enter")
        expect(raw.last.locator("pre")).to_contain_text('"max_tokens": 1024')
        expect(raw.last.locator("pre")).to_be_visible()
    page.close()


def test_a_static_page_made_without_the_flags_needs_a_network(
    chromium: Browser, tmp_path: Path
) -> None:
    """Why README names the flags: nbconvert prefers the widget, whose script lives elsewhere."""
    page, wanted = offline(chromium, exported(tmp_path))
    expect(page.get_by_text("from agentlab import Stepper")).to_be_visible()
    expect(page.locator(".agentlab-stepper, details")).to_have_count(0)
    assert [address for address in wanted if "require" in address] != []
    page.close()


# --- VS Code, whose notebooks cannot be run here: what its renderer gives a widget


DARK = {
    "--vscode-editor-background": "rgb(30, 30, 30)",
    "--vscode-editor-foreground": "rgb(212, 212, 212)",
    "--vscode-textLink-foreground": "rgb(55, 148, 255)",
    "--vscode-errorForeground": "rgb(244, 135, 113)",
}
RENDER = """async ({ address, payload }) => {
  const { default: widget } = await import(address);
  const values = { payload, position: 0 };
  const listeners = {};
  const model = {
    get: (name) => values[name],
    set: (name, value) => {
      values[name] = value;
      (listeners[`change:${name}`] ?? []).forEach((listener) => listener());
    },
    on: (name, listener) => (listeners[name] ??= []).push(listener),
    off: () => {},
    save_changes: () => {},
  };
  window.heard = [];
  document.addEventListener("keydown", (event) => window.heard.push(event.key));
  window.model = model;
  window.leave = await widget.render({ model, el: document.getElementById("output") });
}"""


@pytest.fixture
def in_plain_page(page: Page) -> Locator:
    """The Stepper as a renderer shows it that has only the script, its style and a model."""
    page.goto("about:blank")
    page.set_content(f"<style>{STYLE}</style><div id='output'></div>")
    module = base64.b64encode(SCRIPT.encode()).decode()
    address = f"data:text/javascript;base64,{module}"
    page.evaluate(RENDER, {"address": address, "payload": payload_of(shop_run())})
    return stepper_in(page)


def colours(stepper: Locator) -> list[str]:
    found: list[str] = stepper.evaluate(
        "(element) => { const { backgroundColor, color } = getComputedStyle(element);"
        " return [backgroundColor, color]; }"
    )
    return found


def set_colours(page: Page, colours: dict[str, str]) -> None:
    page.evaluate(
        "(colours) => Object.entries(colours).forEach(([name, value]) =>"
        " document.documentElement.style.setProperty(name, value))",
        colours,
    )


def test_the_script_needs_nothing_but_a_model(in_plain_page: Locator, page: Page) -> None:
    assert re.findall(r"^\s*import\b|\bimport\(", SCRIPT, re.MULTILINE) == []
    expect_event(in_plain_page, 1)
    press(in_plain_page, "Next →")
    expect_event(in_plain_page, 2)
    in_plain_page.focus()
    page.keyboard.press("End")
    expect_event(in_plain_page, 29)
    page.evaluate("() => window.leave?.()")


def test_a_move_is_not_undone_by_the_kernels_echo_of_one_before(
    in_plain_page: Locator, page: Page
) -> None:
    press(in_plain_page, "Next →")
    page.wait_for_timeout(400)  # the position is sent on once the learner rests
    press(in_plain_page, "Next →")
    page.evaluate("() => window.model.set('position', 1)")
    expect_event(in_plain_page, 3)
    page.wait_for_timeout(400)
    page.evaluate("() => window.model.set('position', 6)")  # by somebody else
    expect_event(in_plain_page, 7)


def test_colours_follow_those_of_vs_code(in_plain_page: Locator, page: Page) -> None:
    light = colours(in_plain_page)
    set_colours(page, DARK)
    assert colours(in_plain_page) == ["rgb(30, 30, 30)", "rgb(212, 212, 212)"] != light
    in_plain_page.focus()
    page.keyboard.press("ArrowRight")
    outline = in_plain_page.evaluate("(element) => getComputedStyle(element).outlineColor")
    assert outline == "rgb(55, 148, 255)"


def test_keys_that_step_do_not_reach_the_editor(in_plain_page: Locator, page: Page) -> None:
    in_plain_page.focus()
    for key in ("ArrowRight", "Home", "PageDown", "2", "b", "Control+s"):
        page.keyboard.press(key)
    assert page.evaluate("() => window.heard") == ["Control", "s"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_keeps_nobody_out_in_vs_codes_colours(
    in_plain_page: Locator, page: Page, axe: str, scheme: str
) -> None:
    set_colours(page, DARK if scheme == "dark" else {})
    assert violations(page, axe, ".agentlab-stepper") == []
