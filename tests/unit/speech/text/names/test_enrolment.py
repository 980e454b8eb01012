import pytest

from assistant.speech.text.names.calls import called
from assistant.speech.text.names.enrolment import enrolled, resembles


@pytest.mark.parametrize(
    ("phrase", "text"),
    [("뽀삐야", "법비야"), ("도치야", "도치야!"), ("하늘", "하눌아."), ("Samantha", "사만타"), ("별님아", "별림마")],
)
def test_a_misread_name_resembles_it(phrase: str, text: str) -> None:
    assert resembles(phrase, text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [("뽀삐야", ""), ("뽀삐야", "..."), ("도치야", "오늘 날씨 어때"), ("하늘", "컴퓨터"), ("Samantha", "good morning")],
)
def test_other_words_and_silence_do_not(phrase: str, text: str) -> None:
    assert not resembles(phrase, text)


def test_only_spellings_that_are_not_found_anyway_are_added_once() -> None:
    assert called("벌피아", "뽀삐야") is None
    found = enrolled("뽀삐야", ["뽀삐야!", "벌피아.", "벌피아"])
    assert found.spellings == ("벌피아",)
    assert called("벌피아, 오늘 며칠이야?", found.spellings[0]) is not None
    assert not found.left_out


def test_common_words_other_names_and_single_syllables_are_left_out() -> None:
    assert enrolled("지니야", ["아니야"]).left_out == ("아니야",)
    assert enrolled("뽀삐야", ["벌피아"], ["벌피야"]).left_out == ("벌피아",)
    assert enrolled("하늘", ["할"]).spellings == ()
