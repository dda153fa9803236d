"""A streamed reply is the plain reply, in the order and the shapes of the API."""

import asyncio
from typing import Any

import anthropic
import pytest
from practising import ADD, HAIKU, MULTIPLY, practising, practising_async, user

from agentlab.practice import (
    Reply,
    both,
    break_off,
    cut_off,
    garbled,
    overloaded,
    pause,
    refuse,
    say,
    think,
    use,
)

REQUEST: dict[str, Any] = {
    "model": HAIKU,
    "max_tokens": 1000,
    "messages": [user("What is (2 + 3) times 4?")],
    "tools": [ADD, MULTIPLY],
}
REPLIES = {
    "text": say("It is 20, which is four times five. Grüße, 数字 🎉"),
    "blank": say(" \n"),
    "empty": say(""),
    "call": use("add", a=2, b=3),
    "calls": both(say("I add."), use("add", a=2, b=3), use("multiply", a=5, b={"c": ["ü", None]})),
    "empty_input": use("now"),
    "thinking": both(think("First the sum, then the product."), use("add", a=2, b=3)),
    "thinking_unseen": both(think(), say("20")),
    "cut_off": cut_off(both(say("I add."), use("add", a=2, b=3))),
    "cut_off_before_all": cut_off(use("now", zone="UTC")),
    "refusal": refuse("No.", category="bio"),
    "pause": pause(),
    "stop_sequence": say("20", stop_reason="stop_sequence", stop_sequence="END"),
}
each_reply = pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)


@each_reply
def test_a_stream_adds_up_to_the_plain_reply(reply: Reply) -> None:
    client = practising([reply])
    plain = client.messages.create(**REQUEST)
    with client.messages.stream(**REQUEST) as stream:
        streamed = stream.get_final_message()
    assert streamed.to_dict() == plain.to_dict()
    assert stream.request_id == plain._request_id


@each_reply
def test_the_same_for_the_async_client(reply: Reply) -> None:
    async def both_ways() -> tuple[Any, Any]:
        async with practising_async([reply]) as client:
            plain = await client.messages.create(**REQUEST)
            async with client.messages.stream(**REQUEST) as stream:
                return plain, await stream.get_final_message()

    plain, streamed = asyncio.run(both_ways())
    assert streamed.to_dict() == plain.to_dict()


def sent(reply: Reply) -> list[tuple[str, str]]:
    """The names of the events as they are sent, pings included, each with its data."""
    client = practising([reply])
    with client.messages.with_streaming_response.create(**REQUEST, stream=True) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        blocks = response.text().strip().split("\n\n")
    lines = [block.split("\n") for block in blocks]
    return [(name.removeprefix("event: "), data.removeprefix("data: ")) for name, data in lines]


def test_the_order_of_the_events() -> None:
    names = [name for name, _ in sent(both(say("Hi."), use("now")))]
    assert names == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
        "content_block_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]


def events(reply: Reply) -> list[Any]:
    return list(practising([reply]).messages.create(**REQUEST, stream=True))


def test_the_beginning_and_the_end() -> None:
    start, *_, delta, stop = events(say("Hi."))
    assert (start.message.content, start.message.stop_reason) == ([], None)
    assert start.message.usage.output_tokens == 1
    assert delta.delta.stop_reason == "end_turn"
    assert delta.usage.output_tokens > 1
    assert stop.type == "message_stop"


def test_the_input_of_a_call_begins_with_nothing() -> None:
    deltas = [event.delta.partial_json for event in events(use("add", a=2, b=3))[2:-3]]
    assert deltas[0] == ""
    assert "".join(deltas) == '{"a": 2, "b": 3}'
    assert len(deltas) > 2
    assert [event.delta.partial_json for event in events(use("now"))[2:-3]] == [""]


def test_the_input_of_a_call_that_is_cut_off_is_no_json() -> None:
    sent_json = {
        "".join(event.delta.partial_json for event in events(cut_off(reply))[2:-3])
        for reply in (use("add", a=2, b=3), use("now", zone="UTC"))
    }
    assert sent_json == {'{"a": 2, "', '{"'}


def test_thinking_ends_with_its_signature() -> None:
    *_, last = [event.delta.type for event in events(think("First the sum."))[2:-3]]
    assert last == "signature_delta"
    assert [event.delta.type for event in events(think())[2:-3]] == ["signature_delta"]


def test_a_server_tool_is_called_like_another() -> None:
    start, *deltas = events(pause())[1:-3]
    assert start.content_block.input == {}
    assert "".join(event.delta.partial_json for event in deltas) == '{"query": "practice"}'


@pytest.mark.parametrize("reply", [say("Hi."), say(""), use("add", a=2, b=3)])
def test_an_error_in_the_middle(reply: Reply) -> None:
    client = practising([break_off(reply)])
    with (
        pytest.raises(anthropic.APIStatusError) as caught,
        client.messages.stream(**REQUEST) as stream,
    ):
        stream.until_done()
    assert type(caught.value) is anthropic.APIStatusError
    assert (caught.value.status_code, caught.value.type) == (200, "overloaded_error")


def test_a_garbled_stream_holds_no_message() -> None:
    client = practising([garbled()])
    assert list(client.messages.create(**REQUEST, stream=True)) == []


def test_a_fault_before_a_stream_is_retried() -> None:
    client = practising([overloaded(), say("Hi.")])
    with client.messages.stream(**REQUEST) as stream:
        assert stream.get_final_text() == "Hi."


def test_a_refused_request_is_no_stream() -> None:
    wrong = {**REQUEST, "messages": []}
    with (
        pytest.raises(anthropic.BadRequestError, match="at least one message is required"),
        practising([say("Hi.")]).messages.stream(**wrong),
    ):
        pass
