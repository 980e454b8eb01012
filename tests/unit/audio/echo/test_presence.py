"""An echo is expected until its absence was observed."""

from itertools import cycle, islice

import pytest

from assistant.audio.echo.correlation import FOLLOWS, UNRELATED
from assistant.audio.echo.presence import (
    COMPARED_MS,
    COMPARISONS,
    CUE_FOLLOWS,
    DELAY_MS,
    ENOUGH_MS,
    EVIDENCE_MS,
    LOUD_FOR_MS,
    Echo,
    EchoPresence,
)

ROOM_DB = -60.0
VOICE = [-14.0, -18.0, -22.0, -16.0, -40.0, -20.0] * 6 + [-96.0] * 20
"""Levels of the assistant's voice with a pause, repeated."""


def play(
    presence: EchoPresence,
    ms: int,
    *,
    echo_db: float | None,
    delay_ms: int = 60,
    user_db: float = -96.0,
    peak: float | None = None,
) -> bool:
    """Play the voice and return whether an echo is expected afterwards.

    ``peak`` is the result of the waveform comparison; ``None`` for no comparison.
    """
    voice = list(islice(cycle(VOICE), ms // 10))
    late = [-96.0] * (delay_ms // 10) + voice
    for number, (played_db, echoed_db) in enumerate(zip(voice, late, strict=False)):
        echo = -96.0 if echo_db is None else echoed_db + echo_db
        presence.feed(max(ROOM_DB, echo, user_db), played_db)
        if peak is not None and number % 5 == 4:
            presence.compare(peak)
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


def test_noise_behind_headphones_is_not_taken_for_the_echo_of_the_loudest_sounds() -> None:
    presence = EchoPresence()
    for played_db in islice(cycle([-6.0] + [-22.0] * 9), 300):
        presence.feed(ROOM_DB, played_db)
    assert not presence.audible


def test_the_users_voice_is_not_taken_for_an_echo_at_once() -> None:
    presence = EchoPresence()
    play(presence, 2_000, echo_db=None)
    assert not play(presence, 2_500, echo_db=None, user_db=-20.0, peak=UNRELATED - 1)


def test_somebody_who_speaks_from_the_answers_beginning_is_told_from_an_echo() -> None:
    presence = EchoPresence()
    assert play(presence, 150, echo_db=None, user_db=-20.0, peak=UNRELATED - 1)
    assert not play(presence, 250, echo_db=None, user_db=-20.0, peak=UNRELATED - 1)


def test_an_echo_that_was_recognised_is_expected_though_the_user_drowns_it() -> None:
    presence = EchoPresence()
    play(presence, 1_000, echo_db=-12.0, peak=FOLLOWS + 10)
    assert play(presence, 2_000, echo_db=-12.0, user_db=-10.0, peak=UNRELATED - 1)


def test_headphones_that_are_pulled_out_are_noticed() -> None:
    presence = EchoPresence()
    assert not play(presence, 3_000, echo_db=None)
    assert play(presence, 400, echo_db=-12.0, peak=FOLLOWS)


@pytest.mark.parametrize(
    ("peak", "after_ms"), [(UNRELATED, EVIDENCE_MS), (UNRELATED - 1, LOUD_FOR_MS), (None, LOUD_FOR_MS)]
)
def test_an_echo_that_is_not_recognised_is_expected_by_its_level(peak: float | None, after_ms: int) -> None:
    presence = EchoPresence()
    play(presence, 3_000, echo_db=None)
    assert play(presence, DELAY_MS + 2 * EVIDENCE_MS + 2 * after_ms, echo_db=-12.0, peak=peak)


def test_what_was_learned_is_kept_while_nothing_is_played() -> None:
    presence = EchoPresence()
    play(presence, 3_000, echo_db=None)
    for _ in range(3_000):
        presence.feed(-25.0, -96.0)
    assert not presence.audible


def play_cue(presence: EchoPresence, *peaks: float, loud_ms: int = COMPARED_MS - 50, echo_db: float = -12.0) -> Echo:
    """Play a cue, compare its newest half second every 50 ms, and return what is known about the echo afterwards."""
    cue = [-20.0] * (loud_ms // 10)
    for played_db in cue:
        presence.feed(max(ROOM_DB, played_db + echo_db), played_db)
    for peak in peaks:
        presence.compare(peak)
    for _ in range(100):
        presence.feed(ROOM_DB, -96.0)
    return presence.state


def test_the_echo_of_a_cue_is_recognised_before_the_first_answer() -> None:
    assert play_cue(EchoPresence(), *[CUE_FOLLOWS] * COMPARISONS) is Echo.RECOGNISED


def test_a_single_peak_over_a_cue_is_no_echo() -> None:
    assert play_cue(EchoPresence(), CUE_FOLLOWS, CUE_FOLLOWS, CUE_FOLLOWS - 1) is Echo.EXPECTED


def test_the_end_of_a_cue_proves_nothing() -> None:
    assert play_cue(EchoPresence(), *[CUE_FOLLOWS] * COMPARISONS, loud_ms=40) is Echo.EXPECTED


def test_peaks_of_two_cues_are_not_added_up() -> None:
    presence = EchoPresence()
    for _ in range(2):
        play_cue(presence, CUE_FOLLOWS, CUE_FOLLOWS)
        presence.compare(UNRELATED - 1)
    assert presence.state is Echo.EXPECTED


def test_no_resemblance_to_a_cue_does_not_prove_headphones() -> None:
    assert play_cue(EchoPresence(), *[UNRELATED - 1] * COMPARISONS) is Echo.EXPECTED
