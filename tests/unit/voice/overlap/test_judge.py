"""Speech over the running turn is suspected and heard early; it is confirmed late, and an echo does not count."""

import pytest

from assistant.voice.overlap.judge import (
    CONFIRM_MS,
    CONFIRM_WITHIN_MS,
    DISMISS_MS,
    ECHO_MARGIN_DB,
    ENDED_MS,
    FALSE_ALARM_MS,
    HEARD_ALONE_MS,
    HEARD_MS,
    HEARD_SURE_MS,
    HEARD_WITHIN_MS,
    LEAST_WORD_MS,
    LONGEST_MS,
    SUSPECT_MS,
    Overlap,
    OverlapJudge,
)


def verdicts(
    judge: OverlapJudge, frames: list[bool], *, heard_db: float = -30, played_db: float = -20, echo: bool = True
) -> list[Overlap]:
    found = [judge.feed(speech=speech, heard_db=heard_db, played_db=played_db, echo=echo) for speech in frames]
    return [verdict for verdict in found if verdict is not None]


def speech(ms: int) -> list[bool]:
    return [True] * (ms // 10)


def silence(ms: int) -> list[bool]:
    return [False] * (ms // 10)


def test_speech_is_suspected_then_heard_and_confirmed_when_it_goes_on() -> None:
    assert verdicts(OverlapJudge(), speech(CONFIRM_MS)) == [Overlap.SUSPECTED, Overlap.HEARD, Overlap.CONFIRMED]


def test_a_click_is_not_even_suspected() -> None:
    assert verdicts(OverlapJudge(), speech(SUSPECT_MS - 10) + silence(1000)) == []


def test_the_first_32_ms_that_the_detector_calls_speech_raise_a_suspicion() -> None:
    assert verdicts(OverlapJudge(), speech(30)) == [Overlap.SUSPECTED]


def test_a_click_like_cough_is_suspected_and_dismissed_without_a_pause() -> None:
    frames = speech(HEARD_MS - 10) + silence(DISMISS_MS)
    assert verdicts(OverlapJudge(), frames) == [Overlap.SUSPECTED, Overlap.DISMISSED]


def test_a_sound_that_is_too_short_for_a_word_is_dismissed_without_its_words() -> None:
    frames = speech(LEAST_WORD_MS - 10) + silence(ENDED_MS)
    assert verdicts(OverlapJudge(), frames) == [Overlap.SUSPECTED, Overlap.HEARD, Overlap.DISMISSED]


def test_the_words_of_short_speech_decide() -> None:
    judge = OverlapJudge()
    assert verdicts(judge, speech(300) + silence(ENDED_MS)) == [Overlap.SUSPECTED, Overlap.HEARD, Overlap.ENDED]
    assert judge.suspected
    assert (judge.speech_ms, judge.silence_ms, judge.began_ms_ago) == (300, ENDED_MS, 300 + ENDED_MS)


def test_speech_that_goes_on_is_no_longer_short() -> None:
    frames = speech(300) + silence(ENDED_MS) + speech(CONFIRM_MS - 300)
    assert verdicts(OverlapJudge(), frames)[2:] == [Overlap.ENDED, Overlap.WENT_ON, Overlap.CONFIRMED]


def test_speech_with_gaps_is_confirmed_within_the_span() -> None:
    frames = (speech(250) + silence(50)) * 4
    assert len(frames) * 10 > CONFIRM_WITHIN_MS
    assert Overlap.CONFIRMED in verdicts(OverlapJudge(), frames)


def test_the_voice_is_not_paused_longer_than_the_limit() -> None:
    frames = (speech(100) + silence(ENDED_MS - 10)) * 20
    found = verdicts(OverlapJudge(), frames[: (LONGEST_MS + 500) // 10])
    assert found[:3] == [Overlap.SUSPECTED, Overlap.HEARD, Overlap.CONFIRMED]


def test_speech_spread_too_thinly_is_never_heard() -> None:
    frames = (speech(30) + silence(250)) * 10
    assert set(verdicts(OverlapJudge(), frames)) == {Overlap.SUSPECTED}


@pytest.mark.parametrize(("below_db", "counts"), [(ECHO_MARGIN_DB - 5, True), (ECHO_MARGIN_DB + 5, False)])
def test_what_is_far_weaker_than_the_own_voice_is_taken_for_its_echo(below_db: float, counts: bool) -> None:
    found = verdicts(OverlapJudge(), speech(1_000), heard_db=-15 - below_db, played_db=-15)
    assert (Overlap.CONFIRMED in found) is counts


def test_without_an_echo_a_weak_voice_counts_and_less_speech_pauses() -> None:
    found = verdicts(OverlapJudge(), speech(HEARD_ALONE_MS), heard_db=-55, played_db=-15, echo=False)
    assert found[-1] is Overlap.HEARD


def test_speech_that_was_taken_for_an_echo_counts_as_soon_as_there_is_none() -> None:
    judge = OverlapJudge()
    for _ in range(HEARD_MS // 10 + 5):
        assert judge.feed(speech=False, heard_db=-60, played_db=-15, unprocessed_speech=True) is None
    verdict = judge.feed(speech=False, heard_db=-30, played_db=-15, echo=False, unprocessed_speech=True)
    assert verdict is Overlap.HEARD
    assert judge.began_ms_ago == HEARD_MS + 60


def test_an_echo_in_the_microphone_is_no_speech_while_one_is_expected() -> None:
    judge = OverlapJudge()
    found = [judge.feed(speech=False, heard_db=-60, played_db=-15, unprocessed_speech=True) for _ in range(100)]
    assert set(found) == {None}


def test_a_dismissed_suspicion_can_be_raised_again() -> None:
    frames = (speech(HEARD_MS - 10) + silence(HEARD_WITHIN_MS)) * 2
    assert verdicts(OverlapJudge(), frames) == [Overlap.SUSPECTED, Overlap.DISMISSED] * 2


@pytest.mark.parametrize("echo", [True, False])
def test_after_a_pause_that_the_own_echo_caused_more_is_needed_while_there_is_an_echo(echo: bool) -> None:
    judge = OverlapJudge()
    judge.false_alarms = 1
    found = verdicts(judge, speech(HEARD_MS + FALSE_ALARM_MS - 10), echo=echo)
    assert (Overlap.HEARD in found) is not echo
    assert (found + verdicts(judge, speech(10), echo=echo))[-1] is Overlap.HEARD


def test_reset_forgets_speech() -> None:
    judge = OverlapJudge()
    verdicts(judge, speech(CONFIRM_MS - 20))
    judge.reset()
    assert verdicts(judge, speech(SUSPECT_MS - 10)) == []


def test_what_is_heard_beside_an_echo_counts_in_place_of_the_cancelled_sound() -> None:
    judge = OverlapJudge()
    found = [
        judge.feed(speech=False, heard_db=-70, played_db=-15, separated_speech=True) for _ in range(HEARD_MS // 10)
    ]
    assert found[-1] is Overlap.HEARD


def test_what_the_canceller_lets_through_does_not_count_where_nothing_is_heard_beside_the_echo() -> None:
    judge = OverlapJudge()
    found = [judge.feed(speech=True, heard_db=-20, played_db=-15, separated_speech=False) for _ in range(100)]
    assert set(found) == {None}


def beside_echo(judge: OverlapJudge, ms: int, *, sure: bool) -> list[Overlap | None]:
    """Speech of this duration beside a recognised echo."""
    return [
        judge.feed(speech=False, heard_db=-70, played_db=-15, separated_speech=True, sure=sure) for _ in range(ms // 10)
    ]


def test_less_speech_pauses_if_the_detector_is_sure_of_it() -> None:
    unsure, sure = (beside_echo(OverlapJudge(), HEARD_SURE_MS, sure=each) for each in (False, True))
    assert unsure == [Overlap.SUSPECTED, None, None, None]
    assert sure == [Overlap.SUSPECTED, None, None, Overlap.HEARD]


def test_a_sure_voice_needs_more_as_well_after_a_pause_that_the_own_echo_caused() -> None:
    judge = OverlapJudge()
    judge.false_alarms = 1
    assert Overlap.HEARD not in beside_echo(judge, HEARD_SURE_MS + FALSE_ALARM_MS - 10, sure=True)
    assert beside_echo(judge, 10, sure=True) == [Overlap.HEARD]


def test_confirmed_speech_of_an_unknown_speaker_is_followed_to_its_end_or_to_the_limit() -> None:
    for rest, found in (
        (speech(400) + silence(ENDED_MS), [Overlap.ENDED]),
        (speech(LONGEST_MS), [Overlap.CONFIRMED]),
    ):
        judge = OverlapJudge()
        verdicts(judge, speech(CONFIRM_MS))
        judge.go_on()
        assert verdicts(judge, rest)[:1] == found
