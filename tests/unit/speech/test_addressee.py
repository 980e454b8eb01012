"""Names anywhere in a transcript: whom the words are said to, and which words are the request (V-06)."""

import pytest

from assistant.speech.addressee import addressed
from assistant.speech.text.names.calls import request_after


def request(text: str, phrase: str) -> str | None:
    call = addressed(text, phrase)
    return None if call is None else request_after(text, call)


@pytest.mark.parametrize(
    ("text", "phrase", "wanted"),
    [
        # Any sign behind the name, full-width ones too.
        ("자비스！ 몇 시야？", "자비스", "몇 시야？"),
        ("자비스？！ 몇 시야？", "자비스", "몇 시야？"),
        ("자비스。몇 시야", "자비스", "몇 시야"),
        ("자비스、몇 시야", "자비스", "몇 시야"),
        ("자비스・몇 시야", "자비스", "몇 시야"),
        ("자비스～ 몇 시야", "자비스", "몇 시야"),
        ("자비스⋯ 몇 시야", "자비스", "몇 시야"),
        ("자비스 — 몇 시야", "자비스", "몇 시야"),
        ("「자비스」 몇 시야", "자비스", "몇 시야"),
        ("“자비스,” 몇 시야?", "자비스", "몇 시야?"),
        ("자비스🙂 몇 시야", "자비스", "몇 시야"),
        ("Jarvis！What time is it？", "Jarvis", "What time is it？"),
        ("¿Jarvis? what time is it", "Jarvis", "what time is it"),
        # Signs of the request itself stay.
        ("자비스, -3도면 추워?", "자비스", "-3도면 추워?"),
        ("자비스, $5는 얼마야", "자비스", "$5는 얼마야"),
        ('자비스, "안녕"이 영어로 뭐야', "자비스", '"안녕"이 영어로 뭐야'),
        ("Jarvis, (quietly) play jazz", "Jarvis", "(quietly) play jazz"),
        # At the end.
        ("지금 몇 시야, 자비스?", "자비스", "지금 몇 시야?"),
        ("지금 몇 시야 자비스", "자비스", "지금 몇 시야"),
        ("지금 몇 시야? 자비스!", "자비스", "지금 몇 시야?"),
        ("불 꺼 줘, 도치야.", "도치야", "불 꺼 줘."),
        ("불 꺼 줘 도치야", "도치", "불 꺼 줘"),
        ("내일 비 와, 김비서님?", "김비서", "내일 비 와?"),
        ("오늘 날씨, 자비스", "자비스", "오늘 날씨"),
        ("그만, 자비스", "자비스", "그만"),
        ("What time is it, Jarvis?", "Jarvis", "What time is it?"),
        ("What time is it, Jarvis?", "hey jarvis", "What time is it?"),
        ("Is it raining, Jarvis", "자비스", "Is it raining"),
        ("Stop, Jarvis!", "Jarvis", "Stop!"),
        ("Thank you Jarvis", "Jarvis", "Thank you"),
        ("Play some music, please, Jarvis.", "Jarvis", "Play some music, please."),
        ("회의는 언제야, 하늘아?", "하늘", "회의는 언제야?"),
        # In the middle.
        ("불 꺼 줘, 자비스, 너무 밝아.", "자비스", "불 꺼 줘, 너무 밝아."),
        ("불 꺼 줘 자비스야 너무 밝아", "자비스", "불 꺼 줘 너무 밝아"),
        ("Tell me, Jarvis, what time is it?", "Jarvis", "Tell me, what time is it?"),
        ("Turn off the lights, Jarvis, please.", "Jarvis", "Turn off the lights, please."),
        ("Turn off the lights, Jarvis. It's late.", "Jarvis", "Turn off the lights. It's late."),
        # What was said before the sentence that begins with the name is said to somebody else.
        ("다음 소식입니다. 자비스, 몇 시야?", "자비스", "몇 시야?"),
        ("It's dark. Jarvis, turn on the light.", "Jarvis", "turn on the light."),
        ("I told you so, hey Jarvis, lights off", "Jarvis", "lights off"),
        ("Hey Jarvis, what time is it?", "Jarvis", "what time is it?"),
    ],
)
def test_the_words_around_a_called_name_are_the_request(text: str, phrase: str, wanted: str) -> None:
    assert request(text, phrase) == wanted


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("어제 자비스 봤어?", "자비스"),
        ("아이언맨에 나오는 자비스 목소리 누구야", "자비스"),
        ("내 이름은, 자비스", "자비스"),
        ("그 영화 주인공이 자비스지?", "자비스"),
        ("저 사람이 자비스?", "자비스"),
        ("어제 자비스가, 고장 났어", "자비스"),
        ("나는 오늘 도치야", "도치"),
        ("친구 이름이 도치야", "도치야"),
        ("우유, 계란, 도치", "도치"),
        ("불 꺼 줘", "도치야"),
        ("I met Jarvis yesterday", "Jarvis"),
        ("Who is Jarvis?", "Jarvis"),
        ("I told Jarvis.", "Jarvis"),
        ("Have you seen Jarvis?", "Jarvis"),
        ("Tell me about Jarvis", "Jarvis"),
        ("He said Jarvis would come", "Jarvis"),
        ("My robot, Jarvis, is broken.", "Jarvis"),
        ("I like Thor, Hulk, Jarvis.", "Jarvis"),
        ("Thor, Jarvis, and Hulk", "Jarvis"),
        ("What's on for Friday?", "Friday"),
        ("이게 무슨 소리야", "소리야"),
        ("Jarvis's voice is nice", "Jarvis"),
    ],
)
def test_who_is_spoken_about_is_not_called(text: str, phrase: str) -> None:
    assert request(text, phrase) is None


@pytest.mark.parametrize("mark", ["(", "“", "‘", "[", "{", "「", "『", " (", " “", " «"])
@pytest.mark.parametrize(
    ("before", "phrase"),
    [("불 켜 줘 자비스", "자비스"), ("불 켜 줘, 자비스야", "자비스"), ("turn it on, Jarvis", "Jarvis")],
)
def test_a_mark_that_opens_something_at_the_end_of_a_draft_says_nothing(before: str, phrase: str, mark: str) -> None:
    assert (addressed(f"{before}{mark}", phrase) is None) == (addressed(before, phrase) is None)
