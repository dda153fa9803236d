"""What a learner does in JupyterLab besides stepping: an exercise, and the description lab."""

import json
import shutil
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from agentlab.exercises.suites import folders

from .conftest import IDLE, Lab, command
from .test_stepper import violations

FOLDER = folders()["05"]
CASES = 5
DESCRIPTION_LAB = (
    "from agentlab.descriptions import DescriptionLab\nlab = DescriptionLab.of('shop')\nlab"
)


def answer_cell(page: Page) -> Locator:
    return page.locator(".jp-CodeCell", has_text="def run_agent").first


def write(page: Page, cell: Locator, source: str) -> None:
    """Replace what stands in a cell, as by pasting."""
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def run_all(page: Page) -> None:
    command(page, "notebook:run-all-cells")
    page.wait_for_function(IDLE)


def verdicts(page: Page) -> list[str]:
    """The line under each check cell."""
    cells = page.locator(".jp-CodeCell", has_text='check("05.')
    return [cells.nth(n).locator(".jp-OutputArea-output").first.inner_text() for n in range(CASES)]


def test_exercise_05_from_the_stub_to_full_marks(lab: Lab, page: Page, axe: str) -> None:
    shutil.copy(FOLDER / "exercise.ipynb", lab.root / "exercise.ipynb")
    whole = json.loads((lab.root / "exercise.ipynb").read_text("utf-8"))
    whole["cells"] += [
        {"cell_type": "code", "id": f"more-{n}", "metadata": {}, "source": source}
        | {"outputs": [], "execution_count": None}
        for n, source in enumerate(
            ('check("05")', "from agentlab.exercises import progress", "progress()")
        )
    ]
    (lab.root / "exercise.ipynb").write_text(json.dumps(whole), "utf-8")

    lab.run(page, "exercise")
    last = page.locator(".jp-CodeCell", has_text="progress()").last
    expect(last).to_contain_text("0 / 5", timeout=90_000)
    assert all("not yet" in words and "Write run_agent" in words for words in verdicts(page))

    write(page, answer_cell(page), Path(FOLDER / "wrong" / "first_call_only.py").read_text("utf-8"))
    run_all(page)
    expect(last).to_contain_text("4 / 5", timeout=60_000)
    assert [("passed" in words) for words in verdicts(page)].count(True) == CASES - 1
    whole_check = page.locator(".jp-CodeCell", has_text='check("05")').last
    expect(whole_check).to_contain_text("the API refused a request of yours")
    expect(whole_check.locator(".agentlab-stepper")).to_be_visible()
    hints = page.locator(".jp-CodeCell", has_text='hint("05")').first
    expect(hints.get_by_text("Hint 1 of 3")).to_be_visible()
    expect(hints.get_by_text("Hint 2 of 3")).to_be_hidden()
    hints.get_by_text("Hint 1 of 3").click()
    expect(hints.get_by_text("Hint 2 of 3")).to_be_visible()
    assert violations(page, axe) == []

    write(page, answer_cell(page), (FOLDER / "solution.py").read_text("utf-8"))
    run_all(page)
    expect(last).to_contain_text("5 / 5", timeout=60_000)
    assert all("passed" in words for words in verdicts(page))
    expect(whole_check).to_contain_text("All done.")
    command(page, "docmanager:save")


def test_an_edit_moves_the_accuracy_on_the_page(lab: Lab, page: Page, axe: str) -> None:
    lab.write("descriptions", DESCRIPTION_LAB)
    lab.run(page, "descriptions")
    view = page.locator(".agentlab-lab")
    status = view.get_by_role("status")
    expect(status).to_contain_text("points since", timeout=60_000)
    before = int(view.get_attribute("data-right") or 0)
    cells = page.locator(".jp-Cell").count()
    view.get_by_label("Tool").select_option(index=0)
    view.get_by_label("Name").fill("get_order_status")
    view.get_by_label("Description").fill(
        "Looks up one order by its number, such as SP-1024: its status, items, date and total. "
        "Call it when somebody asks where an order is, what is in it or whether it was paid."
    )
    expect(view).not_to_have_attribute("data-right", str(before), timeout=30_000)
    assert int(view.get_attribute("data-right") or 0) > before
    expect(view).to_contain_text("turned right")
    expect(view).to_contain_text("not asked since the last edit")
    view.get_by_role("button", name="Ask the held-out questions").click()
    expect(view).to_contain_text("Held-out questions: ")
    expect(view).not_to_contain_text("not asked since the last edit", timeout=30_000)
    assert violations(page, axe) == []
    view.get_by_label("Description").press("b")  # a key that adds a cell elsewhere
    expect(page.locator(".jp-Cell")).to_have_count(cells)
    view.get_by_label("Name").fill("two words")
    expect(view.get_by_role("alert")).to_contain_text("The API would refuse", timeout=30_000)
    view.get_by_role("button", name="Reset").click()
    expect(view).to_have_attribute("data-right", str(before), timeout=30_000)
    command(page, "docmanager:save")
