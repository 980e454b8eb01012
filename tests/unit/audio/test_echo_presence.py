"""An echo is expected until the microphone has been seen not to hear the speaker."""

from itertools import cycle, islice

import pytest

from assistant.audio.echo_presence import DELAY_MS, ENOUGH_MS, EVIDENCE_MS, EchoPresence

ROOM_DB = -60.0
VOICE = [-14.0, -18.0, -22.0, -16.0, -40.0, -20.0]
"""Levels of the assistant's voice, again and again."""


def play(presence: EchoPresence, ms: int, *, echo_db: float | None, delay_ms: int = 60, user_db: float = -96.0) -> bool:
    """Play the voice; gives whether an echo is expected afterwards."""
    voice = list(islice(cycle(VOICE), ms // 10))
    late = [-96.0] * (delay_ms // 10) + voice
    for played_db, echoed_db in zip(voice, late, strict=False):
        echo = -96.0 if echo_db is None else echoed_db + echo_db
        presence.feed(max(ROOM_DB, echo, user_db), played_db)
    return presence.audible


def test_an_echo_is_expected_before_anything_was_played() -> None:
    presence = EchoPresence()
    for _ in range(1_000):
        presence.feed(ROOM_DB, -96.0)
    assert presence.audible


@pytest.mark.parametrize("delay_ms", [0, 60, 400])
@pytest.mark.parametrize("echo_db", [-30.0, -12.0, 0.0])
def test_a_loudspeaker_is_heard(echo_db: float, delay_ms: int) -> None:
    assert play(EchoPresence(), 5_000, echo_db=echo_db, delay_ms=delay_ms)


def test_headphones_are_noticed_within_the_first_second_of_an_answer() -> None:
    presence = EchoPresence()
    assert play(presence, DELAY_MS, echo_db=None)
    assert not play(presence, 2 * ENOUGH_MS, echo_db=None)


def test_the_users_voice_is_not_taken_for_an_echo_at_once() -> None:
    presence = EchoPresence()
    play(presence, 2_000, echo_db=None)
    assert not play(presence, 500, echo_db=None, user_db=-20.0)


def test_headphones_that_are_pulled_out_are_noticed() -> None:
    presence = EchoPresence()
    assert not play(presence, 3_000, echo_db=None)
    assert play(presence, DELAY_MS + 2 * EVIDENCE_MS, echo_db=-12.0)


def test_what_was_learned_is_kept_while_nothing_is_played() -> None:
    presence = EchoPresence()
    play(presence, 3_000, echo_db=None)
    for _ in range(3_000):
        presence.feed(-25.0, -96.0)
    assert not presence.audible
