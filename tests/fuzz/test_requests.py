"""Whatever is sent to the practice API: an answer or a proper refusal, and never its own fault."""

import copy
import json
from typing import Any

import httpx2
from anthropic import APIStatusError
from hypothesis import given, note
from hypothesis import strategies as st

from agentlab.practice import practice, say
from tests.practising import ADD, HAIKU, assistant, call, practising, text, user

URL = "http://practice.invalid/v1/messages"
HEADERS = {"x-api-key": "practice", "anthropic-version": "2023-06-01"}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"}
WHOLE = {
    "model": HAIKU,
    "max_tokens": 100,
    "system": [{"type": "text", "text": "Be short."}],
    "tools": [ADD, {**ADD, "name": "other", "strict": False, "defer_loading": True}],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "stop_sequences": ["END"],
    "metadata": {"user_id": "one"},
    "thinking": {"type": "enabled", "budget_tokens": 50},
    "messages": [
        user("What is 1 + 2?"),
        assistant(text("Let me add."), call("toolu_1")),
        user(RESULT, text("Thank you.")),
        assistant("3."),
        user("And 2 + 2?"),
    ],
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "text", "toolu_1", "add"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key, each in inner for place in places_in(each, (*path, key)))]


PLACES = places_in(WHOLE)[1:]


@st.composite
def changed_requests(draw: st.DrawFn) -> Any:
    """A whole request in which some values are replaced, taken out, doubled or added."""
    body = copy.deepcopy(WHOLE)
    for path in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=4)):
        *way, last = path
        holder: Any = body
        try:
            for key in way:
                holder = holder[key]
            holder[last]
        except (KeyError, IndexError, TypeError):
            continue
        if not isinstance(holder, dict | list):
            continue  # an earlier change has put a text there
        kind = draw(st.sampled_from(["replace", "remove", "add", "double"]))
        if kind == "replace":
            holder[last] = draw(JSON)
        elif kind == "remove":
            del holder[last]
        elif isinstance(holder, list):
            holder.insert(last, copy.deepcopy(holder[last]) if kind == "double" else draw(JSON))
        else:
            holder[draw(st.text(max_size=8))] = draw(JSON)
    return body


def answered(content: bytes, path: str = "") -> httpx2.Response:
    with httpx2.Client(transport=practice(lambda body: say("ok"))) as client:
        return client.post(f"{URL}{path}", content=content, headers=HEADERS)


def require_proper(response: httpx2.Response) -> None:
    note(response.text[:300])
    assert response.status_code in (200, 400, 404, 413)
    told = response.json()
    if response.status_code != 200:
        assert told["type"] == "error"
        assert told["error"]["type"]
        assert isinstance(told["error"]["message"], str)
    assert response.headers["request-id"]


@given(changed_requests())
def test_a_request_with_something_wrong_is_answered_or_refused(body: Any) -> None:
    require_proper(answered(json.dumps(body).encode()))


@given(JSON)
def test_any_json_is_answered_or_refused(body: Any) -> None:
    require_proper(answered(json.dumps(body).encode()))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(content: bytes) -> None:
    require_proper(answered(content))


@given(changed_requests())
def test_tokens_are_counted_or_refused(body: Any) -> None:
    if isinstance(body, dict):
        for name in ("max_tokens", "stop_sequences", "metadata"):
            body.pop(name, None)
    require_proper(answered(json.dumps(body).encode(), "/count_tokens"))


@given(st.lists(changed_requests() | JSON, max_size=3))
def test_a_batch_is_taken_or_refused(bodies: list[Any]) -> None:
    requests = [{"custom_id": f"r{n}", "params": body} for n, body in enumerate(bodies)]
    require_proper(answered(json.dumps({"requests": requests}).encode(), "/batches"))


@given(changed_requests())
def test_the_embedded_model_answers_whatever_is_accepted(body: Any) -> None:
    """Its own faults would be a 500."""
    with httpx2.Client(transport=practice()) as client:
        require_proper(client.post(URL, content=json.dumps(body).encode(), headers=HEADERS))


@given(changed_requests())
def test_streamed_and_plain_say_the_same(body: Any) -> None:
    plain = answered(json.dumps(body).encode())
    if not isinstance(body, dict):
        return
    streamed = answered(json.dumps({**body, "stream": True}).encode())
    assert streamed.status_code == plain.status_code or plain.status_code == 400
    if streamed.status_code == 200:
        assert streamed.text.startswith("event: message_start")
        assert streamed.text.rstrip().split("\n")[-2] == "event: message_stop"


def test_the_whole_request_is_accepted() -> None:
    body = {**WHOLE, "thinking": {"type": "disabled"}}
    assert answered(json.dumps(body).encode()).status_code == 200


def test_the_sdk_raises_its_own_error_for_a_refusal() -> None:
    try:
        practising([say("ok")]).messages.create(model=HAIKU, max_tokens=0, messages=[user("hi")])
    except APIStatusError as error:
        assert error.status_code == 400
