"""Runs inside the sandbox: it has the SDK loaded, and forks a process for each performance.

Each child gets namespaces of its own inside the sandbox that all share: it sees no other process,
no file that another has written, and it can send signals to nobody. Then it gives up the rights
that it needed for that, and only then is anything of a learner's run.

    python -m agentlab.grading.nursery FD WALL    the socket of the orders, and 1 in a sandbox
"""

import ctypes
import gc
import os
import resource
import selectors
import signal
import socket
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from agentlab.exercises.cells import Cell, run_cells
from agentlab.exercises.checking import GRADING
from agentlab.exercises.performing import perform
from agentlab.grading.frames import END, Frame, receive_frame, send_frame

NEW_USER, NEW_MOUNTS, NEW_PIDS, NEW_IPC, NEW_NET = (
    0x10000000,
    0x00020000,
    0x20000000,
    0x08000000,
    0x40000000,
)
"""What `unshare` is asked for; from Linux's sched.h."""
SET_CHILD_SUBREAPER = 36
"""From Linux's prctl.h: what loses its parent becomes a child of this process."""
SET_DUMPABLE = 4
"""From Linux's prctl.h: a process that has changed its user may write its own uid_map again."""
CAPABILITY_VERSION = 0x20080522
"""From Linux's capability.h."""
NOBODY = 65534
STRAYS_SECONDS = 5.0
MOST_INODES = 10_000
"""Files and folders in each place where something can be written."""

libc = ctypes.CDLL(None, use_errno=True)


def main(control: socket.socket, *, walled: bool) -> None:
    """Fork a child for each order until the orders end."""
    if walled:  # without, nobody might not be allowed to read the interpreter's own files
        _become_nobody()
    libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _load()
    send_frame(control, {"ready": True})
    while True:
        word, descriptors, *_ = socket.recv_fds(control, 1, 2)
        if not word:
            return
        if word == END:
            continue  # meant for a child that had ended by itself
        _raise_child(control, descriptors, walled=walled)


def _become_nobody() -> None:
    """Leave root behind, so that the limit on processes holds."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        libc.prctl(SET_DUMPABLE, 1, 0, 0, 0)


def _load() -> None:
    """Load what answers use, once: the SDK, and what its first request loads."""
    import agentlab.loop
    from agentlab.exercises.performing import GIVEN

    def answer(frame: Frame) -> Frame:
        body = (
            '{"id": "msg_1", "type": "message", "role": "assistant", "model": "m",'
            ' "content": [{"type": "text", "text": "hi"}], "stop_reason": "end_turn",'
            ' "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}}'
        )
        return {"status": 200, "headers": {"content-type": "application/json"}, "body": body}

    def look(word: str) -> str:
        """Look a word up."""
        return word

    agent = agentlab.Agent("warm", "", [look])
    agentlab.loop.ask(agent, "hi", client=GIVEN["client"](answer))
    gc.collect()
    gc.freeze()  # what is there now is shared by all children, and never looked at again


def _raise_child(control: socket.socket, descriptors: list[int], *, walled: bool) -> None:
    """Raise a child for one performance and report how it ended; end it when told to.

    The order is read in the child: what this process has read, every later child would inherit.
    """
    parent, reading = _fork_parent(control, descriptors, walled=walled)
    child = int(os.read(reading, 16) or b"0")
    _await_end(child, reading, control)
    _kill(child)
    os.close(reading)
    _, status = os.waitpid(parent, 0)
    _end_strays()
    send_frame(control, {"status": status if child else -1})


def _fork_parent(
    control: socket.socket, descriptors: list[int], *, walled: bool
) -> tuple[int, int]:
    """Fork the process that forks the child.

    Returns:
        Its number, and a pipe that tells the child's number and closes when both are gone.
    """
    reading, writing = os.pipe()
    parent = os.fork()
    if parent == 0:
        try:
            os.close(reading)
            control.close()
            _isolate_and_fork(descriptors, writing, walled=walled)
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(writing)
    for descriptor in descriptors:
        os.close(descriptor)
    return parent, reading


def _await_end(child: int, reading: int, control: socket.socket) -> None:
    """Wait until a child has ended, by itself or because the grader wants it to or is gone."""
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)  # closes when the last process is gone
        selector.register(control, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if control in ready:
                if not control.recv(1):  # one byte, to end it; nothing, when the grader is gone
                    selector.unregister(control)
                _kill(child)
            if reading in ready:
                return


def _kill(child: int) -> None:
    """End the first process of the child's namespace, and so every other one in it."""
    if child > 0:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            return


def _end_strays() -> None:
    """End what a child has left behind; behind a wall its namespace has taken all of it along."""
    until = time.monotonic() + STRAYS_SECONDS
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while time.monotonic() < until:
        try:
            left = [int(number) for number in children.read_bytes().split()]
        except OSError:
            return
        if not left:
            return
        for number in left:
            _kill(number)
            os.waitpid(number, 0)


def _isolate_and_fork(descriptors: list[int], writing: int, *, walled: bool) -> None:
    """Fork the first process of new namespaces, tell its number, and wait for its end."""
    if walled:
        _unshare()
    child = os.fork()
    if child == 0:
        try:
            os.close(writing)
            _live(descriptors)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.write(writing, b"%d" % child)
    for descriptor in descriptors:
        os.close(descriptor)
    os.waitpid(child, 0)


def _unshare() -> None:
    user, group = os.getuid(), os.getgid()
    if libc.unshare(NEW_USER | NEW_MOUNTS | NEW_PIDS | NEW_IPC | NEW_NET):
        raise OSError(ctypes.get_errno(), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _live(descriptors: list[int]) -> None:
    """Be the process in which the learner's code runs."""
    connection, output = descriptors
    order = receive_frame(socket.socket(fileno=os.dup(connection)))
    if order is None:
        return
    limits = order["limits"]
    os.setsid()  # a group of its own: a signal to the whole group reaches nobody outside
    for place in order["covers"]:
        _cover(place, limits["files"])
    home = order["covers"][0] if order["covers"] else tempfile.gettempdir()
    os.chdir(home)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(connection, 3)
    os.closerange(4, 1024)
    _limit(limits)
    if order["covers"]:
        _give_up_rights()
    os.environ.clear()
    os.environ |= {GRADING: "1", "HOME": home, "TMPDIR": home, "PATH": "/usr/bin"}
    _perform(order, socket.socket(fileno=3))


def _cover(place: str, size: int) -> None:
    """Put an empty file system over a folder."""
    options = f"size={size},nr_inodes={MOST_INODES},mode=777".encode()
    if libc.mount(b"tmpfs", place.encode(), b"tmpfs", 0, options):
        raise OSError(ctypes.get_errno(), f"mount on {place}")


def _limit(limits: dict[str, Any]) -> None:
    seconds = int(limits["seconds"] + 3 * limits["cell_seconds"]) + 1
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_FSIZE, limits["files"]),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


def _give_up_rights() -> None:
    """Drop every capability; without them the covers cannot be taken away again."""

    class Header(ctypes.Structure):
        _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))

    class Rights(ctypes.Structure):
        _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "kept"))

    header = Header(CAPABILITY_VERSION, 0)
    if libc.capset(ctypes.byref(header), (Rights * 2)()):
        raise OSError(ctypes.get_errno(), "capset")


def _perform(order: Frame, connection: socket.socket) -> None:
    """Run the learner's cells, then play the case; what is sent is only a claim."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}

    def send(frame: Frame) -> Frame:
        send_frame(connection, frame)
        answer = receive_frame(connection)
        if answer is None:
            os._exit(1)
        return answer

    notes = run_cells(
        [Cell(**cell) for cell in order["cells"]], order["limits"]["cell_seconds"], namespace
    )
    send_frame(connection, {"kind": "ready", "notes": notes})
    finished = perform(order["task"], namespace, send)
    finished["notes"] = [*finished.get("notes", ()), *notes]
    send_frame(connection, {**finished, "kind": "finished"})


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), walled=sys.argv[2] == "1")
