"""The judge's side of a performance: it answers, it keeps what it saw, and it decides."""

import inspect
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from agentlab.exercises.case import Case, Effect, Evidence, Given, Scene, State, Verdict
from agentlab.language import gettext
from agentlab.practice.api import PracticeAPI
from agentlab.practice.wire import Answer, Request
from agentlab.recorder import Exchange, Recorder
from agentlab.rules import check_transcript, refused
from agentlab.tools import Tool, tool

Frame = dict[str, Any]
"""One message between the two sides, as JSON can hold it."""

GRACE = 10
"""Calls beyond the limit that are still answered with a refusal, for a loop that gives up late."""
LONGEST_MESSAGE = 900
LONGEST = 300
"""Characters of a learner's or the API's words in a message."""


UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
"""Control characters, and those that turn the direction of what follows."""


def clean(text: str, longest: int = LONGEST) -> str:
    """Text from outside as it may stand in a report: short, printable, and whole characters."""
    short = text[: 4 * longest].encode("utf-8", "replace").decode("utf-8")
    return UNPRINTABLE.sub("", short)[:longest]


def texts_in(value: Any) -> list[str]:
    """The first texts of a list that came from outside; nothing of what is no list."""
    return [clean(str(each)) for each in value[:20]] if isinstance(value, list) else []


class Runaway(Exception):
    """The learner's code goes on calling long after the limit."""


class Judge:
    """Plays one scene to whoever calls `handle`, and keeps what happened.

    Args:
        scene: what is played.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._api = PracticeAPI(scene.script, scene.faults)
        self._functions: dict[str, Callable[..., Any]] = {}
        self._exchanges: list[Exchange] = []
        self._refusals: list[str] = []
        self._effects: list[Effect] = []
        self._calls = 0
        arguments = {name: self._described(each) for name, each in scene.arguments.items()}
        self.task: Frame = {
            "call": scene.call,
            "arguments": arguments,
            "look_at": scene.look_at,
        }
        """What the learner's side is to do."""

    def handle(self, frame: Frame) -> Frame:
        """Answer one frame of the learner's side.

        Raises:
            Runaway: for code that goes on calling although it is told that it may not.
        """
        self._calls += 1
        if self._calls > self._scene.most_calls + GRACE:
            raise Runaway
        if frame.get("kind") == "api":
            return self._answer(frame)
        if frame.get("kind") == "function":
            return self._run(str(frame.get("name")), frame.get("arguments"))
        return {"error": ["ValueError", "There is nothing of that kind to ask for."]}

    def evidence(self, finished: Mapping[str, Any] | None, ending: State | None) -> Evidence:
        """All that is known after the performance.

        Args:
            finished: what the learner's side said of itself at the end, if it came to one.
            ending: why it did not, if it did not.
        """
        finished = finished or {}
        nobody: Any = None  # the exchanges did not come over a client of ours
        over = self._calls > self._scene.most_calls
        raised = finished.get("raised")
        notes = texts_in(finished.get("notes"))
        return Evidence(
            secret=self._scene.secret,
            returned=finished.get("returned"),
            raised=clean(str(raised)) if raised else None,
            missing=bool(finished.get("missing")),
            run=Recorder(nobody, exchanges=self._exchanges).run,
            refusals=tuple(self._refusals),
            effects=tuple(self._effects),
            ending="runaway" if over else ending,
            notes=tuple(notes),
        )

    def _answer(self, frame: Frame) -> Frame:
        if self._calls > self._scene.most_calls:
            return _error(
                f"This exercise allows {self._scene.most_calls} calls, and they are used."
            )
        body = str(frame.get("body") or "").encode("utf-8", "replace")
        told = frame.get("headers")
        headers = (
            {str(k).lower(): str(v) for k, v in told.items()} if isinstance(told, dict) else {}
        )
        method, path = str(frame.get("method")), str(frame.get("path"))
        answer = self._api.answer(Request(method, path, headers, body, {}))
        found = answer.status not in (401, 403, 404, 405)
        if method == "POST" and path == "/v1/messages" and found:
            self._keep(body, headers, answer)
        return {
            "status": answer.status,
            "headers": dict(answer.headers),
            "body": answer.content.decode("utf-8"),
        }

    def _keep(self, body: bytes, headers: Mapping[str, str], answered: Answer) -> None:
        """Keep an exchange; a stream is kept as the message that it makes up."""
        status = answered.status
        try:
            request, answer = json.loads(body), json.loads(answered.content)
        except (ValueError, RecursionError):
            request, answer = _streamed(body, headers, self._api)
        if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
            request = {"model": "", "messages": []}
        self._exchanges.append(Exchange(request, status, answer))
        if status == 400:
            self._refusals.append(str(answer.get("error", {}).get("message", "")))

    def _run(self, name: str, arguments: Any) -> Frame:
        function = self._functions.get(name)
        if function is None or not isinstance(arguments, dict):
            return {"error": ["TypeError", f"There is no function {name!r} to call like this."]}
        if self._calls > self._scene.most_calls:
            return {"error": ["RuntimeError", "The calls that this exercise allows are used."]}
        try:
            result = function(**arguments)
            json.dumps(result)
        except Exception as error:
            words = [type(error).__name__, str(error)]
            self._effects.append(Effect(name, arguments, error=": ".join(words)))
            return {"error": words}
        self._effects.append(Effect(name, arguments, result))
        return {"value": result}

    def _described(self, value: Any) -> Any:
        """A value of the scene as the learner's side can make it."""
        if isinstance(value, Given):
            settings = {name: self._described(each) for name, each in value.settings.items()}
            return {"$given": value.kind, "settings": settings}
        if isinstance(value, list | tuple):
            return [self._described(each) for each in value]
        if callable(value):
            made = tool(value)
            self._functions[made.name] = made.function
            return {"$function": _heading(made)}
        return value


def _heading(made: Tool) -> Frame:
    return {
        "name": made.name,
        "signature": str(inspect.signature(made.function)),
        "doc": inspect.getdoc(made.function) or made.description,
        "final": made.final,
        "destructive": made.destructive,
    }


def _streamed(body: bytes, headers: Mapping[str, str], api: PracticeAPI) -> tuple[Any, Any]:
    """The exchange of a streamed request: the same request asked for plainly has the message."""
    try:
        request = json.loads(body)
        plain = {name: value for name, value in request.items() if name != "stream"}
    except (ValueError, RecursionError, AttributeError):
        return {}, {"type": "error", "error": {"message": "the request is not JSON"}}
    asked = Request("POST", "/v1/messages", headers, json.dumps(plain).encode(), {})
    return request, json.loads(api.answer(asked).content)


def _error(message: str) -> Frame:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    headers = {"content-type": "application/json", "x-should-retry": "false"}
    return {"status": 400, "headers": headers, "body": json.dumps(body)}


# --- the verdict


def decide(case: Case, evidence: Evidence) -> Verdict:
    """What an answer gets for a case.

    Args:
        case: what is asked for.
        evidence: what was seen.
    """
    state, message = _state_of(case, evidence)
    message = clean(message, LONGEST_MESSAGE)
    points = case.points if state == "passed" else 0
    return Verdict(case.name, case.criterion, points, case.points, state, message)


ENDINGS: dict[State, str] = {
    "timeout": gettext(
        "your code was stopped: it took longer than it may. Look for a loop without an end."
    ),
    "runaway": gettext("your loop goes on and on: it makes more calls than this exercise needs."),
    "died": gettext("the process of your code ended before your function returned."),
    "flood": gettext("your code printed far more than anybody can read, and was stopped."),
}


def _state_of(case: Case, evidence: Evidence) -> tuple[State, str]:
    if evidence.ending:
        return evidence.ending, ENDINGS[evidence.ending]
    if evidence.missing:
        return "no_answer", " ".join(evidence.notes) or gettext("there is no answer yet.")
    message = _broken_rule(case, evidence) or case.judge(evidence)
    return ("failed", message) if message else ("passed", "")


def _broken_rule(case: Case, evidence: Evidence) -> str | None:
    """What breaks any exercise: a refused request, an exception, an unsendable transcript."""
    if evidence.refusals and "refusals" not in case.tolerates:
        refusal = evidence.refusals[0][:LONGEST]
        return gettext("the API refused a request of yours: {refusal}", refusal=refusal)
    if evidence.raised and "exceptions" not in case.tolerates:
        return gettext("your code raised {raised}", raised=evidence.raised)
    messages = [*evidence.run.messages]
    while messages and messages[-1]["role"] == "assistant":
        messages.pop()  # a last reply that asks for something and is not answered is the case's own
    broken = refused(check_transcript(messages)) if messages else []
    if not broken:
        return None
    problem = broken[0].problem
    return gettext("what your loop sent cannot be sent again: {problem}", problem=problem)
