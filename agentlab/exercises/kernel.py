"""Checking an answer where it was written: in the learner's own kernel, at once.

What it says is for the learner alone. Code in the same process could fool it; a mark is given by
`agentlab grade`, where the answer runs in a process of its own.
"""

import io
import secrets
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from agentlab.exercises.case import Case, Evidence, Nonce, Verdict
from agentlab.exercises.judging import Judge, Runaway, decide
from agentlab.exercises.performing import Frame, perform
from agentlab.threads import THREADS, printing_to, raise_in, raising_after

SECONDS = 5.0
"""How long an answer may take for one case."""
PATIENCE = 1.0
"""Seconds for code to end that was told to."""


class Halt(BaseException):
    """Ends code that takes too long or goes on calling; no `except Exception` keeps it back."""


def play(
    case: Case, namespace: Mapping[str, Any], seed: str | None = None, seconds: float = SECONDS
) -> tuple[Verdict, Evidence]:
    """Play a case to the answer in `namespace`.

    Args:
        case: what is asked for.
        namespace: the learner's names.
        seed: of the words and numbers in it; fresh ones where it is `None`.
        seconds: how long it may take.

    Returns:
        The verdict, and what it was made from.
    """
    judge = Judge(case.play(Nonce(seed or secrets.token_hex(8))))
    performance = _Performance(judge, namespace)
    in_time = performance.in_a_thread(seconds) if THREADS else performance.right_here(seconds)
    evidence = judge.evidence(performance.finished, None if in_time else "timeout")
    return decide(case, evidence), evidence


class _Performance:
    """The learner's side of one case."""

    def __init__(self, judge: Judge, namespace: Mapping[str, Any]) -> None:
        self.finished: Frame | None = None
        self.ran_away = threading.Event()
        self._judge = judge
        self._namespace = namespace

    def in_a_thread(self, seconds: float) -> bool:
        """Run the answer, and leave it behind where it cannot be ended; gives if it was in time."""
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        thread.join(seconds)
        in_time = not thread.is_alive() or self.ran_away.is_set()
        waited_until = time.monotonic() + PATIENCE
        while thread.is_alive() and time.monotonic() < waited_until:
            raise_in(thread, Halt)
            thread.join(0.05)
        return in_time

    def right_here(self, seconds: float) -> bool:
        """Run the answer in this thread; gives if it was in time.

        Nothing ends an answer that catches even `Halt` and goes on.
        """
        end = time.monotonic() + seconds
        with raising_after(end, Halt):
            self.run()
        return time.monotonic() < end or self.ran_away.is_set()

    def run(self) -> None:
        with printing_to(io.StringIO()):
            self.finished = perform(self._judge.task, self._namespace, self._send)

    def _send(self, frame: Frame) -> Frame:
        try:
            return self._judge.handle(frame)
        except Runaway:
            if self.ran_away.is_set() and THREADS:
                threading.Event().wait()  # it caught the halt: nothing more is answered
            self.ran_away.set()
            raise Halt from None


def callers_names(depth: int = 2) -> Mapping[str, Any]:
    """The names of the notebook, or of whoever called."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    names: Mapping[str, Any] = shell.user_ns if shell else sys._getframe(depth).f_globals
    return names
