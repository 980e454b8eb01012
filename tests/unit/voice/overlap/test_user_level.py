"""The user's level is learned from utterances; the weakest of the last ones counts."""

import pytest

from assistant.core.audio import FRAME_BYTES, SAMPLE_RATE
from assistant.speech.endpoint.continuation import Relation
from assistant.voice.overlap.user_level import (
    ELSEWHERE_BESIDE_ECHO_DB,
    ELSEWHERE_DB,
    OTHERS_DB,
    OTHERS_MS,
    REMEMBERED,
    RoomVoices,
    UserLevel,
    loud_level_db,
    may_be_rest,
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


def talked(level_db: float, seconds: float = 2.0) -> RoomVoices:
    """The others after they have talked."""
    others, pcm = RoomVoices(), noise(level_db, seconds).tobytes()
    for at in range(0, len(pcm), FRAME_BYTES):
        others.hear(pcm[at : at + FRAME_BYTES], 0)
    return others


@pytest.mark.parametrize(
    ("others_db", "seconds", "level_db", "theirs"),
    [
        (-34, 2.0, -34, True),
        (-34, 2.0, -40, True),
        (-34, 2.0, -34 + OTHERS_DB - 1, True),
        (-34, 2.0, -34 + OTHERS_DB + 1, False),  # louder than they were
        (-34, 0.6, -34, False),  # a cough or a door
        (-22, 2.0, -34, False),  # the user, talking to somebody else
        (-60, 2.0, -34, False),
    ],
)
def test_speech_at_the_level_of_a_voice_that_was_heard_before_is_probably_that_voice(
    others_db: float, seconds: float, level_db: float, theirs: bool
) -> None:
    assert talked(others_db, seconds).speak_at(level_db, -28.0, 0) is theirs


def test_other_voices_are_forgotten_after_a_while_and_learned_from_what_they_said_over_an_answer() -> None:
    others = talked(-34)
    assert others.speak_at(-34, -28.0, OTHERS_MS)
    assert not others.speak_at(-34, -28.0, OTHERS_MS + 10)
    others.learn(speech(-34), OTHERS_MS)
    assert others.speak_at(-34, -28.0, OTHERS_MS + 10)


def test_a_television_that_plays_for_hours_is_not_remembered_for_hours() -> None:
    others, frame = RoomVoices(), speech(-34)[:FRAME_BYTES]
    for now_ms in range(0, 6 * OTHERS_MS, 500):
        others.learn(frame, now_ms)
    assert len(others._levels_db) <= 2 * (OTHERS_MS // 500 + 1)


HALVES, APART, UNCLEAR = Relation.HALVES, Relation.APART, Relation.UNCLEAR


@pytest.mark.parametrize(
    ("related", "unfinished", "at_once", "over", "others", "rest"),
    [
        (HALVES, False, True, False, False, True),
        (HALVES, True, False, False, False, True),
        (HALVES, True, True, False, True, True),
        (HALVES, False, True, False, True, False),  # a television that says "and"
        (HALVES, True, False, False, True, False),
        (UNCLEAR, False, False, False, False, True),
        (UNCLEAR, False, True, True, True, False),
        (APART, False, True, True, False, True),
        (APART, False, True, False, False, False),
        (APART, False, False, True, False, False),
        (APART, False, True, True, True, False),
    ],
)
def test_weaker_speech_after_a_request_is_judged_by_words_pause_and_other_voices(
    related: Relation, unfinished: bool, at_once: bool, over: bool, others: bool, rest: bool
) -> None:
    assert may_be_rest(related, unfinished=unfinished, at_once=at_once, over=over, others=others) is rest
