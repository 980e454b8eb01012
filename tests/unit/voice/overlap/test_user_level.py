"""The user's level is learned from utterances; the weakest of the last ones counts."""

import pytest

from assistant.core.audio import SAMPLE_RATE
from assistant.voice.overlap.user_level import (
    ELSEWHERE_BESIDE_ECHO_DB,
    ELSEWHERE_DB,
    REMEMBERED,
    UserLevel,
    loud_level_db,
)
from tests.unit.audio.sounds import noise, recording

LOUD_DB = -20.0


def speech(level_db: float) -> bytes:
    return noise(level_db, 0.5).tobytes()


def test_before_the_user_has_spoken_nothing_comes_from_elsewhere() -> None:
    assert not UserLevel().is_elsewhere(speech(-70))
    assert UserLevel().least_db(beside_echo=False) is None


@pytest.mark.parametrize(("below_db", "elsewhere"), [(ELSEWHERE_DB - 2, False), (ELSEWHERE_DB + 2, True)])
def test_speech_that_is_much_weaker_comes_from_elsewhere(below_db: float, elsewhere: bool) -> None:
    level = UserLevel()
    level.learn(speech(LOUD_DB))
    assert level.is_elsewhere(speech(LOUD_DB - below_db)) is elsewhere


def test_the_weakest_of_the_last_utterances_counts() -> None:
    level, weak = UserLevel(), speech(LOUD_DB - 10 - ELSEWHERE_DB + 2)
    level.learn(speech(LOUD_DB - 10))
    for _ in range(REMEMBERED - 1):
        level.learn(speech(LOUD_DB))
    assert not level.is_elsewhere(weak)
    level.learn(speech(LOUD_DB))
    assert level.is_elsewhere(weak)


def test_beside_an_echo_weaker_speech_may_be_the_users() -> None:
    level = UserLevel()
    level.learn(speech(LOUD_DB))
    near, beside = level.least_db(beside_echo=False), level.least_db(beside_echo=True)
    assert near is not None
    assert beside == pytest.approx(near - (ELSEWHERE_BESIDE_ECHO_DB - ELSEWHERE_DB))


def test_pauses_do_not_change_the_level_of_a_voice() -> None:
    voice = recording("ko_lights_blue")[8_000 : 8_000 + SAMPLE_RATE]
    quiet = noise(-70, 1.5).tobytes()
    assert loud_level_db(quiet + voice.tobytes() + quiet) == pytest.approx(loud_level_db(voice.tobytes()), abs=0.1)
    assert loud_level_db(b"") == -96.0
