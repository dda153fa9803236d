"""The Stepper as people meet it: in JupyterLab and as a page of its own, in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from stepper_runs import HOSTILE, broken_runs, long_run, refused_run, shop_run, small_run

from agentlab import Run
from agentlab.views.page import write_page
from agentlab.views.words import said

from .conftest import Lab, command, shut_kernel_down

SHOP = (
    "from stepper_runs import shop_run\nfrom agentlab import Stepper\nstepper = Stepper(shop_run())"
)
KERNEL_IS_THERE = {"timeout": 30_000}
BROKEN = broken_runs()


def stepper_in(page: Page) -> Locator:
    return page.locator(".agentlab-stepper").first


def expect_event(stepper: Locator, number: int) -> None:
    expect(stepper).to_have_attribute("data-position", str(number))


def press(stepper: Locator, name: str) -> None:
    stepper.get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def saved(page: Page, tmp_path: Path) -> Any:
    """A function that saves a run as a page of its own and opens it."""

    def show(run: Run) -> Locator:
        write_page(run, tmp_path / "run.html")
        page.goto((tmp_path / "run.html").as_uri())
        return stepper_in(page)

    return show


# --- in JupyterLab


def test_stepping_in_the_notebook(lab: Lab, page: Page) -> None:
    lab.write("steps", f"{SHOP}\nstepper", "stepper.position")
    lab.run(page, "steps")
    stepper = stepper_in(page)
    expect(stepper).to_have_attribute("data-kernel", "live", **KERNEL_IS_THERE)
    expect_event(stepper, 1)
    press(stepper, "Next →")
    press(stepper, "Next →")
    expect_event(stepper, 3)
    expect(stepper.get_by_role("status")).to_contain_text("get_order_status returned")
    cells = page.locator(".jp-Cell").count()
    stepper.focus()
    for key, number in (("ArrowLeft", 2), ("End", 29), ("Home", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        expect_event(stepper, number)
    for key in "abxdd":  # keys with which the notebook adds, cuts and deletes cells
        page.keyboard.press(key)
    expect(page.locator(".jp-Cell")).to_have_count(cells)
    page.wait_for_timeout(500)  # the position is sent on once the learner rests
    page.locator(".jp-CodeCell .jp-Editor").nth(1).click()
    command(page, "notebook:run-cell")
    expect(page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")).to_have_text("1")


def test_a_stepper_shown_twice_moves_in_both_places(lab: Lab, page: Page) -> None:
    lab.write("twice", f"{SHOP}\nstepper", "stepper", "stepper.position = 6")
    lab.run(page, "twice")
    first, second = (page.locator(".agentlab-stepper").nth(at) for at in range(2))
    expect_event(first, 7)
    expect_event(second, 7)
    press(second, "Next →")
    expect_event(first, 8)


def test_a_saved_view_steps_without_a_kernel(lab: Lab, page: Page) -> None:
    lab.write("saved", f"{SHOP}\nstepper")
    lab.run(page, "saved")
    stepper = stepper_in(page)
    expect(stepper).to_have_attribute("data-kernel", "live", **KERNEL_IS_THERE)
    press(stepper, "Last")
    command(page, "docmanager:save")
    shut_kernel_down(page)
    press(stepper, "First")
    expect_event(stepper, 1)
    lab.load(page, "saved")
    expect(stepper).to_have_attribute("data-kernel", "gone", **KERNEL_IS_THERE)
    expect(stepper).to_contain_text("changing the run needs a running kernel")
    press(stepper, "First")
    press(stepper, "Next →")
    expect_event(stepper, 2)


def test_dark_theme_and_accessibility_in_the_notebook(lab: Lab, page: Page, axe: str) -> None:
    lab.write("dark", f"{SHOP}\nstepper")
    lab.run(page, "dark")
    stepper = stepper_in(page)
    expect_event(stepper, 1)
    light = background(stepper)
    assert violations(page, axe) == []
    page.evaluate(
        "() => window.jupyterapp.commands.execute('apputils:change-theme',"
        " { theme: 'JupyterLab Dark' }).then(() => 1)"
    )
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    assert brightness(background(stepper)) < 60 < 200 < brightness(light)
    assert violations(page, axe) == []


def background(stepper: Locator) -> str:
    color: str = stepper.evaluate("(element) => getComputedStyle(element).backgroundColor")
    return color


def brightness(color: str) -> float:
    return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3


def violations(page: Page, axe: str) -> list[str]:
    """What axe-core objects to inside the Stepper, one line for each rule."""
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run('.agentlab-stepper')).violations")
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes'][:3]]}"
        for each in found
    ]


# --- as a page of its own


def test_the_page_says_what_python_says(saved: Any, page: Page) -> None:
    for run in (shop_run(), refused_run()):
        stepper = saved(run)
        for at, event in enumerate(run.events):
            words = f"Event {at + 1} of {len(run.events)}: {said(event)}"
            expect(stepper.get_by_role("status")).to_contain_text(words)
            stepper.focus()
            page.keyboard.press("ArrowRight")


def test_everything_is_reached_by_keyboard_alone(saved: Any, page: Page) -> None:
    stepper = saved(shop_run())
    page.keyboard.press("Tab")
    expect(stepper).to_be_focused()
    names = []
    for _ in range(16):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate(
                "() => document.activeElement.ariaLabel ?? document.activeElement.textContent"
            )
        )
    wanted = ["Keys", "First", "← Back", "Next →", "Last", "Play", "Event"]
    assert names[:7] == wanted
    assert names[7] == "Go to event number"
    assert names[8].endswith("model asks")
    assert names[9:14] == ["transcript", "request", "difference", "reply", "context"]
    stepper.focus()
    page.keyboard.press("?")
    expect(stepper.get_by_role("heading", name="Keys")).to_be_visible()
    page.keyboard.press("?")
    expect(stepper.get_by_role("heading", name="Keys")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect_event(stepper, 6)
    page.keyboard.press("PageUp")
    expect_event(stepper, 1)
    page.keyboard.press("2")
    expect(stepper.get_by_role("button", name="request", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    stepper.locator(".agentlab-events button[aria-current]").focus()
    page.keyboard.press("ArrowDown")
    expect_event(stepper, 2)
    assert page.evaluate("() => document.activeElement.ariaCurrent") == "step"


def test_playing_goes_to_the_end_and_can_be_paused(saved: Any, page: Page) -> None:
    stepper = saved(small_run())
    stepper.focus()
    page.keyboard.press(" ")
    expect(stepper.get_by_role("button", name="Pause")).to_be_visible()
    expect_event(stepper, 2)
    page.keyboard.press(" ")
    expect(stepper.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press(" ")
    expect_event(stepper, 5)
    expect(stepper.get_by_role("button", name="Play")).to_be_visible()


def test_jump_slider_and_list(saved: Any, page: Page) -> None:
    stepper = saved(shop_run())
    stepper.get_by_label("Go to event number").fill("9")
    page.keyboard.press("Enter")
    expect_event(stepper, 9)
    stepper.get_by_role("slider", name="Event").fill("3")
    expect_event(stepper, 4)
    stepper.get_by_role("navigation").get_by_role("button").nth(6).click()
    expect_event(stepper, 7)
    current = stepper.locator(".agentlab-events button[aria-current='step']")
    expect(current).to_have_count(1)
    expect(current).to_contain_text("7")
    expect(current).to_have_attribute("title", said(shop_run().events[6]))  # its label is cut


def test_the_block_at_work_is_lit_and_a_result_goes_back(saved: Any) -> None:
    stepper = saved(small_run())
    lit = stepper.locator(".agentlab-block[aria-current]")
    feedback = stepper.locator(".agentlab-feedback")
    for block, is_back in (
        ("model", "false"),
        ("tools", "false"),
        ("environment", "true"),
        ("model", "false"),
        ("goal", "false"),
    ):
        expect(lit).to_have_attribute("data-block", block)
        expect(lit).to_contain_text("at work")
        expect(feedback).to_have_attribute("data-lit", is_back)
        stepper.press("ArrowRight")


def test_calls_results_and_what_is_new(saved: Any) -> None:
    stepper = saved(shop_run())
    body = stepper.locator(".agentlab-body")
    expect(body).to_contain_text("2 messages in the transcript; this event added 1 message.")
    expect(body.locator(".agentlab-pair")).to_have_count(2)
    expect(body).to_contain_text("✓ input fits the schema")
    expect(body).to_contain_text("✗ input does not fit")
    expect(body).to_contain_text('"cents" is a required property')
    expect(body.get_by_text("no tool_result yet")).to_have_count(2)
    press(stepper, "Next →")
    press(stepper, "Next →")
    expect(body.get_by_text("no tool_result yet")).to_have_count(1)
    expect(body).to_contain_text("order A-17 was shipped on Monday")
    press(stepper, "Next →")
    press(stepper, "Next →")
    expect(body).to_contain_text("✗ error invalid arguments")
    expect(body).to_contain_text("this event added a tool_result to the last message")


def test_request_reply_difference_and_context(saved: Any, page: Page) -> None:
    stepper = saved(shop_run())
    body = stepper.locator(".agentlab-body")
    stepper.focus()
    page.keyboard.press("3")
    expect(body).to_contain_text("This is the first request")
    page.keyboard.press("PageDown")
    expect(body).to_contain_text("= 1 message sent again, unchanged")
    expect(body).to_contain_text("+ added: assistant")
    expect(body).to_contain_text("+ added: user")
    page.keyboard.press("2")
    expect(body).to_contain_text('"system": "You answer."')
    expect(body).to_contain_text('"tool_use_id": "toolu_practice_01"')
    page.keyboard.press("4")
    expect(body).to_contain_text('"stop_reason": "tool_use"')
    page.keyboard.press("5")
    expect(body).to_contain_text("last_order")
    expect(stepper.locator(".agentlab-facts")).to_contain_text("run the tools it asks for")


def test_what_a_model_or_a_tool_wrote_stays_text(saved: Any, page: Page) -> None:
    stepper = saved(small_run(result=HOSTILE))
    stepper.focus()
    for key in ("End", "ArrowLeft", "ArrowLeft", "1", "2", "3", "4", "5", "1"):
        page.keyboard.press(key)
        expect(stepper.locator("img, script")).to_have_count(0)
    expect(stepper.locator(".agentlab-body")).to_contain_text("<img src=x")
    assert page.title() != "hacked"


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_run_is_shown_and_stays_usable(saved: Any, page: Page, name: str) -> None:
    stepper = saved(BROKEN[name])
    expect(stepper.get_by_role("status")).not_to_be_empty()
    stepper.focus()
    for key in ("End", "1", "2", "3", "4", "5", "Home", "1"):
        page.keyboard.press(key)
    count = len(BROKEN[name].events)
    if count:
        page.keyboard.press("End")
        expect_event(stepper, count)
    if name == "unknown block":
        expect(stepper).to_contain_text("a block of type hologram, shown as it is")
    if name == "large":
        page.keyboard.press("ArrowLeft")
        expect(stepper).to_contain_text("the result has 2,000,000 characters")
    if name == "no results":
        page.keyboard.press("Home")
        expect(stepper).to_contain_text("rule broken here")


@pytest.mark.parametrize("turns", [2000, 3400])
def test_thousands_of_turns_can_be_stepped(saved: Any, page: Page, turns: int) -> None:
    stepper = saved(long_run(turns))
    stepper.focus()
    page.keyboard.press("End")
    expect_event(stepper, 3 * turns + 1)
    page.keyboard.press("ArrowLeft")
    expect(stepper.get_by_role("status")).to_contain_text(f"get_order_status returned '{turns}")
    stepper.get_by_label("Go to event number").fill("3000")
    page.keyboard.press("Enter")
    expect_event(stepper, 3000)
    stepper.get_by_text("earlier messages").click()
    expect(stepper.locator(".agentlab-folded li")).to_have_count(50)
    assert page.evaluate("() => document.querySelectorAll('.agentlab-stepper *').length") < 2000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_keeps_nobody_out(chromium: Browser, tmp_path: Path, axe: str, scheme: Any) -> None:
    write_page(shop_run(), tmp_path / "run.html")
    page = chromium.new_page(color_scheme=scheme, viewport={"width": 334, "height": 900})
    page.goto((tmp_path / "run.html").as_uri())
    stepper = stepper_in(page)
    press(stepper, "Keys")
    for key in "12345":
        stepper.focus()
        page.keyboard.press(key)
        page.keyboard.press("PageDown")
        assert violations(page, axe) == []
    # 334 pixels are a cell of 668 at twice the size; nothing may stick out of it.
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width <= 334
    page.close()
