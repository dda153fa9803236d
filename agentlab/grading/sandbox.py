"""A place where code that nobody trusts can run: nothing to read, nothing to reach, no way out."""

import os
import select
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import agentlab
from agentlab.errors import AgentlabError, ConfigurationError
from agentlab.exercises.case import State
from agentlab.exercises.cells import Cell
from agentlab.exercises.judging import Runaway, texts_in
from agentlab.grading.frames import END, ORDER, BrokenFrame, Frame, receive_frame, send_frame
from agentlab.language import gettext

Tier = Literal["bwrap", "container", "limits only"]

BWRAP_ROOT = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
"""For root, who becomes nobody inside: with a user namespace, the limit on processes would not
hold, as it does not for root."""
NOT_THERE = ("exercises/given", "locale")
"""Folders of the package that hold what is asked, in any language; they are empty in the sandbox.
There, English is spoken: the notes on a notebook's cells are written inside."""
SCRATCH = "/scratch"
START_SECONDS = 60.0


class SandboxBroken(AgentlabError):
    """The sandbox could not do its work; that says nothing about the answer in it."""


@dataclass(frozen=True)
class Limits:
    """What a performance may use."""

    seconds: float = 4.0
    """Wall-clock time from the end of the cells to the end of the case."""
    cell_seconds: float = 4.0
    """Wall-clock time of one cell of the notebook."""
    hand_in_seconds: float = 8.0
    """Wall-clock time after which no further case of a hand-in is tried that keeps hanging."""
    memory: int = 1_000_000_000
    """Bytes of address space of one process."""
    processes: int = 64
    files: int = 16_000_000
    """Bytes of one file, and of each place where files can be written."""
    output: int = 1_000_000
    """Bytes that may be printed."""


@dataclass(frozen=True)
class Performance:
    """How a performance in the sandbox went."""

    finished: Frame | None = field(repr=False)
    """What the learner's side said at the end; a claim."""
    ending: State | None
    """Why it did not come to an end, if it did not."""
    notes: tuple[str, ...] = ()
    """What running the cells gave cause for."""
    cells_ran: bool = True
    """Whether the cells came to their end at all."""


@cache
def probe() -> Tier:
    """The strongest wall there is on this machine, tried out once."""
    if sys.platform == "linux" and shutil.which("bwrap"):
        tried = subprocess.run(
            [*_bwrap(), sys.executable, "-c", "print('in')"], capture_output=True, check=False
        )
        if tried.stdout.strip() == b"in":
            return "bwrap"
    inside = any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))
    return "container" if inside else "limits only"


def require_wall(*, trust_submissions: bool) -> Tier:
    """The strongest wall there is.

    Raises:
        ConfigurationError: where it does not keep a hand-in from this computer's files, unless
            the hand-ins are trusted.
    """
    tier = probe()
    if tier == "limits only" and not trust_submissions:
        raise ConfigurationError(
            "Nothing on this computer keeps a hand-in from its files and its network. Install "
            "bubblewrap (Linux) or grade in a container; --trust-submissions goes on without."
        )
    return tier


def _readable() -> list[str]:
    """What answers need of this computer: the interpreter, and the packages."""
    interpreter = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    package = str(Path(agentlab.__file__).parent)
    return ["/usr", *sorted(interpreter), sysconfig.get_path("purelib"), package]


def _covered() -> list[str]:
    """Folders that each child gets empty and for itself; the first is the one it works in."""
    packages_below_tmp = any(path.startswith("/tmp/") for path in _readable())
    return [SCRATCH, "/proc", "/dev/shm", *([] if packages_below_tmp else ["/tmp"])]


def _bwrap() -> list[str]:
    """The command that everything in the sandbox is started with."""
    package, readable = Path(agentlab.__file__).parent, _readable()
    links = [("usr/lib", "/lib"), ("usr/lib64", "/lib64"), ("usr/bin", "/bin")]
    root = os.getuid() == 0
    command = ["bwrap", *(BWRAP_ROOT if root else ("--unshare-all",))]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    if root:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    command += ["--tmpfs", "/tmp", "--perms", "0755", "--dir", SCRATCH]
    parents = {str(parent) for path in readable for parent in Path(path).parents}
    for parent in sorted(parents - {"/", "/tmp"}):
        command += ["--perms", "0755", "--dir", parent]  # else whoever is not root stays outside
    for path in dict.fromkeys(readable):
        command += ["--ro-bind", path, path]
    for target, link in links:
        command += ["--symlink", target, link]
    for folder in NOT_THERE:
        if (package / folder).is_dir():
            command += ["--tmpfs", str(package / folder)]
    command += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc"]
    command += ["--dev", "/dev"]
    for place in ("/dev", "/tmp", "/"):
        command += ["--remount-ro", place]
    return [*command, "--chdir", "/", "--setenv", "PYTHONPATH", str(package.parent)]


class Sandbox:
    """One sandbox with one nursery in it; performances happen in it one after the other.

    Args:
        tier: how strong the wall has to be; what `probe` found where it is `None`.
    """

    def __init__(self, tier: Tier | None = None) -> None:
        self.tier: Tier = tier or probe()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything in the sandbox."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._control = self._process = None

    def perform(
        self,
        cells: Sequence[Cell],
        task: Frame,
        handle: Callable[[Frame], Frame],
        limits: Limits,
    ) -> Performance:
        """Run cells and play a task to what they define.

        Args:
            cells: the learner's cells.
            task: what to do with their names.
            handle: answers the frames that come out of the sandbox; raises to end it.
            limits: what may be used.

        Raises:
            SandboxBroken: where the sandbox itself failed; the next call starts a new one.
        """
        try:
            return self._perform(cells, task, handle, limits)
        except (OSError, BrokenFrame) as error:
            self.close()
            raise SandboxBroken(
                gettext("The sandbox ended: {error}. Try once more.", error=error)
            ) from error

    def _perform(
        self,
        cells: Sequence[Cell],
        task: Frame,
        handle: Callable[[Frame], Frame],
        limits: Limits,
    ) -> Performance:
        control = self._nursery()
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        order = {
            "cells": [asdict(cell) for cell in cells],
            "task": task,
            "limits": asdict(limits),
            "covers": _covered() if self.tier == "bwrap" else [],
        }
        watch = _Watch(limits, reading, end=lambda: control.send(END))
        with ours:
            with theirs:
                socket.send_fds(control, [ORDER], [theirs.fileno(), writing])
                os.close(writing)
            send_frame(ours, order)  # past the nursery, in whose memory it would stay for others
            performance = watch.over(ours, handle)
            control.send(END)
            status = receive_frame(control)
        if status is None or status.get("status") != 0:
            raise BrokenFrame(gettext("no process could be made: {status}", status=status))
        return performance

    def _nursery(self) -> socket.socket:
        """The socket of a nursery that is running."""
        if self._control is not None and self._process and self._process.poll() is None:
            return self._control
        self.close()
        ours, theirs = socket.socketpair()
        walls = _bwrap() if self.tier == "bwrap" else []
        nursery = ["-m", "agentlab.grading.nursery", str(theirs.fileno()), "1" if walls else "0"]
        command = [*walls, sys.executable, *nursery]
        environment = {"PATH": os.defpath, "PYTHONPATH": str(Path(agentlab.__file__).parents[1])}
        self._process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        theirs.close()
        ours.settimeout(START_SECONDS)
        self._control = ours
        if receive_frame(ours) is None:
            assert self._process.stderr
            said = self._process.stderr.read().decode("utf-8", "replace")
            raise BrokenFrame(gettext("it did not start: {said}", said=said[-500:]))
        return ours


class _Watch:
    """Sees to it that a performance comes to an end, and keeps what it prints from piling up."""

    def __init__(self, limits: Limits, output: int, end: Callable[[], object]) -> None:
        self._limits = limits
        self._output = output
        self._end = end
        self._ending: State | None = None
        self._over = threading.Event()
        self.cells_ran = False
        self._ends_at = time.monotonic() + 3 * limits.cell_seconds + limits.seconds

    def over(self, connection: socket.socket, handle: Callable[[Frame], Frame]) -> Performance:
        """Answer frames until the performance is over, one way or another."""
        guard = threading.Thread(target=self._guard, daemon=True)
        guard.start()
        notes: list[str] = []
        finished, died = None, False
        try:
            while finished is None:
                frame = receive_frame(connection)
                if frame is None:
                    died = True
                    break
                if frame.get("kind") == "finished":
                    finished = frame
                elif frame.get("kind") == "ready":
                    notes = notes or texts_in(frame.get("notes"))
                    self._ends_at = min(self._ends_at, time.monotonic() + self._limits.seconds)
                    self.cells_ran = True
                else:
                    send_frame(connection, handle(frame))
        except Runaway:
            self._ending = "runaway"
        except (BrokenFrame, OSError):
            died = True
        finally:
            self._over.set()
            guard.join()
        ending = self._ending or ("died" if died else None)
        return Performance(finished, ending, tuple(notes[:20]), self.cells_ran)

    def _guard(self) -> None:
        """Read and drop what is printed; end what prints too much or takes too long."""
        printed = 0
        with open(self._output, "rb", buffering=0) as output:
            while not self._over.is_set():
                readable, _, _ = select.select([output], [], [], 0.02)
                part = output.read(65_536) if readable else b""
                printed += len(part)
                if readable and not part:  # nothing can print any more; the clock goes on
                    self._over.wait(max(self._ends_at - time.monotonic(), 0))
                if printed > self._limits.output:
                    self._ending = self._ending or "flood"
                elif time.monotonic() > self._ends_at:
                    self._ending = self._ending or "timeout"
                else:
                    continue
                self._end()
                return
