"""What code reads in messages about transfers, and what it leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.flows.services.transfer.reading.reader import read
from tests.unit.flows.transfer.turns import SITUATIONS, Turn, meaning, same, turns

ROWS = turns()
MOST_FOR_THE_MODEL = 10
"""Rows of the table that code leaves to the model. More would be a reader that has become weaker."""


def _name(turn: Turn) -> str:
    return f"{turn.situation}: {turn.message}"


@pytest.mark.parametrize("turn", [each for each in ROWS if not each.for_model], ids=_name)
def test_code_reads_what_the_message_means(turn: Turn) -> None:
    got, reading = meaning(turn)
    assert same(got, turn.meant), reading


@pytest.mark.parametrize("turn", [each for each in ROWS if each.for_model], ids=_name)
def test_code_does_nothing_with_a_message_that_it_does_not_understand_whole(turn: Turn) -> None:
    got, reading = meaning(turn)
    assert (got, reading.operations, reading.whole) == ((), (), False)


def test_the_table_has_as_many_messages_as_it_should_and_few_are_left_to_the_model() -> None:
    counts = [sum(each.language == language for each in ROWS) for language in ("ko", "en")]
    assert counts[0] >= 120 and counts[1] >= 60  # noqa: PT018
    assert sum(each.for_model for each in ROWS) <= MOST_FOR_THE_MODEL


SIBLINGS = """new|엄마한테 문자 보내 줘
new|엄마한테 사랑한다고 보내 줘
new|걔한테 5만 원 보내 줘
new|엄마한테 5만 원 보내 줘 그리고 날씨 알려 줘
new|엄마한테 5만 원 보내는 방법 알려 줘
new|엄마한테 내일까지 5만 원 보내 줘
new|2~3만 원 보내 줘
new|send mom a message
new|send mom between 20,000 and 30,000 won
new|send mom 50,000 or 60,000 won
new|remind me to send mom 50,000 won
new|send mom 50,000 won and tell me the weather
ready|아빠한테 3만 원 보내 줘
ready|이름이 틀렸어 아빠야
who|엄마 친구
who|모르겠어
who|아까 그 사람
three|철수는 빼 줘"""


@pytest.mark.parametrize("row", SIBLINGS.splitlines())
def test_half_of_a_message_changes_nothing(row: str) -> None:
    situation, message = row.split("|")
    reading = read(message, SITUATIONS[situation])
    assert (reading.operations, reading.whole) == ((), False)


@given(st.text(alphabet="엄마아빠한테오만원보내줘 0123456789,.?메모내일말고더반", max_size=24))
def test_any_message_is_read_without_an_error_and_an_uncertain_one_changes_nothing(message: str) -> None:
    reading = read(message, SITUATIONS["three"])
    assert reading.whole or reading.operations == ()
