"""The file of Sori's own words."""

import io

import numpy as np
import pytest

from assistant.speech.wake.likeness import Steps, normalised
from assistant.speech.wake.own_words import OwnWords, packed, unpacked


def _word(seed: int, numbers: int = 96, steps: int = 5) -> Steps:
    return normalised(np.random.default_rng(seed).standard_normal((steps, numbers)).astype(np.float32))


WORDS = OwnWords(phrase="도치야", takes=(_word(1), _word(2)), heard=("또치야", "도치 야"), made_from='{"recipe": 1}')


def test_a_file_holds_all_of_it() -> None:
    read = unpacked(packed(WORDS))
    assert read is not None
    assert (read.phrase, read.heard, read.made_from) == (WORDS.phrase, WORDS.heard, WORDS.made_from)
    assert all(np.allclose(one, other, atol=1e-3) for one, other in zip(read.takes, WORDS.takes, strict=True))


def test_a_name_that_is_always_heard_as_it_is_written_has_no_spellings() -> None:
    read = unpacked(packed(OwnWords(phrase="도치야", takes=(_word(1),), heard=(), made_from="")))
    assert read is not None
    assert read.heard == ()


def _archive(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no archive",
        packed(WORDS)[:-40],
        _archive(phrase=["도치야"], made_from=[""], heard=np.array([], str)),
        _archive(phrase="도치야", made_from="", heard=[""], take0=_word(1)),
        packed(OwnWords(phrase="도치야", takes=(_word(1, numbers=32),), heard=(), made_from="")),
        packed(OwnWords(phrase="도치야", takes=(_word(1, steps=51),), heard=(), made_from="")),
        packed(OwnWords(phrase="도치야", takes=(np.full((5, 96), np.nan, np.float32),), heard=(), made_from="")),
        _archive(phrase=["도치야"], made_from=[""], heard=[""], take0=np.array([{"a": 1}], object)),
    ],
    ids=["empty", "other", "cut", "no words", "other shape", "other numbers", "too long", "no number", "objects"],
)
def test_anything_else_is_nothing(content: bytes) -> None:
    assert unpacked(content) is None


def test_a_file_with_a_wrong_byte_anywhere_raises_nothing() -> None:
    content = packed(WORDS)
    for place in range(0, len(content), 5):
        unpacked(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
