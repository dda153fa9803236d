"""What a tool returns reaches the model as something that can be sent and read."""

import base64
import datetime
import decimal
import io
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from practice_tools import give, play, results, returned

from agentlab import Calling, check_run, check_transcript, tool
from agentlab.practice import both, say, use
from agentlab.results import LARGEST_IMAGE, MOST_ITEMS

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mMQaPgPAAIzAZDT4xAaAAAAAElFTkSuQmCC"
)


@dataclass
class Point:
    x: int
    y: int


class Drawing:
    def _repr_png_(self) -> bytes:
        return PNG


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (None, "(no output)"),
        ("", "(no output)"),
        ("   ", "(no output)"),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        ({}, "{}"),
        (0.0, "0.0"),
        ("text stays text", "text stays text"),
        (np.int64(5), "5"),
        (np.array([1, 2]), "[1, 2]"),
        (decimal.Decimal("1.10"), '"1.10"'),
        (
            {"when": datetime.date(2026, 1, 2), "n": np.float32(0.5)},
            '{"when": "2026-01-02", "n": 0.5}',
        ),
        ({3, 1}, "[1, 3]"),
        ({"tags": {"b", "a"}}, '{"tags": ["a", "b"]}'),
        (float("nan"), "NaN"),
        (Point(1, 2), '{"x": 1, "y": 2}'),
        ((n * n for n in range(3)), "[0, 1, 4]"),
        ({"raw": b"abc"}, '{"raw": "(3 bytes)"}'),
        ({(1, 2): 3}, "{(1, 2): 3}"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_becomes_text(value: Any, content: str) -> None:
    block = returned(value)
    assert block["content"] == content
    assert "is_error" not in block


def test_a_table_becomes_text_with_its_columns() -> None:
    assert json.loads(returned(pd.DataFrame({"a": [1]}))["content"]) == {"a": {"0": 1}}
    assert json.loads(returned(pd.Series([1, 2]))["content"]) == [1, 2]


def test_an_object_without_words_of_its_own_shows_no_address() -> None:
    content = returned(object())["content"]
    assert "object" in content
    assert "0x" not in content


def test_a_value_inside_itself_is_still_text() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert returned(loop)["content"] == "[[...]]"


def test_a_picture_becomes_an_image_block() -> None:
    for value in (PNG, bytearray(PNG), Drawing()):
        (block,) = returned(value)["content"]
        assert block["type"] == "image"
        assert block["source"]["media_type"] == "image/png"
        assert base64.b64decode(block["source"]["data"]) == PNG


def test_other_bytes_are_named_and_not_sent() -> None:
    content = returned(b"\x00\xff" * 40_000)["content"]
    assert "80000 bytes" in content
    assert len(content) < 1_000
    too_large = returned(PNG + b"\x00" * LARGEST_IMAGE)["content"]
    assert str(LARGEST_IMAGE) in too_large


def test_content_blocks_are_passed_on() -> None:
    blocks = [{"type": "text", "text": "see"}]
    assert returned(blocks)["content"] == blocks
    assert returned([{"type": "text", "text": ""}])["content"] == '[{"type": "text", "text": ""}]'


def test_half_characters_are_mended() -> None:
    content = returned("ok \ud83d end")["content"]
    assert content == "ok ? end"
    assert returned({"cut": "\ud83d"})["content"] == '{"cut": "?"}'


def test_a_long_result_is_cut_and_says_so() -> None:
    text = "START" + "é😀x" * 400_000 + "END"

    def page() -> str:
        """Fetch a page."""
        return text

    def boom() -> str:
        """Fail loudly."""
        raise RuntimeError("E" * 500_000)

    run = play([both(use("page"), use("boom")), say("done")], [page, boom])
    page_result, boom_result = results(run)
    assert page_result["content"].startswith("START")
    assert boom_result["content"].startswith("RuntimeError: E")
    for block in (page_result, boom_result):
        assert len(block["content"]) <= 50_000
        block["content"].encode("utf-8")
    assert "1,200,008" in page_result["content"]
    assert "is_error" not in page_result
    assert boom_result["is_error"] is True
    assert run.outcomes[0].value == text
    assert run.outcomes[0].full_text == text


def test_the_limit_of_a_result_can_be_set() -> None:
    run = play(
        [use("give", i=0), say("done")], [give(["x" * 1000])], calling=Calling(result_limit=200)
    )
    (block,) = results(run)
    assert len(block["content"]) <= 200
    assert "1,000 characters" in block["content"]


def test_coroutines_and_async_generators_are_waited_for() -> None:
    async def ping(x: int) -> str:
        """Ping."""
        return f"pong {x}"

    async def count(n: int) -> AsyncIterator[int]:
        """Count."""
        for i in range(n):
            yield i

    run = play([both(use("ping", x=1), use("count", n=3)), say("done")], [ping, count])
    assert [block["content"] for block in results(run)] == ["pong 1", "[0, 1, 2]"]


def test_a_generator_without_end_is_cut_off() -> None:
    def naturals() -> Iterator[int]:
        """All of them."""
        n = 0
        while True:
            yield n
            n += 1

    run = play([use("naturals"), say("done")], [naturals])
    assert len(run.outcomes[0].value) == MOST_ITEMS


def test_what_a_tool_prints_stands_apart_from_its_result(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def chatty(n: int) -> str:
        """Print a lot."""
        for i in range(n):
            print("line", i)
        return "ok"

    run = play([use("chatty", n=3), say("done")], [chatty])
    assert results(run)[0]["content"] == "ok"
    assert run.outcomes[0].printed == "line 0\nline 1\nline 2\n"
    assert capsys.readouterr().out == ""


def test_every_kind_of_value_leaves_a_transcript_that_can_be_sent() -> None:
    values = [None, "", 0, {1}, b"\x00", PNG, np.int64(1), "\ud83d", io.StringIO("x"), {1: {2: {}}}]
    turns = [both(*(use("give", i=i) for i in range(len(values)))), say("done")]
    run = play(turns, [tool(give(values))])
    assert check_transcript(run.messages) == []
    assert check_run(run) == []
    assert all(not outcome.is_error for outcome in run.outcomes)
