"""The benchmark compares like with like, and its report says what was measured."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from stepper_runs import HOSTILE, long_run, refused_run, shop_run

from agentlab import Run, Stepper
from agentlab.views.words import said

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from loop import exponent
from loops import IN_PROCESS, ON_A_PORT, Loop
from plain_stepper import PlainStepper
from report import Comparison, lines_of, report_in_markdown
from results import HEAD, PAGE, SECTIONS, write_section
from sessions import Clicks, Session, kind_of

CLICKS = Clicks(changed=(1.0, 2.0, 3.0), painted=(4.0, 5.0, 6.0), waited=None)
SESSION = Session(
    shown=400,
    received_bytes=1_300,
    output_bytes=100,
    comm_opens=2,
    clicks=CLICKS,
    clicks_while_running=CLICKS,
    messages_sent=1,
    messages_received=1,
    kernel_bytes=1_000_000,
    page_bytes=0,
    elements=10,
)


@pytest.mark.parametrize("run", [shop_run(), refused_run(), long_run(3)], ids=str)
def test_both_steppers_show_the_same_events_in_the_same_words(run: Run) -> None:
    stepper, plain = Stepper(run), PlainStepper(run)
    assert len(plain.list.options) == plain.slider.max + 1 == len(stepper.payload["events"])
    for position, event in enumerate(run.events):
        stepper.position = plain.position = position
        words = repr(stepper).removeprefix("Stepper: event ")
        assert plain.status.value == f"Event {words.replace(',', ':', 1)}"
        assert said(event) in plain.status.value
        assert plain.list.index == position


def test_the_plain_stepper_moves_as_its_buttons_say() -> None:
    plain = PlainStepper(long_run(3))
    first, back, following, last = plain.children[0].children[:4]
    places = []
    for button in (following, following, back, last, following, back, first, back):
        button.click()
        places.append(plain.position)
    assert places == [1, 2, 1, 9, 9, 8, 0, 0]


def test_the_plain_stepper_shows_request_reply_and_the_messages_of_the_step() -> None:
    plain = PlainStepper(long_run(3))
    plain.position = 5
    assert "2 earlier messages" in plain.transcript.value
    assert "toolu_00002" in plain.transcript.value
    assert "toolu_00003" not in plain.transcript.value
    assert "max_tokens" in plain.request.value
    assert "msg_00002" in plain.reply.value
    assert plain.tokens.value.startswith("this step: 580 tokens in, 22 out; so far: 1,020 in")


def test_the_plain_stepper_keeps_markup_of_the_model_as_text() -> None:
    run = shop_run()
    plain = PlainStepper(run)
    plain.position = len(run.events) - 1
    shown = plain.transcript.value + plain.request.value + plain.reply.value
    assert HOSTILE not in shown
    assert "&lt;script&gt;" in shown


def test_messages_are_known_by_their_kind_in_both_formats() -> None:
    parts = [b"shell", json.dumps({"msg_type": "comm_open"}).encode(), b"{}", b"{}", b"{}"]
    starts = [8 * (len(parts) + 2)]
    for part in parts:
        starts.append(starts[-1] + len(part))
    numbers = [len(starts), *starts]
    binary = b"".join([*(number.to_bytes(8, "little") for number in numbers), *parts])
    assert kind_of(binary) == "comm_open"
    assert kind_of('{"header": {"msg_type": "status"}}') == "status"


def test_the_report_says_which_aims_hold() -> None:
    slow = Clicks(changed=(20.0,) * 3, painted=(30.0,) * 3, waited=None)
    waiting = Clicks(changed=(), painted=(), waited=3_000.4)
    plain = replace(SESSION, clicks=slow, clicks_while_running=waiting, comm_opens=41)
    comparison = Comparison(12, 1_000, (SESSION,) * 3, (plain,) * 3)
    lines = {line.name: line for line in lines_of(comparison)}
    assert lines["shown, ms"].aim == "≤ 500: holds"
    assert lines["bytes per transcript byte"].aim == "≤ 1.3: holds"
    assert lines["click to changed, ms"].aim == "≤ 0.1 of plain: holds"
    assert lines["click to painted, ms"].aim == "≤ 0.1 of plain: missed"
    assert lines["changed, cell running, ms"].plain == "waits (> 3 s)"
    assert lines["changed, cell running, ms"].ratio == "< 0.0007"
    page = report_in_markdown([comparison], 3, "what there was.")
    assert "| comm_open messages | 2 | 41 | 0.05 | 2: holds |" in page
    assert "Medians of 3 sessions" in page


# --- the loops ---


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("loop", [*IN_PROCESS, *ON_A_PORT[:2]], ids=lambda each: each.name)
def test_a_loop_has_the_whole_conversation(loop: Loop, steps: int) -> None:
    with loop.opened(steps) as api:
        assert loop.talk(api, steps) == "done"


def test_what_grows_with_the_square_of_the_steps_has_the_exponent_two() -> None:
    assert exponent({1: 5.0, 10: 1.0, 100: 100.0}) == pytest.approx(2)
    assert exponent({10: 3.0, 100: 30.0}) == pytest.approx(1)


# --- the page ---


def test_a_section_is_written_in_place_of_its_old_one(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    first, second = SECTIONS[:2]
    write_section(second, ["Old.", "", "### A part", "", "- One."], page)
    write_section(first, ["The first.", ""], page)
    write_section(second, ["New."], page)
    wanted = [*HEAD, f"## {first}", "The first.", f"## {second}", "New."]
    assert page.read_text("utf-8") == "\n\n".join(wanted) + "\n"


def test_a_section_keeps_the_headings_below_its_own(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    write_section(SECTIONS[1], ["Before.", "", "### A part", "", "After."], page)
    whole = page.read_text("utf-8")
    write_section(SECTIONS[0], ["Above."], page)
    assert page.read_text("utf-8").endswith(whole.partition("\n## ")[2])


def test_a_section_without_a_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="There is no section 'Elsewhere'"):
        write_section("Elsewhere", [], tmp_path / "RESULTS.md")


def test_the_page_has_every_section() -> None:
    page = PAGE.read_text("utf-8")
    assert re.findall(r"^## (.+)$", page, re.M) == list(SECTIONS)
