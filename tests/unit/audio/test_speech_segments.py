import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.audio.speech_segments import PreRoll, SpeechChange, SpeechTiming, SpeechTracker
from assistant.core.audio import FRAME_BYTES

TIMING = SpeechTiming(onset_ms=60, onset_window_ms=100, offset_ms=300)


def feed(tracker: SpeechTracker, *stretches: tuple[bool, int]) -> list[tuple[int, SpeechChange]]:
    """Feed stretches of (speech, milliseconds); return the changes with the time in ms just after their frame."""
    return [
        (tracker.position // 16, change)
        for speech, length_ms in stretches
        for _ in range(length_ms // 10)
        if (change := tracker.feed(speech=speech))
    ]


def test_speech_begins_once_there_was_enough_of_it_and_is_dated_back_to_its_first_frame() -> None:
    tracker = SpeechTracker(TIMING)

    assert feed(tracker, (False, 200), (True, 200)) == [(260, SpeechChange.STARTED)]
    assert tracker.speaking
    assert tracker.onset == 200 * 16
    assert tracker.speech_ms == 200


def test_a_short_noise_begins_nothing() -> None:
    tracker = SpeechTracker(TIMING)

    assert feed(tracker, *[(True, 50), (False, 100)] * 10) == []
    assert not tracker.speaking


def test_speech_with_tiny_gaps_still_begins_within_the_window() -> None:
    tracker = SpeechTracker(TIMING)

    assert feed(tracker, (True, 20), (False, 10), (True, 20), (False, 10), (True, 20)) == [(80, SpeechChange.STARTED)]
    assert tracker.onset == 0
    assert tracker.speech_ms == 60


def test_speech_ends_after_silence_and_a_shorter_pause_does_not_end_it() -> None:
    tracker = SpeechTracker(TIMING)

    assert feed(tracker, (True, 500), (False, 290), (True, 200), (False, 500)) == [
        (60, SpeechChange.STARTED),
        (1_290, SpeechChange.ENDED),
    ]
    assert tracker.speech_end == 990 * 16
    assert tracker.speech_ms == 700
    assert tracker.silence_ms == 500


def test_silence_is_counted_from_the_start_while_nobody_has_spoken() -> None:
    tracker = SpeechTracker(TIMING)
    feed(tracker, (False, 700))

    assert tracker.silence_ms == 700
    assert tracker.onset == tracker.speech_end == -1


def test_the_next_utterance_is_counted_anew() -> None:
    tracker = SpeechTracker(TIMING)
    feed(tracker, (True, 500), (False, 400), (True, 100))

    assert tracker.speaking
    assert tracker.onset == 900 * 16
    assert tracker.speech_ms == 100


def test_a_reset_forgets_speech_but_time_goes_on() -> None:
    tracker = SpeechTracker(TIMING)
    feed(tracker, (True, 500))

    tracker.reset()

    assert not tracker.speaking
    assert tracker.position == 500 * 16
    assert tracker.onset == tracker.speech_end == -1
    assert feed(tracker, (True, 60)) == [(560, SpeechChange.STARTED)]
    assert tracker.onset == 500 * 16


@given(st.lists(st.booleans(), max_size=300))
def test_beginnings_and_ends_alternate_whatever_is_heard(speech: list[bool]) -> None:
    tracker = SpeechTracker(TIMING)
    changes = [change for each in speech if (change := tracker.feed(speech=each))]

    assert changes == [SpeechChange.STARTED, SpeechChange.ENDED] * (len(changes) // 2) + (
        [SpeechChange.STARTED] if tracker.speaking else []
    )


@pytest.mark.parametrize(("onset_ms", "window_ms", "offset_ms"), [(100, 60, 300), (0, 60, 300), (60, 100, 0)])
def test_times_that_cannot_be_met_are_refused(onset_ms: int, window_ms: int, offset_ms: int) -> None:
    with pytest.raises(ValueError, match="ms of"):
        SpeechTiming(onset_ms=onset_ms, onset_window_ms=window_ms, offset_ms=offset_ms)


def frame(number: int) -> bytes:
    return bytes([number]) * FRAME_BYTES


def test_preroll_keeps_the_last_moments_in_order() -> None:
    preroll = PreRoll(40)
    for number in range(10):
        preroll.push(frame(number))

    assert preroll.length_ms == 40
    assert preroll.take() == b"".join(frame(number) for number in range(6, 10))
    assert preroll.take() == b""


def test_preroll_of_no_length_keeps_nothing() -> None:
    preroll = PreRoll(0)
    preroll.push(frame(1))

    assert preroll.take() == b""


def test_cleared_preroll_is_empty() -> None:
    preroll = PreRoll(40)
    preroll.push(frame(1))
    preroll.clear()

    assert preroll.length_ms == 0


def test_preroll_takes_whole_frames_only() -> None:
    with pytest.raises(ValueError, match="320"):
        PreRoll(40).push(b"\0\0")
