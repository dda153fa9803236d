"""The learner's side of a performance: it calls the answer, and can only ask the judge.

Nothing here is trusted. Whatever it sends is a claim that the judge compares with what it saw.
"""

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from agentlab.language import gettext
from agentlab.threads import NOT_THE_LEARNERS

Frame = dict[str, Any]
Send = Callable[[Frame], Frame]
"""Hands a frame to the judge and returns its answer."""

ERRORS: dict[str, type[Exception]] = {
    each.__name__: each
    for each in (ConnectionError, KeyError, OSError, RuntimeError, TimeoutError, ValueError)
}
"""What a function of the judge's side may raise on this side, beside `ToolError`."""


def perform(task: Frame, namespace: Mapping[str, Any], send: Send) -> Frame:
    """Do what the judge asks for, and say how it went.

    Args:
        task: the judge's `task`.
        namespace: the learner's names.
        send: the way to the judge.

    Returns:
        The last frame: what was returned or raised, or that the name is missing.
    """
    name = task["call"]
    if name not in namespace:
        return {"missing": True, "notes": [gettext("{name} is not defined.", name=name)]}
    answer = namespace[name]
    try:
        if task["look_at"] == "definitions":
            return {"returned": _definitions(answer)}
        if not callable(answer):
            return {"returned": _plain(answer)}
        arguments = {key: _made(value, send) for key, value in task["arguments"].items()}
        returned = answer(**arguments)
        if inspect.iscoroutine(returned):
            returned = asyncio.run(returned)
        return {"returned": _plain(returned)}
    except NotImplementedError as error:
        note = str(error) or gettext("{name} is not written yet.", name=name)
        return {"missing": True, "notes": [note]}
    except BaseException as error:  # also what tells a loop to stop: the judge is told first
        return {"raised": in_words(error)}


def in_words(error: BaseException) -> str:
    """An exception as the learner knows it: its type, its text, and the line of their code."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    lines = [
        entry.tb_lineno for entry in _entries(error) if _is_the_learners(entry.tb_frame.f_globals)
    ]
    if isinstance(error, SyntaxError):
        text, lines = f"{type(error).__name__}: {error.msg}", [error.lineno]
    return gettext("{problem} (line {line})", problem=text, line=lines[-1]) if lines else text


def _entries(error: BaseException) -> list[Any]:
    entries, entry = [], error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    return entries


def _is_the_learners(names: Mapping[str, Any]) -> bool:
    return str(names.get("__name__")).partition(".")[0] not in NOT_THE_LEARNERS


def _plain(value: Any) -> Any:
    """What JSON can hold of a value: blocks of a reply as plain data, the rest as its repr."""
    if inspect.isgenerator(value):
        value = list(value)
    if hasattr(value, "answer") and hasattr(value, "events"):  # a run: its answer is meant
        value = value.answer
    return json.loads(json.dumps(value, default=_as_data))


def _as_data(value: Any) -> Any:
    """An object of the SDK as the data that it stands for, anything else as its repr."""
    return value.to_dict() if hasattr(value, "to_dict") else repr(value)


def _definitions(value: Any) -> Any:
    from agentlab.tools import tool

    return [tool(each).to_param() | {"destructive": tool(each).destructive} for each in value]


def _made(value: Any, send: Send) -> Any:
    """An argument, with what stands for a client, a function or a run put in its place."""
    if isinstance(value, list):
        return [_made(each, send) for each in value]
    if not isinstance(value, dict):
        return value
    if "$function" in value:
        return _function(value["$function"], send)
    if "$given" in value:
        settings = {name: _made(each, send) for name, each in value["settings"].items()}
        return GIVEN[value["$given"]](send, **settings)
    return {name: _made(each, send) for name, each in value.items()}


def _function(heading: Frame, send: Send) -> Any:
    """A function of that name, signature and docstring, which the judge's side runs."""
    from agentlab.tools import tool

    name = heading["name"]

    def ask(arguments: dict[str, Any]) -> Any:
        answer = send({"kind": "function", "name": name, "arguments": arguments})
        if "error" in answer:
            raise _error(*answer["error"])
        return answer["value"]

    source = (
        f"def {name}{heading['signature']}:\n    {heading['doc']!r}\n    return _ask(locals())\n"
    )
    names: dict[str, Any] = {
        "_ask": ask,
        "__name__": "agentlab.exercises.given",
        "Literal": Literal,  # as a signature spells it
    }
    exec(compile(source, "<given>", "exec"), names)
    made = names[name]
    if heading["final"] or heading["destructive"]:
        marks = {"final": heading["final"], "destructive": heading["destructive"]}
        return tool(**marks)(made)
    return made


def _error(kind: str, text: str) -> Exception:
    if kind == "ToolError":
        from anthropic.lib.tools import ToolError

        return ToolError(text)
    if kind in ERRORS:
        return ERRORS[kind](text)
    return RuntimeError(f"{kind}: {text}")


def _client(send: Send) -> Any:
    """A client whose requests go to the judge."""
    import httpx2
    from anthropic import Anthropic, DefaultHttpxClient

    def handle(request: httpx2.Request) -> httpx2.Response:
        answer = send(
            {
                "kind": "api",
                "method": request.method,
                "path": request.url.path,
                "headers": dict(request.headers),
                "body": request.content.decode("utf-8"),
            }
        )
        content = answer["body"].encode()
        return httpx2.Response(answer["status"], headers=answer["headers"], content=content)

    http_client = DefaultHttpxClient(transport=httpx2.MockTransport(handle))
    return Anthropic(
        api_key="practice", base_url="http://practice.invalid", http_client=http_client
    )


def _agent(send: Send, tools: list[Any], instructions: str) -> Any:
    from agentlab.agent import Agent

    return Agent("agent", instructions, tools)


def _events(send: Send, tools: list[Any], question: str, max_steps: int) -> Any:
    from agentlab.loop import run

    messages = [{"role": "user", "content": question}]
    agent = _agent(send, tools, "")
    return run(agent, messages, client=_client(send), max_steps=max_steps)


GIVEN: dict[str, Callable[..., Any]] = {"client": _client, "agent": _agent, "events": _events}
