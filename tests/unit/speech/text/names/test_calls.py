import pytest

from assistant.speech.text.names.calls import alike, called, has_sounds, request_after
from assistant.speech.text.names.sounds import distance, sounds, units


def request(text: str, phrase: str) -> str | None:
    call = called(text, phrase)
    return None if call is None else request_after(text, call)


@pytest.mark.parametrize(
    ("text", "phrase", "rest"),
    [
        ("도치야, 오늘 며칠이야?", "도치야", "오늘 며칠이야?"),
        ("도치야 오늘 며칠이야?", "도치", "오늘 며칠이야?"),
        ("도치, 오늘 며칠이야?", "도치", "오늘 며칠이야?"),
        ("도치", "도치", ""),
        ("또치야!", "도치야", ""),
        ("토치야 불 꺼 줘", "도치야", "불 꺼 줘"),
        ("도치야오늘 며칠이야", "도치", "오늘 며칠이야"),
        ("도 치야 불 꺼", "도치야", "불 꺼"),
        ("저기 도치야 불 꺼", "도치야", "불 꺼"),
        ("음, 도치야.", "도치", ""),
        ("우리 도치야 불 꺼", "도치", "불 꺼"),
        ("하느라 지금 몇 시야", "하늘", "지금 몇 시야"),
        ("하늘아 지금 몇 시야", "하늘", "지금 몇 시야"),
        ("해성아 지금 몇 시야", "혜성", "지금 몇 시야"),
        ("김비서님, 일정 알려 줘", "김비서", "일정 알려 줘"),
        ("김피서 일정 알려 줘", "김비서", "일정 알려 줘"),
        ("자비스, what time is it?", "Jarvis", "what time is it?"),
        ("Jarvis, what time is it?", "Jarvis", "what time is it?"),
        ("Jarvis 지금 몇 시야?", "자비스", "지금 몇 시야?"),
        ("Dochiya, 불 꺼", "도치야", "불 꺼"),
        ("Hey Jarvis, lights off", "Jarvis", "lights off"),
        ("Hey Jarvis. Lights off.", "hey jarvis", "Lights off."),
        ("헤이 자비스 불 꺼", "hey jarvis", "불 꺼"),
        ("Computer - report", "computer", "report"),
        ("JABIS, report", "자비스", "report"),
        ("Alex, report", "Alexa", "report"),
        ("OK computer, report", "computer", "report"),
    ],
)
def test_a_called_name_is_found_and_the_rest_is_the_request(text: str, phrase: str, rest: str) -> None:
    assert request(text, phrase) == rest


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("", "도치야"),
        ("오늘 며칠이야?", "도치야"),
        ("도치는 어디 갔어?", "도치"),
        ("도치가 뭐야?", "도치"),
        ("도치기현에 갔어", "도치"),
        ("어제 도치 봤어", "도치"),
        ("나는 오늘 도치야", "도치"),
        ("거기야 저기야", "도치야"),
        ("고기 사 왔어", "도치"),
        ("프라이데이가 뭐야", "프라이데이"),
        ("Travis, what time is it?", "Jarvis"),
        ("Commuters are late", "computer"),
        ("I met Jarvis yesterday", "Jarvis"),
        ("Thank you.", "Friday"),
        ("A lecture", "Alexa"),
        ("감사합니다", "김비서"),
        ("도치야", "🦔"),
    ],
)
def test_a_name_that_is_not_called_is_not_found(text: str, phrase: str) -> None:
    assert request(text, phrase) is None


def test_a_two_syllable_name_allows_one_edit_or_a_bit_more_with_a_particle_and_a_longer_one_two() -> None:
    assert called("도리", "도치") is not None
    assert called("고리", "도치") is None
    assert called("모비야", "뽀삐야") is not None
    assert called("모비", "뽀삐") is None
    assert called("자리스", "자비스") is not None
    assert called("사리스", "자비스") is not None
    assert called("사리크", "자비스") is None


def test_similar_sounds_count_half() -> None:
    assert distance(sounds("도치"), sounds("토지")) == 1.0
    assert distance(sounds("도치"), sounds("고치")) == 1.0
    assert distance(sounds("내"), sounds("네")) == 0.0
    assert distance(sounds("안"), ()) == 2.0


def test_the_parts_of_a_text_know_their_words() -> None:
    first, second, third = units("도 치! Jarvis")
    assert (first.said, first.starts_word, first.word_end) == ("도", True, 1)
    assert (second.start, second.end) == (2, 3)
    assert third.said == "자비스"


def test_names_that_wake_each_other_are_alike() -> None:
    assert alike("도치", "또치야")
    assert alike("Jarvis", "자비스")
    assert not alike("도치", "김비서")
    assert has_sounds("도치")
    assert not has_sounds("🦔 !")


def test_a_known_call_is_found_in_a_worse_transcript() -> None:
    assert called("거지야, 불 켜 줘", "도치야") is None
    assert called("거지야, 불 켜 줘", "도치야", known=True) is not None
    assert called("불 켜 줘", "도치야", known=True) is None
