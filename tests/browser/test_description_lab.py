"""The description lab in JupyterLab: an edit moves the figures on the page."""

from playwright.sync_api import Page, expect

from .conftest import Lab, command
from .test_stepper import violations

SETUP = "from agentlab.descriptions import DescriptionLab\nlab = DescriptionLab.of('shop')\nlab"


def test_an_edit_moves_the_accuracy_on_the_page(lab: Lab, page: Page, axe: str) -> None:
    lab.write("descriptions", SETUP)
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
