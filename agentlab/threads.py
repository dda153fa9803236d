"""What a loop in a thread of its own needs: a place for its prints, and a way to be ended."""

import contextlib
import ctypes
import io
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

NOT_THE_LEARNERS = {*sys.stdlib_module_names, "agentlab", "anthropic", "httpx2", "pydantic"}
"""Packages below a loop, which are left in peace when the loop is ended."""
THREADS = getattr(getattr(sys, "_emscripten_info", None), "pthreads", True)
"""Whether this Python can start a thread; in a browser it cannot."""


class _Printed(io.TextIOBase):
    """Stands in for standard output: what some threads write goes to their own texts."""

    def __init__(self, otherwise: Any) -> None:
        self.otherwise = otherwise
        self.texts: dict[int, io.StringIO] = {}

    def write(self, text: str) -> int:
        target = self.texts.get(threading.get_ident(), self.otherwise)
        return int(target.write(text) or 0)

    def flush(self) -> None:
        if threading.get_ident() not in self.texts:
            self.otherwise.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.otherwise, name)


_printing = threading.Lock()


@contextlib.contextmanager
def printing_to(text: io.StringIO) -> Iterator[None]:
    """Have what this thread prints go into `text`; what other threads print is left alone."""
    own = threading.get_ident()
    with _printing:
        if not isinstance(sys.stdout, _Printed):
            sys.stdout = _Printed(sys.stdout)
        output = sys.stdout
        before = output.texts.get(own)
        output.texts[own] = text
    try:
        yield
    finally:
        with _printing:
            if before is None:
                del output.texts[own]
            else:
                output.texts[own] = before
            if not output.texts and sys.stdout is output:
                sys.stdout = output.otherwise


def raise_in(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise an exception in another thread, if it is in the learner's own code at this moment.

    Elsewhere it might hold a lock, which nobody would give back. Nothing else ends a loop that
    neither returns nor calls anything of ours. Source: `PyThreadState_SetAsyncExc` in Python's C
    API.
    """
    frame = sys._current_frames().get(thread.ident or 0)
    if frame is not None and _is_the_learners(frame):
        set_exception: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raised: Any = ctypes.py_object
        set_exception(ctypes.c_ulong(thread.ident or 0), raised(error))


def _is_the_learners(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return package not in NOT_THE_LEARNERS


@contextlib.contextmanager
def raising_after(end: float, error: type[BaseException]) -> Iterator[None]:
    """From `end` on, of the monotonic clock, raise an exception at a line of the learner's own.

    For a Python without threads, in which nobody else could end a loop that calls nothing. Once:
    Python forgets a trace function that has raised.
    """

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and time.monotonic() > end and _is_the_learners(frame):
            raise error
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def raise_in_handlers(error: type[BaseException]) -> None:
    """From now on, raise an exception wherever this thread's own code handles one.

    A loop may catch whatever its client raises and begin again; it cannot catch what is raised in
    its handler. Python forgets a trace function that has raised, so leaving a frame sets it anew.
    """

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and sys.exc_info()[0] is not None and _is_the_learners(frame):
            raise error
        return trace

    def watch(frame: FrameType | None) -> None:
        sys.settrace(trace)
        while frame is not None:
            frame.f_trace = trace
            frame = frame.f_back

    def leave(frame: FrameType, event: str, argument: Any) -> None:
        if event == "return":
            watch(frame.f_back)

    watch(sys._getframe(1))
    sys.setprofile(leave)


def below(traceback: TracebackType | None, file: str) -> TracebackType | None:
    """A traceback from where it leaves `file`: the learner's own lines."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename == file:
        traceback = traceback.tb_next
    return traceback
