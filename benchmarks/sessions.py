"""One session: a stepper in a fresh notebook of a real JupyterLab, measured from the outside."""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent.parent / "tests"))  # JupyterLab is started as there

from browser.conftest import (
    EXPOSED,
    FLAGS,
    IDLE,
    NO_NEWS,
    SAVED_STATE,
    Lab,
    find_browser,
    shut_kernel_down,
    started,
)
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    WebSocket,
    sync_playwright,
)

HERE = Path(__file__).parent
SCRIPT = (HERE / "page.js").read_text(encoding="utf-8")
VIEWPORT: ViewportSize = {"width": 1200, "height": 1400}
MEMORY = ("import gc, psutil; gc.collect()", "psutil.Process().memory_info().rss")

CLICKS = 30
REST = 20
"""Milliseconds between two clicks."""
LONGEST_CLICK, LONGEST_CLICKS = 3_000, 10_000
"""Milliseconds after which a click that moves nothing, and a series of clicks, is broken off."""
MILLISECONDS_TO_SETTLE = 1_200
MILLISECONDS_BETWEEN_SERIES = 400

LASTING = "import time\nwhile True:\n    time.sleep(0.01)"
SETUP_CELL, LASTING_CELL, SHOWING_CELL = range(3)


@dataclass(frozen=True)
class Subject:
    """A stepper to be measured: how a notebook shows it, and where its words stand in the page."""

    name: str
    importing: str
    showing: str
    root: str
    status: str


STEPPER = Subject(
    "Stepper",
    "from agentlab import Stepper",
    "stepper = Stepper(run)\nstepper",
    ".agentlab-stepper",
    ".agentlab-stepper [role=status]",
)
PLAIN = Subject(
    "plain ipywidgets",
    "from plain_stepper import PlainStepper",
    "stepper = PlainStepper(run)\nstepper",
    ".plain-stepper",
    ".plain-stepper .plain-status",
)


@dataclass(frozen=True)
class Clicks:
    """A series of clicks: of each, the milliseconds until the words change and are painted."""

    changed: tuple[float, ...]
    painted: tuple[float, ...]
    waited: float | None
    """How long the click was waited for that moved nothing, if there was one."""


@dataclass(frozen=True)
class Session:
    """What one session measured."""

    shown: float
    """Milliseconds from running the cell until the first words are painted."""
    received_bytes: int
    output_bytes: int
    """How many of the bytes are the cell's output, which the notebook keeps."""
    comm_opens: int
    clicks: Clicks
    clicks_while_running: Clicks
    messages_sent: int
    """Widget messages that one click makes the page send, and those that come back."""
    messages_received: int
    kernel_bytes: int
    page_bytes: int
    elements: int


@dataclass(frozen=True)
class Frame:
    """One message between a page and its kernel."""

    is_sent: bool
    kind: str
    length: int


class Traffic:
    """What goes between the page's notebook and its kernel, from the last `clear` on."""

    def __init__(self, page: Page) -> None:
        self.frames: list[Frame] = []
        self._page = page
        page.on("websocket", self._listen)

    def clear(self) -> None:
        """Forget what has been seen."""
        self._page.wait_for_timeout(100)  # so that what was sent before has been noted
        self.frames.clear()

    def received(self, kind: str | None = None) -> list[Frame]:
        """The frames from the kernel: all, or those of one kind."""
        return [each for each in self.frames if not each.is_sent and kind in (None, each.kind)]

    def sent(self, kind: str) -> list[Frame]:
        """The frames of one kind to the kernel."""
        return [each for each in self.frames if each.is_sent and kind == each.kind]

    def _listen(self, socket: WebSocket) -> None:
        if "/channels" in socket.url:
            socket.on("framereceived", lambda data: self._note(data, is_sent=False))
            socket.on("framesent", lambda data: self._note(data, is_sent=True))

    def _note(self, data: str | bytes, *, is_sent: bool) -> None:
        length = len(data.encode() if isinstance(data, str) else data)
        self.frames.append(Frame(is_sent, kind_of(data), length))


def kind_of(frame: str | bytes) -> str:
    """The `msg_type` of a frame, in either of Jupyter's two formats.

    The newer one is binary: how many offsets there are, the offsets, and then the parts that lie
    between them: the channel, the header, and so on.
    """
    if isinstance(frame, str):
        return str(json.loads(frame)["header"]["msg_type"])
    start, end = (int.from_bytes(frame[at : at + 8], "little") for at in (16, 24))
    return str(json.loads(frame[start:end])["msg_type"])


@contextmanager
def running_lab() -> Iterator[Lab]:
    """JupyterLab on a free port, as the browser tests start theirs, and as it is by default."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = {**NO_NEWS, **SAVED_STATE}
        with started(Lab, Path(folder), settings, "jupyterlab", EXPOSED) as running:
            yield running


@contextmanager
def running_browser() -> Iterator[Browser]:
    """The computer's Chromium or Chrome."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def notebook(
    lab: Lab, context: BrowserContext, name: str, *cells: str
) -> Iterator[tuple[Page, Traffic]]:
    """A page with a new notebook and its idle kernel, and the traffic between them."""
    lab.write(name, *cells)
    page = context.new_page()
    page.set_default_timeout(120_000)
    traffic = Traffic(page)
    lab.open(page, name)
    page.wait_for_function(IDLE)
    page.evaluate(SCRIPT)
    yield page, traffic
    shut_kernel_down(page)
    page.close()


def measure(lab: Lab, context: BrowserContext, subject: Subject, turns: int, name: str) -> Session:
    """Measure a stepper on a run of so many turns."""
    setup = f"from stepper_runs import long_run\n{subject.importing}\nrun = long_run({turns})"
    cells = (setup, LASTING, subject.showing)
    with notebook(lab, context, name, *cells) as (page, traffic):
        call(page, "run", SETUP_CELL)
        before = footprint(page)
        traffic.clear()
        words = {"status": subject.status, "words": "Event 1 of"}
        shown = call(page, "show", {"cell": SHOWING_CELL, **words})
        page.wait_for_function(IDLE)
        page.wait_for_timeout(MILLISECONDS_TO_SETTLE)
        received = traffic.received()
        after = footprint(page)
        go_to_the_middle(page, subject)
        clicks = click(page, subject)
        go_to_the_middle(page, subject)
        traffic.clear()
        click(page, subject, count=1)
        # The Stepper sends its position only once the reader rests.
        page.wait_for_timeout(MILLISECONDS_BETWEEN_SERIES)
        messages_sent, messages_received = traffic.sent("comm_msg"), traffic.received("comm_msg")
        clicks_while_running = click_while_running(page, subject)
    return Session(
        shown=shown,
        received_bytes=sum(frame.length for frame in received),
        output_bytes=sum(frame.length for frame in received if frame.kind == "execute_result"),
        comm_opens=sum(frame.kind == "comm_open" for frame in received),
        clicks=clicks,
        clicks_while_running=clicks_while_running,
        messages_sent=len(messages_sent),
        messages_received=len(messages_received),
        kernel_bytes=after["kernel"] - before["kernel"],
        page_bytes=after["page"] - before["page"],
        elements=after["elements"] - before["elements"],
    )


def warm_up(lab: Lab, context: BrowserContext) -> None:
    """Show both once, so that no measured page waits for a script that is not in the cache yet."""
    for number, subject in enumerate((STEPPER, PLAIN)):
        setup = f"from stepper_runs import long_run\n{subject.importing}\nrun = long_run(2)"
        with notebook(lab, context, f"warm{number}", setup, subject.showing) as (page, _):
            call(page, "run", 0)
            call(page, "show", {"cell": 1, "status": subject.status, "words": "Event 1 of"})


def call(page: Page, name: str, argument: object = None) -> Any:
    """Call a function of page.js."""
    return page.evaluate(f"(argument) => window.benchmark.{name}(argument)", argument)


def ask(page: Page, code: str, expression: str = "None") -> str:
    """Run code in the page's kernel, outside of any cell; gives the expression's `repr`."""
    return str(call(page, "ask", {"code": code, "expression": expression}))


def footprint(page: Page) -> Mapping[str, int]:
    """The memory of kernel and page in bytes, without what is free to go, and the elements."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("HeapProfiler.collectGarbage")
    used = protocol.send("Runtime.getHeapUsage")["usedSize"]
    protocol.detach()
    return {
        "kernel": int(ask(page, *MEMORY)),
        "page": int(used),
        "elements": page.evaluate("() => document.querySelectorAll('*').length"),
    }


def click(page: Page, subject: Subject, count: int = CLICKS, rest: int = REST) -> Clicks:
    """Click Next where the stepper stands."""
    limits = {"longest": LONGEST_CLICK, "longestInAll": LONGEST_CLICKS}
    places = {"root": subject.root, "status": subject.status}
    measured = call(page, "click", {**places, **limits, "count": count, "rest": rest})
    return Clicks(tuple(measured["changed"]), tuple(measured["painted"]), measured["waited"])


def go_to_the_middle(page: Page, subject: Subject) -> None:
    """Move a stepper so that the clicks of a series lie around the middle of its run."""
    page.wait_for_timeout(MILLISECONDS_BETWEEN_SERIES)
    position = max(0, (int(ask(page, "", "len(run.events)")) - 1 - CLICKS) // 2)
    ask(page, f"stepper.position = {position}")
    call(page, "stands", {"status": subject.status, "words": f"Event {position + 1} of"})


def click_while_running(page: Page, subject: Subject) -> Clicks:
    """Start a cell that does not end by itself, click Next, and interrupt the cell."""
    go_to_the_middle(page, subject)
    call(page, "begin", LASTING_CELL)
    clicks = click(page, subject)
    call(page, "interrupt")
    page.wait_for_function(IDLE)
    return clicks
