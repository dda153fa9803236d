"""The Stepper on runs that are still to happen: agents and loops, approval, edits, branches."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from .conftest import Lab, command, shut_kernel_down
from .test_stepper import KERNEL_IS_THERE, expect_event, press, stepper_in, violations

SETUP = "from stepper_loops import *\nfrom agentlab import Stepper\n"
THREADS = (
    "import threading\n"
    "print([each.name for each in threading.enumerate() if each.name.startswith('agentlab-')])"
)


def live(lab: Lab, page: Page, name: str, made: str, *cells: str) -> Locator:
    """A notebook whose first cell shows a Stepper, executed; further cells wait."""
    lab.write(name, f"{SETUP}stepper = {made}\nstepper", *cells)
    lab.open(page, name)
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context?.isReady")
    return shown_by_cell(page, 0)


def shown_by_cell(page: Page, number: int) -> Locator:
    """The Stepper that a cell shows when it is run."""
    run_cell(page, number)
    stepper = page.locator(".jp-CodeCell").nth(number).locator(".agentlab-stepper")
    expect(stepper).to_have_attribute("data-kernel", "live", **KERNEL_IS_THERE)
    return stepper


def run_cell(page: Page, number: int) -> Locator:
    """Run a cell; gives its outputs."""
    page.evaluate(
        "async (number) => { const panel = window.jupyterapp.shell.currentWidget;"
        " await panel.sessionContext.ready; await panel.sessionContext.session.kernel.info;"
        " panel.content.activeCellIndex = number; panel.content.deselectAll();"
        " await window.jupyterapp.commands.execute('notebook:run-cell'); }",
        number,
    )
    return page.locator(".jp-CodeCell").nth(number).locator(".jp-OutputArea-output")


def says(stepper: Locator, words: str) -> None:
    expect(stepper.get_by_role("status")).to_contain_text(words)


def forward(stepper: Locator, *sentences: str) -> None:
    for words in sentences:
        press(stepper, "Next →")
        says(stepper, words)


def edit(stepper: Locator, title: str, text: str) -> None:
    """Open a form, write into it, and run again from there."""
    stepper.get_by_text(title, exact=True).first.click()
    form = stepper.locator(".agentlab-edit[open]")
    form.get_by_role("textbox", name=title).fill(text)
    form.get_by_role("button", name="Run again from here").click()


def test_an_agents_run_happens_event_by_event(lab: Lab, page: Page) -> None:
    made = "Stepper(DESK, 'Where is order A-17?', api())"
    stepper = live(lab, page, "agent", made, "print(RAN, stepper.run.answer)")
    says(stepper, "No event: nothing has happened in this run yet. The question: 'Where is order")
    forward(stepper, "the model asked for get_order_status", "get_order_status is called")
    expect(run_cell(page, 1)).to_have_text("[] ")
    forward(stepper, "get_order_status returned 'shipped'", "the model answered 'It was shipped.'")
    stepper.focus()
    page.keyboard.press("ArrowRight")
    says(stepper, "Event 5 of 5: the run stopped: end_turn")
    expect(stepper.get_by_role("button", name="Next →")).to_have_attribute("aria-disabled", "true")
    expect(run_cell(page, 1)).to_have_text("['status A-17'] It was shipped.")
    expect(stepper.locator(".agentlab-facts")).to_contain_text(re.compile(r"\d\.\d+ s"))


def test_ones_own_loop_stops_at_its_client(lab: Lab, page: Page) -> None:
    made = "Stepper(my_loop, 'Where is order A-17?', api())"
    stepper = live(lab, page, "loop", made, f"print(stepper.returned)\n{THREADS}")
    hint = stepper.locator(".agentlab-hint")
    expect(hint).to_have_text("Next starts your loop.")
    forward(stepper, "the loop is about to send 1 message")
    expect(hint).to_have_text("The request stands before the client; Next lets it leave.")
    stepper.focus()
    page.keyboard.press("2")
    expect(stepper.locator(".agentlab-body")).to_contain_text('"Where is order A-17?"')
    page.keyboard.press("1")
    forward(stepper, "the model asked for get_order_status", "get_order_status is called")
    expect(hint).to_have_text("The reply stands before your loop; Next hands it over.")
    forward(stepper, "get_order_status returned 'shipped'", "is about to send 3 messages")
    forward(stepper, "the model answered 'It was shipped.'", "the run stopped: end_turn")
    expect(stepper).to_contain_text("Printed by your loop1 call")
    expect(stepper).to_contain_text("Your loop returned'It was shipped.'")
    expect(run_cell(page, 1)).to_have_text("It was shipped.\n[]")
    expect(page.locator(".jp-CodeCell").first.locator(".jp-OutputArea-output")).to_have_count(1)


def test_an_exception_in_a_loop_is_shown(lab: Lab, page: Page) -> None:
    made = "Stepper(failing_loop, 'go', client([say('hello')]))"
    stepper = live(lab, page, "failing", made, "print(repr(stepper.exception))")
    forward(stepper, "about to send 1 message", "the model answered 'hello'", "the run stopped")
    expect(stepper).to_contain_text("✗ KeyError: 'order_id'")
    stepper.get_by_text("where it was raised").click()
    expect(stepper).to_contain_text("in failing_loop")
    expect(run_cell(page, 1)).to_have_text("KeyError('order_id')")


def test_a_loop_that_never_calls_and_one_that_never_ends(lab: Lab, page: Page) -> None:
    silent, endless = (f"Stepper({name}_loop, 'go', api())" for name in ("silent", "endless"))
    stepper = live(lab, page, "loops", silent, f"stepper = {endless}\nstepper", THREADS)
    press(stepper, "Next →")
    expect(stepper).to_contain_text("Your loop returned'42'")
    stepper = shown_by_cell(page, 1)
    press(stepper, "Next →")
    expect(stepper.locator(".agentlab-hint")).to_contain_text("Your loop is at work")
    expect(run_cell(page, 2)).to_have_text("['agentlab-endless_loop']")
    press(stepper, "Stop")
    expect(stepper.get_by_role("button", name="Stop")).to_be_hidden()
    expect(run_cell(page, 2)).to_have_text("[]")


def test_a_cell_that_is_run_again_leaves_no_thread(lab: Lab, page: Page) -> None:
    made = "Stepper(my_loop, 'Where is order A-17?', api())"
    stepper = live(lab, page, "again", made, THREADS)
    forward(stepper, "about to send 1 message")
    expect(run_cell(page, 1)).to_have_text("['agentlab-my_loop']")
    run_cell(page, 0)
    says(stepper_in(page), "No event")
    expect(page.locator(".agentlab-stepper")).to_have_count(1)
    expect(run_cell(page, 1)).to_have_text("[]")


def test_approving_in_place(lab: Lab, page: Page, axe: str) -> None:
    made = "Stepper(DESK, 'Cancel order A-17', cancelling())"
    stepper = live(lab, page, "approve", made, "print(RAN)")
    question = stepper.get_by_role("group", name="May cancel run?")
    stepper.focus()
    for words in ("the model asked", "is called", "returned 'shipped'", "cancel is called"):
        page.keyboard.press("ArrowRight")
        says(stepper, words)
    expect(question).to_contain_text('{"order_id": "A-17"}')
    expect(question.get_by_role("button", name="Deny")).to_be_focused()
    assert violations(page, axe) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    says(stepper, "cancel returned 'cancelled'")
    expect(question).to_have_count(0)
    expect(run_cell(page, 1)).to_have_text("['status A-17', 'cancel A-17']")


def test_denying_and_giving_no_answer(lab: Lab, page: Page) -> None:
    made = "Stepper(DESK, 'Cancel order A-17', cancelling())"
    again = f"RAN.clear()\nstepper = {made}\nstepper"
    expect_denial(page, live(lab, page, "deny", made, again, "print(RAN)"), "Deny")
    expect_denial(page, shown_by_cell(page, 1), "Next →")


def expect_denial(page: Page, stepper: Locator, answer: str) -> None:
    forward(stepper, "the model asked", "is called", "returned 'shipped'", "cancel is called")
    press(stepper, answer)
    says(stepper, "cancel was denied")
    expect(run_cell(page, 2)).to_have_text("['status A-17']")


def test_editing_a_result_makes_a_branch(lab: Lab, page: Page, axe: str) -> None:
    made = "Stepper(DESK, 'Cancel order A-17', cancelling())"
    cell = "print(RAN, [outcome.text for outcome in stepper.run.outcomes])"
    stepper = live(lab, page, "branch", made, cell)
    forward(stepper, "the model asked", "is called", "returned 'shipped'", "cancel is called")
    press(stepper, "Approve")
    says(stepper, "cancel returned")
    forward(stepper, "the model answered 'Done.'")
    press(stepper, "First")
    press(stepper, "Next →")
    press(stepper, "Next →")
    edit(stepper, "edit this result", "<b>lost</b>")
    expect(stepper.locator(".agentlab-count")).to_contain_text("kept in branch 1")
    forward(stepper, "the model answered 'Done.'", "the run stopped")
    expect(run_cell(page, 1)).to_have_text(
        "['status A-17', 'cancel A-17'] ['<b>lost</b>', 'cancelled']"
    )
    stepper.focus()
    page.keyboard.press("8")
    body = stepper.locator(".agentlab-body")
    expect(body).to_contain_text("They part at event 3")
    expect(body).to_contain_text("3. get_order_status returned '<b>lost</b>'")
    assert violations(page, axe) == []
    body.get_by_role("button", name="0: the run as it was").click()
    expect(stepper.locator(".agentlab-count")).to_contain_text("branch 0")
    expect(run_cell(page, 1)).to_contain_text("['shipped', 'cancelled']")


def test_every_other_change_and_a_mistake_in_one(lab: Lab, page: Page, axe: str) -> None:
    made = (
        "Stepper(ask(DESK, 'Where is order A-17?', client=api()), client=api(), tools=DESK.tools)"
    )
    setup = "from agentlab import ask\n"
    stepper = live(lab, page, "changes", f"None\n{setup}stepper = {made}", "print(RAN)")
    stepper.get_by_text("edit this input", exact=True).click()
    form = stepper.locator(".agentlab-edit[open]")
    form.get_by_role("textbox").fill("{order: 5}")
    form.get_by_role("button", name="Run again from here").click()
    expect(form.get_by_role("alert")).to_contain_text("✗")
    form.get_by_role("textbox").press("a")  # keys stay in the form
    form.get_by_role("textbox").fill('{"order_id": "B-2"}')
    form.get_by_role("button", name="Run again from here").click()
    expect(stepper.locator(".agentlab-count")).to_contain_text("branch 1")
    forward(stepper, "get_order_status is called", "get_order_status returned 'lost'")
    stepper.focus()
    page.keyboard.press("7")
    expect(stepper.locator(".agentlab-body")).to_contain_text("Ask the model again")
    assert violations(page, axe) == []
    press(stepper, "Ask the model again")
    expect(stepper.locator(".agentlab-count")).to_contain_text("of 0")
    forward(stepper, "the model asked for")
    for number, title, text in (
        (3, "the system prompt", "Be kind."),
        (4, "the description of get_order_status", "Find an order."),
        (5, "the question (from the beginning)", "Where is B-2?"),
    ):
        edit(stepper, title, text)
        expect(stepper.get_by_role("status")).to_contain_text("No event")
        forward(stepper, "the model asked for")
        expect(stepper.locator(".agentlab-count")).to_contain_text(f"branch {number}")
    stepper.focus()
    page.keyboard.press("2")
    body = stepper.locator(".agentlab-body")
    for text in ('"system": "Be kind."', '"description": "Find an order."', '"Where is B-2?"'):
        expect(body).to_contain_text(text)
    expect(run_cell(page, 1)).to_have_text("['status A-17', 'status B-2']")


def test_playing_a_live_run_stops_at_a_question(lab: Lab, page: Page) -> None:
    stepper = live(lab, page, "play", "Stepper(DESK, 'Cancel order A-17', cancelling())")
    stepper.focus()
    page.keyboard.press(" ")
    expect(stepper.get_by_role("status")).to_contain_text("cancel is called", timeout=30_000)
    expect(stepper.get_by_role("button", name="Play")).to_be_visible()
    expect(stepper.get_by_role("group", name="May cancel run?")).to_be_visible()


def test_a_page_whose_kernel_dies_says_so(lab: Lab, page: Page) -> None:
    stepper = live(lab, page, "dies", "Stepper(DESK, 'Where is order A-17?', api())")
    forward(stepper, "the model asked", "is called", "returned 'shipped'")
    shut_kernel_down(page)
    expect(stepper).to_have_attribute("data-kernel", "gone", **KERNEL_IS_THERE)
    expect(stepper).to_contain_text("changing the run needs a running kernel")
    expect(stepper.get_by_text("edit this result")).to_have_count(0)
    press(stepper, "First")
    expect_event(stepper, 1)
    press(stepper, "Next →")
    expect_event(stepper, 2)


def test_branches_can_be_looked_at_without_a_kernel(lab: Lab, page: Page) -> None:
    made = "Stepper(DESK, 'Where is order A-17?', api())"
    stepper = live(lab, page, "tree", made)
    forward(stepper, "the model asked", "is called", "returned 'shipped'")
    edit(stepper, "edit this result", "lost")
    says(stepper, "returned 'lost'")
    command(page, "docmanager:save")
    shut_kernel_down(page)
    lab.load(page, "tree")
    expect(stepper).to_have_attribute("data-kernel", "gone", **KERNEL_IS_THERE)
    says(stepper, "returned 'lost'")
    stepper.focus()
    page.keyboard.press("8")
    stepper.get_by_role("button", name="0: the run as it was").click()
    says(stepper, "returned 'shipped'")


def test_a_live_stepper_moves_while_a_cell_runs(lab: Lab, page: Page) -> None:
    busy = "import time\nwhile True:\n    time.sleep(0.1)"
    stepper = live(lab, page, "busy", "Stepper(DESK, 'Where is order A-17?', api())", busy)
    forward(stepper, "the model asked", "is called", "returned 'shipped'")
    interrupted: Any = "() => window.jupyterapp.commands.execute('notebook:interrupt-kernel')"
    page.evaluate(
        "() => { const panel = window.jupyterapp.shell.currentWidget;"
        " panel.content.activeCellIndex = 1;"
        " window.jupyterapp.commands.execute('notebook:run-cell'); }"
    )
    expect(page.locator(".jp-CodeCell").nth(1)).to_contain_text("[*]")
    for name, number in (("First", 1), ("Next →", 2)):
        # By keyboard, since JupyterLab scrolls to the cell that runs, away from under a click.
        stepper.get_by_role("button", name=name, exact=True).press("Enter")
        expect_event(stepper, number)
    page.evaluate(interrupted)
