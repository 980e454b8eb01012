import numpy as np
import pytest

from assistant.speech.stt.decoding.runaway import before_restart, first_copy, without_end_silence
from tests.fakes.sound.human_speech import recording, silence


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("모든 불을 꺼 줘. 모든 불을 꺼 줘.", "모든 불을 꺼 줘."),
        ("불 꺼 줘요 지금. 불 꺼 줘요 지금. 불 꺼 줘요 지금.", "불 꺼 줘요 지금."),
        ("모든 불을 꺼 줘 모든 불을 꺼 줘 모든 불을 꺼 줘 모든 불", "모든 불을 꺼 줘"),
        ("네 명인데 예약은 가능한가요? 네 명인데 예약은 가능", "네 명인데 예약은 가능한가요?"),
        ("Alexa, can I have a coffee? Can I have a coffee?", "Alexa, can I have a coffee?"),
        ("모든 불닭 파란색으로 바꿔 줘. 모든 불딱 파란색으로 바꿔 줘.", "모든 불닭 파란색으로 바꿔 줘."),
    ],
)
def test_a_text_is_cut_where_it_begins_to_repeat_itself(text: str, kept: str) -> None:
    assert first_copy(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "네 네",
        "no no no",
        "아니 아니 아니",
        "모든 불을 파란색으로 다 바꿔 줘.",
        "010 1111 1111 번으로 전화해",
        "Set a timer for ten minutes and another for twenty minutes.",
        "오늘 날씨 알려 줘. 내일 날씨도 알려 줄래?",
        "Is it warm? It is cold.",
    ],
)
def test_what_people_say_does_not_count_as_repeated(text: str) -> None:
    assert first_copy(text) is None


def test_the_silence_behind_a_sound_is_cut_off() -> None:
    said = recording("ko_lights_blue.wav")
    room = np.random.default_rng(1).normal(0, 20, 8 * 16_000).astype(np.int16)
    kept = without_end_silence(np.concatenate((said, room)))
    assert 2.5 * 16_000 < kept.size <= said.size
    assert np.array_equal(kept, said[: kept.size])


def test_sound_without_an_end_is_kept_whole() -> None:
    noise = np.random.default_rng(1).normal(0, 1_000, 32_000).astype(np.int16)
    assert without_end_silence(noise) is noise
    assert without_end_silence(silence(0)).size == 0
    assert without_end_silence(silence(1)).size == 16_000


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Close the garage door. Close the ga", "Close the garage door."),
        ("모든 불을 꺼 줘. 모든 불을 꺼", None),
        ("모든 불을 파란색으로 바꿔 줘. 모든 불을 파란", "모든 불을 파란색으로 바꿔 줘."),
        ("Close the garage door. And then", None),
        ("Close the garage door.", None),
        ("", None),
    ],
)
def test_a_sentence_that_begins_once_more_and_was_cut_off_is_found(text: str, kept: str | None) -> None:
    assert before_restart(text) == kept
