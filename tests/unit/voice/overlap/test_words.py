"""The words of short speech over an answer: agreement and echo let it go on, stop words and others end it."""

import pytest

from assistant.speech.stt.recognizer import Transcript
from assistant.voice.overlap.words import (
    ECHO_MS,
    LEAST_FIT,
    UNCLEAR_MS,
    UNSURE_OF_ECHO,
    OverlapWords,
    called_name,
    classify,
)

SAYING = "정원에는 오래된 사과나무 일곱 그루와 작은 연못이 있어요. 아침에는 새들이 노래해요."


def words(
    text: str,
    *,
    speech_ms: int = 500,
    sure: float = -0.3,
    saying: str = SAYING,
    echo: bool = True,
    answers: bool = False,
    voice: bool = True,
    fits: dict[str, float] | None = None,
) -> OverlapWords:
    transcript = Transcript(text=text, language="ko", samples=16_000, average_log_probability=sure)
    return classify(transcript, speech_ms=speech_ms, saying=saying, echo=echo, answers=answers, voice=voice, fits=fits)


@pytest.mark.parametrize(
    "text",
    [
        "네.",
        "응",
        "음...",
        "그래",
        "그렇지.",
        "그렇구나!",
        "맞아요.",
        "마자요",
        "알겠어요.",
        "Uh-huh.",
        "Right.",
        "I see.",
        "Okay",
    ],
)
def test_a_word_of_agreement_lets_the_answer_go_on(text: str) -> None:
    assert words(text) is OverlapWords.AGREEMENT


@pytest.mark.parametrize("text", ["네.", "응", "Yes.", "그래"])
def test_a_word_of_agreement_can_answer_a_question(text: str) -> None:
    assert words(text, answers=True) is OverlapWords.INTERRUPTION


@pytest.mark.parametrize(
    "text", ["그만.", "잠깐", "잠깐만!", "점간", "멈춰.", "조용", "Stop.", "stop it", "Wait.", "Hold on.", "그만해"]
)
@pytest.mark.parametrize("sure", [-0.3, -1.4])
def test_stop_words_are_found_even_if_the_recogniser_is_unsure(text: str, sure: float) -> None:
    found = words(text, sure=sure)
    assert found is OverlapWords.STOP
    assert found.interrupts


@pytest.mark.parametrize(
    ("text", "sure", "found"),
    [
        ("그만들", -1.1, OverlapWords.STOP),
        ("점간요", -1.3, OverlapWords.STOP),
        ("점카는", -1.8, OverlapWords.STOP),
        ("그만들", -0.3, OverlapWords.INTERRUPTION),
        ("조용필", -0.3, OverlapWords.INTERRUPTION),
        ("그만 먹을까", -1.1, OverlapWords.NOTHING),
    ],
)
def test_a_stop_word_with_a_syllable_more_is_one_if_the_recogniser_is_unsure(
    text: str, sure: float, found: OverlapWords
) -> None:
    assert words(text, sure=sure) is found


@pytest.mark.parametrize(
    ("text", "sure", "fit", "found"),
    [
        ("굿만히", -1.1, LEAST_FIT, OverlapWords.STOP),
        ("굿만히", -1.1, LEAST_FIT - 0.1, OverlapWords.NOTHING),
        ("굿만히", -0.5, LEAST_FIT, OverlapWords.INTERRUPTION),
        ("Good man Kim", -1.1, LEAST_FIT, OverlapWords.NOTHING),
        ("", -1.1, LEAST_FIT, OverlapWords.NOTHING),
    ],
)
def test_a_stop_word_that_fits_the_sound_of_an_unclear_word_ends_the_answer(
    text: str, sure: float, fit: float, found: OverlapWords
) -> None:
    assert words(text, sure=sure, fits={"그만": fit}) is found


@pytest.mark.parametrize("text", ["다음.", "왜?", "그래서?", "뭐라고?", "Louder.", "그거 말고", "아니"])
def test_other_words_interrupt(text: str) -> None:
    assert words(text) is OverlapWords.INTERRUPTION


@pytest.mark.parametrize("text", ["", "...", "시청해주셔서 감사합니다."])
def test_what_nobody_said_lets_the_answer_go_on(text: str) -> None:
    assert words(text) is OverlapWords.NOTHING


def test_a_hum_that_was_not_understood_lets_the_answer_go_on() -> None:
    assert words("안뇽", sure=-1.1) is OverlapWords.NOTHING
    assert words("안뇽", sure=-1.1, speech_ms=UNCLEAR_MS) is OverlapWords.INTERRUPTION


def test_a_long_voice_interrupts_though_nobody_can_tell_its_words() -> None:
    assert words("바나는", sure=-1.8, speech_ms=UNCLEAR_MS) is OverlapWords.INTERRUPTION
    assert words("바나는", sure=-1.8, speech_ms=UNCLEAR_MS - 10) is OverlapWords.NOTHING
    assert words("바나는", sure=-1.8, speech_ms=UNCLEAR_MS, voice=False) is OverlapWords.NOTHING
    assert words("시청해주셔서 감사합니다.", sure=-1.8, speech_ms=UNCLEAR_MS) is OverlapWords.NOTHING


@pytest.mark.parametrize("text", ["작은 연못이 있어요", "자근 연모시 이써요", "아침에는 새들이"])
def test_soris_own_words_are_an_echo_where_one_is_possible(text: str) -> None:
    assert words(text) is OverlapWords.ECHO
    assert words(text, echo=False, speech_ms=800) is OverlapWords.INTERRUPTION


def test_other_words_are_no_echo_even_if_some_sounds_are_alike() -> None:
    assert words("장원 말고 바다 얘기", speech_ms=800) is OverlapWords.INTERRUPTION
    assert words("새로", saying="") is OverlapWords.INTERRUPTION


@pytest.mark.parametrize(
    ("sure", "speech_ms", "outcome"),
    [
        (-0.3, ECHO_MS, OverlapWords.INTERRUPTION),
        (-0.3, ECHO_MS - 10, OverlapWords.ECHO),
        (UNSURE_OF_ECHO - 0.05, 700, OverlapWords.ECHO),
    ],
)
def test_in_what_is_left_of_an_echo_only_clear_and_longer_words_count(
    sure: float, speech_ms: int, outcome: OverlapWords
) -> None:
    assert words("다음", sure=sure, speech_ms=speech_ms, voice=False) is outcome


@pytest.mark.parametrize(
    ("sure", "voice", "outcome"),
    [(-1.5, False, OverlapWords.ECHO), (-0.3, False, OverlapWords.STOP), (-1.5, True, OverlapWords.STOP)],
)
def test_a_stop_word_that_the_recogniser_invents_from_what_is_left_of_an_echo_is_none(
    sure: float, voice: bool, outcome: OverlapWords
) -> None:
    assert words("조용히", sure=sure, voice=voice) is outcome


def test_the_beginning_of_a_word_is_not_believed_where_an_echo_is_possible() -> None:
    assert words("Thank you.", speech_ms=ECHO_MS - 10) is OverlapWords.ECHO
    assert words("Thank you.", speech_ms=ECHO_MS - 10, echo=False) is OverlapWords.INTERRUPTION
    assert words("그만", speech_ms=ECHO_MS - 10) is OverlapWords.STOP


# Names

NAMES = ("hey jarvis", "도치야")


def name_in(text: str, *, fits: dict[str, float] | None = None, saying: str = SAYING) -> str:
    transcript = Transcript(text=text, language="ko", samples=16_000, average_log_probability=-1.0)
    return called_name(transcript, NAMES, fits or {}, saying=saying)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("도치야.", "도치야"),
        ("도치야, 그건 됐고", "도치야"),
        ("또치야", "도치야"),
        ("Hey Jarvis", "hey jarvis"),
        ("헤이 자비스", "hey jarvis"),
        ("그래서 도치가", ""),
        ("도치는 어디 있어", ""),
        ("음...", ""),
        ("", ""),
    ],
)
def test_a_name_is_found_at_the_beginning_of_words_over_an_answer(text: str, name: str) -> None:
    assert name_in(text) == name


@pytest.mark.parametrize(("fit", "name"), [(LEAST_FIT, "도치야"), (LEAST_FIT - 0.1, "")])
def test_a_name_that_was_misspelt_is_found_by_its_sound(fit: float, name: str) -> None:
    assert name_in("더 쳐", fits={"도치야": fit}) == name
    assert name_in("더 쳐다보지 말고 다른 이야기를 해", fits={"도치야": 0.0}) == ""


def test_a_name_that_sori_says_itself_calls_nobody() -> None:
    assert name_in("도치야", saying="그 고슴도치의 이름은 도치야라고 해요.") == ""


@pytest.mark.parametrize("voice", [True, False])
def test_a_name_interrupts_even_if_the_recogniser_is_unsure(voice: bool) -> None:
    transcript = Transcript(text="도치야", language="ko", samples=16_000, average_log_probability=-1.2)
    for name, expected in (("도치야", True), ("", False)):
        found = classify(
            transcript, speech_ms=ECHO_MS - 10, saying=SAYING, echo=True, answers=False, voice=voice, name=name
        )
        assert found.interrupts is expected


def test_a_name_that_fits_the_sound_is_no_stop_word() -> None:
    transcript = Transcript(text="더 쳐", language="ko", samples=16_000, average_log_probability=-1.0)
    fits = {"도치야": 0.0}
    found = classify(transcript, speech_ms=500, saying=SAYING, echo=True, answers=False, fits=fits, name="도치야")
    assert found is OverlapWords.INTERRUPTION


@pytest.mark.parametrize(
    "text", ["그만 그만 그만 그만", "Stop, stop, stop, stop!", "잠깐만요 잠깐만요 잠깐만요", "stop it stop it stop it"]
)
def test_repeated_stop_words_end_the_answer(text: str) -> None:
    assert words(text, speech_ms=1_500) is OverlapWords.STOP
