"""Yes and no to what a service does, by the words of what it does."""

import pytest

from assistant.flows.replies import Replies, Verb, verb_of

REPLIES = Replies((verb_of("예약"), Verb("맞춰", "맞추", "맞출")), ("book", "set"), ("room",))
YES = """응|네, 맞아요|예약해|예약해 줘|그래 예약해 주세요|예약하자|예약 부탁해요|맞춰|응 맞춰 줘|그대로 예약해
확인|진행해 줘|해 줘
book it|yes, book the room|set it|ok book it please|go ahead|“yes”"""
NO = """취소|예약 취소해 줘|안 예약할래|예약하지 마|맞추지 말아 줘|안 맞출래|필요 없어|다 그만둘래|그만|아니 취소할게요
cancel|cancel the room|don't book it|do not set anything|leave it|i don't want to book it|never mind"""
NEITHER = """예약할까|예약해?|예약했어?|응?|아니|음|어|내일로 예약해|두 시에 맞춰 줘
취소하지 마|취소 안 할래|예약 취소할까?|보내 줘
book two rooms|should I book it?|don't cancel|cancel the second|no, tomorrow"""


def _all(words: str) -> list[str]:
    return [each for line in words.splitlines() for each in line.split("|")]


@pytest.mark.parametrize(
    ("said", "yes", "no"),
    [
        *((each, True, False) for each in _all(YES)),
        *((each, False, True) for each in _all(NO)),
        *((each, False, False) for each in _all(NEITHER)),
    ],
)
def test_only_a_whole_message_is_a_yes_or_a_no(said: str, yes: bool, no: bool) -> None:
    assert (REPLIES.is_yes(said), REPLIES.is_no(said)) == (yes, no)
