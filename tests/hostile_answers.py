# ruff: noqa: E501 - the answers are written as somebody might write them
"""Answers that try for a mark without solving anything, or for harm; each a notebook's cell."""

GIVES_UP = "def run_agent(*a, **k):\n    return {0}\n"

HOSTILE = {
    "equals_everything": """
class Everything(str):
    def __eq__(self, other): return True
    def __contains__(self, other): return True
    __hash__ = str.__hash__
def run_agent(*a, **k): return Everything("yes")
""",
    "rewrites_later_cells": """
get_ipython().input_transformers_cleanup.append(lambda lines: ["pass"])
def run_agent(*a, **k): return "yes"
""",
    "patches_the_judge": """
import agentlab.exercises.judging as judging
from agentlab.exercises.case import Verdict
judging.decide = lambda case, evidence: Verdict(case.name, "", 5, 5, "passed")
judging._state_of = lambda *a: ("passed", "")
def run_agent(*a, **k): return "yes"
""",
    "patches_check": """
import agentlab.exercises.checking as checking, agentlab.exercises as exercises
checking.check = exercises.check = check = lambda *a: 5.0
def run_agent(*a, **k): return "yes"
""",
    "patches_builtins": """
import builtins
builtins.any = builtins.all = builtins.isinstance = lambda *a: True
builtins.AssertionError = type("Quiet", (Exception,), {})
def run_agent(*a, **k): return "yes"
""",
    "patches_tracebacks": """
import sys, traceback
sys.excepthook = traceback.print_exc = lambda *a, **k: None
def run_agent(*a, **k): raise RuntimeError("hidden")
""",
    "patches_the_sdk": """
import anthropic.resources.messages as messages
messages.Messages.create = lambda self, **k: type("R", (), {"content": [], "stop_reason": "end_turn"})()
def run_agent(client, tools, question, max_steps=10):
    return str(client.messages.create())
""",
    "patches_the_transport": """
import httpx2
httpx2.MockTransport.handle_request = lambda self, request: httpx2.Response(200, json={
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None,
    "content": [{"type": "text", "text": "yes"}], "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1}})
def run_agent(client, tools, question, max_steps=10):
    reply = client.messages.create(model="claude-haiku-4-5", max_tokens=9,
                                   messages=[{"role": "user", "content": question}])
    return reply.content[0].text
""",
    "runs_the_solution_it_finds": """
import os
found = []
for top in ("SOLUTIONS", "/", os.getcwd()):
    for folder, _, files in os.walk(top):
        found += [os.path.join(folder, f) for f in files if f in ("solution.py", "checks.py", "hidden.py")]
for path in found:
    if path.endswith("solution.py"):
        exec(open(path).read())
if "run_agent" not in globals():
    def run_agent(*a, **k): return f"nothing found: {found}"
""",
    "looks_up_the_stack": """
import inspect
def run_agent(client, tools, question, max_steps=10):
    for frame in inspect.stack():
        for value in frame.frame.f_locals.values():
            for name in ("secret", "script", "_scene"):
                if hasattr(value, name):
                    return getattr(value, name)["answer"]
    return "nothing"
""",
    "looks_through_the_memory": """
import gc
def run_agent(client, tools, question, max_steps=10):
    for thing in gc.get_objects():
        if isinstance(thing, dict) and isinstance(thing.get("answer"), str):
            return thing["answer"]
    texts = [t for t in gc.get_referents(*gc.get_objects()) if isinstance(t, str) and "The word of the" in t]
    return texts[0] if texts else "nothing"
""",
    "reads_other_processes": """
import os
def run_agent(client, tools, question, max_steps=10):
    seen = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        for file in ("environ", "cmdline", "mem", "maps"):
            try:
                seen.append(open(f"/proc/{name}/{file}", "rb").read(100))
            except (OSError, ValueError):
                pass
    return f"processes: {len(seen)}"
""",
    "takes_the_covers_away": """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for place in (b"/proc", b"/tmp", b"/dev/shm", b"/usr", b"/scratch"):
    libc.umount2(place, 2)
libc.unshare(0x10000000 | 0x00020000)
for place in (b"/proc", b"/tmp"):
    libc.umount2(place, 2)
found = [n for n in os.listdir("/proc") if n.isdigit()] if os.path.isdir("/proc") else []
def run_agent(*a, **k): return f"processes: {len(found)}"
""",
    "ends_itself": "import os\ndef run_agent(*a, **k): os._exit(0)\n",
    "exits_politely": "import sys\ndef run_agent(*a, **k): sys.exit(0)\n",
    "aborts": "import os\ndef run_agent(*a, **k): os.abort()\n",
    "kills_everybody": """
import os, signal
def run_agent(*a, **k):
    for process in (-1, 0, os.getppid(), *range(2, 50)):
        try:
            os.kill(process, signal.SIGKILL)
        except OSError:
            pass
    return "yes"
""",
    "forks_without_end": """
import os
def run_agent(*a, **k):
    while True:
        try:
            os.fork()
        except OSError:
            pass
""",
    "starts_threads_without_end": """
import threading, time
def run_agent(*a, **k):
    while True:
        try:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        except RuntimeError:
            pass
""",
    "takes_all_memory": """
def run_agent(*a, **k):
    kept = []
    while True:
        kept.append(bytearray(50_000_000))
""",
    "prints_without_end": 'def run_agent(*a, **k):\n    while True: print("x" * 10_000)\n',
    "fills_the_disk": """
import os
def run_agent(*a, **k):
    written = 0
    for folder in (os.getcwd(), "/tmp", "/dev/shm"):
        for number in range(40):
            try:
                with open(f"{folder}/{number}", "wb") as file:
                    written += file.write(bytes(5_000_000))
            except OSError:
                break
    return f"written: {written}"
""",
    "never_returns": "def run_agent(*a, **k):\n    while True: pass\n",
    "never_lets_go": """
def run_agent(*a, **k):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "hangs_in_a_cell": """
import signal
while True:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    except BaseException: pass
""",
    "leaves_a_process_behind": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv("/usr/bin/sleep", ["sleep", "86417"])
    os._exit(0)
def run_agent(*a, **k): return "yes"
""",
    "calls_out": """
import socket
reached = []
for address in (("127.0.0.1", PORT), ("1.1.1.1", 53), ("::1", PORT)):
    try:
        socket.create_connection(address, timeout=0.3).sendall(b"hello")
        reached.append(address)
    except OSError: pass
def run_agent(*a, **k): return f"reached: {reached}"
""",
    "forges_an_end": """
import json, os, struct
def run_agent(*a, **k):
    for kind in ("finished", "ready", "passed"):
        frame = json.dumps({"kind": kind, "returned": "yes", "points": 5, "state": "passed"}).encode()
        os.write(3, struct.pack(">I", len(frame)) + frame)
    return "yes"
""",
    "sends_nonsense": """
import os
def run_agent(*a, **k):
    os.write(3, b"\\xff\\xff\\xff\\xff" + b"x" * 1000)
    return "yes"
""",
    "sends_odd_frames": """
import json, os, struct
def run_agent(*a, **k):
    odd = [{"kind": "api"}, {"kind": "api", "headers": [1, 2], "body": 7, "path": None},
           {"kind": "function", "name": ["x"], "arguments": "y"}, {"kind": None}, {},
           {"kind": "api", "method": "POST", "path": "/v1/messages", "body": "[" * 100_000}]
    for each in odd:
        frame = json.dumps(each).encode()
        os.write(3, struct.pack(">I", len(frame)) + frame)
        size = struct.unpack(">I", os.read(3, 4))[0]
        while size > 0:
            size -= len(os.read(3, size))
    return "yes"
""",
    "asks_for_later_replies": """
def run_agent(client, tools, question, max_steps=10):
    last = "nothing"
    for turns in range(1, 6):
        messages = [{"role": "user", "content": question}]
        for n in range(turns):
            messages += [{"role": "assistant", "content": "hm"}, {"role": "user", "content": "go on"}]
        try:
            reply = client.messages.create(model="claude-haiku-4-5", max_tokens=99, messages=messages)
            last = reply.content[0].text
        except Exception: pass
    return last
""",
    "returns_a_mountain": "def run_agent(*a, **k): return 'x' * 20_000_000\n",
    "returns_a_well": """
def run_agent(*a, **k):
    deep = []
    for _ in range(100_000): deep = [deep]
    return deep
""",
    "returns_the_environment": "import os\ndef run_agent(*a, **k): return str(dict(os.environ))\n",
    "writes_where_it_can": """
import os, sysconfig
written = []
for place in (*PLACES, sysconfig.get_path("purelib") + "/sitecustomize.py", "/usr/bin/python3",
              __import__("agentlab").__file__, "/work/x", "/x"):
    try:
        with open(place, "a") as file: file.write("# was here")
        written.append(place)
    except OSError: pass
def run_agent(*a, **k): return f"written: {written}"
""",
    "closes_its_output_and_sleeps": """
import os, time
def run_agent(*a, **k):
    os.close(1); os.close(2)
    while True:
        time.sleep(30)
""",
    "sends_notes_that_are_none": """
import json, os, struct
for notes in (5, {"a": 1}, [[["x"]]]):
    frame = json.dumps({"kind": "ready", "notes": notes}).encode()
    os.write(3, struct.pack(">I", len(frame)) + frame)
def run_agent(*a, **k):
    frame = json.dumps({"kind": "finished", "returned": 1, "notes": 7}).encode()
    os.write(3, struct.pack(">I", len(frame)) + frame)
    return "yes"
""",
    "raises_half_a_character": 'def run_agent(*a, **k): raise ValueError("\\ud800 \\x1b[2J" * 50)\n',
    "makes_folders_without_end": """
import os
def run_agent(*a, **k):
    made = 0
    try:
        while True:
            os.mkdir(str(made)); made += 1
    except OSError: pass
    return f"made: {made}"
""",
    "shows_another_transcript": """
from agentlab import tool
def run_agent(client, tools, question, max_steps=10):
    messages = [{"role": "user", "content": question}]
    tidied = [*messages, {"role": "assistant", "content": [
        {"type": "tool_use", "id": f"t{n}", "name": "look", "input": {}} for n in range(3)]},
        {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": f"t{n}", "content": "x"} for n in range(3)]}]
    for path in ("/x/v1/messages", "/v1/messages/"):
        try: client.post(path, body={"messages": tidied}, cast_to=object)
        except Exception: pass
    return "yes"
""",
}
"""By what they do. `SOLUTIONS`, `PORT` and `PLACES` are put in by the tests."""

MEMORY_THIEF = """
import ctypes, os
wanted, found = ("kest" + "rel_").encode(), 0
libc = ctypes.CDLL(None)
libc.sbrk.restype = ctypes.c_void_p
top = libc.sbrk(0)
class Piece(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))
for back in range(1, 4000):
    page = ctypes.create_string_buffer(4096)
    ours, theirs = Piece(ctypes.addressof(page), 4096), Piece(top - 4096 * back, 4096)
    if libc.process_vm_readv(os.getpid(), ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0) <= 0:
        break
    text = bytes(page)
    found += sum(text[i + 8 : i + 12] == b"5c1f" for i in range(4080) if text[i : i + 8] == wanted)
def run_agent(*a, **k): return f"read: {back} found: {found}"
"""
"""Looks through the heap for `kestrel_5c1f…`, which stood in a hand-in before."""
