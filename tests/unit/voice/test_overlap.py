"""Speech over the running turn is suspected early and confirmed late; an echo does not count."""

import pytest

from assistant.voice.overlap import (
    CONFIRM_MS,
    CONFIRM_WITHIN_MS,
    DISMISS_MS,
    ECHO_MARGIN_DB,
    SUSPECT_MS,
    Overlap,
    OverlapJudge,
)


def verdicts(
    judge: OverlapJudge, frames: list[bool], *, heard_db: float = -30, played_db: float = -20
) -> list[Overlap]:
    found = [judge.feed(speech=speech, heard_db=heard_db, played_db=played_db) for speech in frames]
    return [verdict for verdict in found if verdict is not None]


def speech(ms: int) -> list[bool]:
    return [True] * (ms // 10)


def silence(ms: int) -> list[bool]:
    return [False] * (ms // 10)


def test_a_word_is_suspected_and_then_confirmed() -> None:
    assert verdicts(OverlapJudge(), speech(CONFIRM_MS)) == [Overlap.SUSPECTED, Overlap.CONFIRMED]


def test_a_click_is_not_even_suspected() -> None:
    assert verdicts(OverlapJudge(), speech(SUSPECT_MS - 10) + silence(1000)) == []


def test_the_first_32_ms_that_the_detector_calls_speech_raise_a_suspicion() -> None:
    assert verdicts(OverlapJudge(), speech(30)) == [Overlap.SUSPECTED]


def test_a_cough_is_suspected_and_dismissed() -> None:
    assert verdicts(OverlapJudge(), speech(200) + silence(DISMISS_MS)) == [Overlap.SUSPECTED, Overlap.DISMISSED]


def test_speech_with_gaps_is_confirmed_within_the_span() -> None:
    frames = (speech(100) + silence(50)) * 3
    assert Overlap.CONFIRMED in verdicts(OverlapJudge(), frames)


def test_speech_spread_too_thinly_is_never_confirmed() -> None:
    frames = (speech(50) + silence(150)) * 10
    assert len(frames) * 10 > CONFIRM_WITHIN_MS
    assert Overlap.CONFIRMED not in verdicts(OverlapJudge(), frames)


@pytest.mark.parametrize(("below_db", "counts"), [(ECHO_MARGIN_DB - 5, True), (ECHO_MARGIN_DB + 5, False)])
def test_what_is_far_weaker_than_the_own_voice_is_taken_for_its_echo(below_db: float, counts: bool) -> None:
    found = verdicts(OverlapJudge(), speech(500), heard_db=-15 - below_db, played_db=-15)
    assert (Overlap.CONFIRMED in found) is counts


def test_where_nothing_comes_back_a_weak_voice_counts_like_a_strong_one() -> None:
    judge = OverlapJudge()
    found = [judge.feed(speech=True, heard_db=-55, played_db=-15, echo=False) for _ in range(CONFIRM_MS // 10)]
    assert found[-1] is Overlap.CONFIRMED


def test_speech_that_was_taken_for_an_echo_counts_as_soon_as_there_is_none() -> None:
    judge = OverlapJudge()
    for _ in range(CONFIRM_MS // 10 + 5):
        assert judge.feed(speech=False, heard_db=-60, played_db=-15, unprocessed_speech=True) is None
    verdict = judge.feed(speech=False, heard_db=-30, played_db=-15, echo=False, unprocessed_speech=True)
    assert verdict is Overlap.CONFIRMED


def test_an_echo_in_the_microphone_is_no_speech_while_one_is_expected() -> None:
    judge = OverlapJudge()
    found = [judge.feed(speech=False, heard_db=-60, played_db=-15, unprocessed_speech=True) for _ in range(100)]
    assert set(found) == {None}


def test_a_dismissed_suspicion_can_be_raised_again() -> None:
    frames = speech(100) + silence(DISMISS_MS) + speech(100) + silence(DISMISS_MS)
    assert verdicts(OverlapJudge(), frames) == [Overlap.SUSPECTED, Overlap.DISMISSED] * 2


def test_reset_forgets_speech() -> None:
    judge = OverlapJudge()
    verdicts(judge, speech(CONFIRM_MS - 20))
    judge.reset()
    assert verdicts(judge, speech(SUSPECT_MS - 10)) == []


def test_what_is_heard_beside_an_echo_counts_in_place_of_the_cancelled_sound() -> None:
    judge = OverlapJudge()
    found = [
        judge.feed(speech=False, heard_db=-70, played_db=-15, separated_speech=True) for _ in range(CONFIRM_MS // 10)
    ]
    assert found[-1] is Overlap.CONFIRMED


def test_what_the_canceller_lets_through_does_not_count_where_nothing_is_heard_beside_the_echo() -> None:
    judge = OverlapJudge()
    found = [judge.feed(speech=True, heard_db=-20, played_db=-15, separated_speech=False) for _ in range(100)]
    assert set(found) == {None}
