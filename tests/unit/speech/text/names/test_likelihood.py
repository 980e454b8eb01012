import pytest

from assistant.speech.text.names.calls import called, request_after, spoken_about
from assistant.speech.text.names.likelihood import called_alone, called_as, inserted, misheard, writings


@pytest.mark.parametrize(
    ("phrase", "language", "written"),
    [
        ("도치야", "ko", ("도치야",)),
        ("달님아", "ko", ("달님아", "달리마")),
        ("집사님", "ko", ("집사님", "집싸님")),
        ("hey  buddy", "en", ("hey buddy", "Hey buddy")),
        ("Alexa", "ko", ("Alexa", "알렉사")),
        (" ", "ko", ()),
    ],
)
def test_a_phrase_is_tried_in_each_way_that_a_recogniser_writes_it(
    phrase: str, language: str, written: tuple[str, ...]
) -> None:
    assert writings(phrase, language) == written


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("미르", "미르", ""),
        ("미르야, 오늘 날씨 어때", "미르", "오늘 날씨 어때"),
        ("미르 불 켜 줘", "미르", "불 켜 줘"),
        ("아라오늘 날씨 어때", "아라", "오늘 날씨 어때"),
        ("세바스찬불 켜 줘", "세바스찬", "불 켜 줘"),
        ("한별이, 몇 시야", "한별", "몇 시야"),
    ],
)
def test_what_follows_a_certain_name_is_the_request(text: str, name: str, rest: str) -> None:
    call = called_as(text, (name,))
    assert call is not None
    assert request_after(text, call) == rest


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("미르가 어제 왔어", "미르"),
        ("아라비아 음식", "아라"),
        ("아라bia 음식", "아라"),
        ("집사님이 그랬어", "집사님"),
        ("집사님이くれ소", "집사님"),
        ("다른 말", "미르"),
    ],
)
def test_a_name_with_a_particle_or_within_another_word_is_no_call(text: str, name: str) -> None:
    assert called_as(text, (name,)) is None


@pytest.mark.parametrize(
    ("text", "phrase", "about"),
    [
        ("하늘이 참 맑다", "하늘", True),
        ("도치가 또 숨었어", "도치야", True),
        ("도토리 주우러 가자", "토리", True),
        ("하늘, 불 켜 줘", "하늘", False),
        ("하늘아", "하늘", False),
        ("오늘 점심에 하늘이 맑았어", "하늘", False),
        ("미래와", "미르", False),
    ],
)
def test_a_transcript_tells_when_the_exact_name_is_spoken_about(text: str, phrase: str, about: bool) -> None:
    assert spoken_about(text, phrase) is about


@pytest.mark.parametrize(
    ("text", "free", "name", "is_call"),
    [
        ("이든가", "이따인가?", "이든", True),
        ("이든라.", "이던나", "이든", True),
        ("다온다", "다운디", "다온", True),
        ("다온다", "다 온다", "다온", False),
        ("이든은", "이던 은", "이든", False),
        ("가람에", "가라메", "가람", False),
        ("미르가", "미리가", "미르", False),
        ("아라비아", "아라비아", "아라", False),
        ("이든", "이던", "이든", False),
    ],
)
def test_a_syllable_that_is_added_to_a_name_said_alone_makes_no_other_word(
    text: str, free: str, name: str, is_call: bool
) -> None:
    assert (called_alone(text, (name,), free) is not None) is is_call


@pytest.mark.parametrize(
    ("text", "free", "is_call"),
    [("여울은?", "요는?", True), ("여울은", "여울은", False), ("여울은 어디", "요는 어디", False)],
)
def test_a_particle_is_added_to_a_name_that_was_certainly_said_too(text: str, free: str, is_call: bool) -> None:
    assert called_alone(text, ("여울",), free) is None
    assert (called_alone(text, ("여울",), free, certainly_said=True) is not None) is is_call


def test_a_subject_ending_in_i_is_no_call_and_a_vocative_is() -> None:
    assert called("도련님이 그랬어", "도련님") is None
    assert called("도련님이, 이리 와", "도련님") is not None


@pytest.mark.parametrize(
    ("free", "rest", "phrase", "was"),
    [
        ("호텔 드력수름은 다쳤습니다.", "호텔 드력수룸은 다쳤습니다.", "하늘", True),
        ("여기 오는 날씨와 대", "오는 날씨와 대", "코코", False),
        ("한 벤을", "", "한별", False),
        ("", "", "한별", False),
        ("네", "", "새롬", True),
        ("0", "", "새롬", False),
        ("пад아야", "", "바다야", False),
    ],
)
def test_a_name_before_words_that_explain_the_whole_sound_was_inserted(
    free: str, rest: str, phrase: str, was: bool
) -> None:
    assert inserted(free, rest, phrase) is was


@pytest.mark.parametrize(
    ("free", "rest", "name"),
    [
        ("한 벤을", "", "한 벤을"),
        ("여기 오는 날씨와 대", "오는 날씨와 대", "여기"),
        ("미를 볼 켜줘 와", "볼 켜 좋아", "미를"),
        ("뭐, 삐야? 불 켜 줘", "불 켜 줘", "뭐, 삐야"),
        ("", "", ""),
    ],
)
def test_the_words_in_place_of_a_name_are_known_afterwards(free: str, rest: str, name: str) -> None:
    assert misheard(free, rest) == name
