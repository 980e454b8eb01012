"""An echo is recognised by its waveform, whatever its delay and colour. A voice is never taken for an echo."""

import numpy as np
import pytest

from assistant.audio.echo.correlation import FOLLOWS, UNRELATED, EchoCorrelation, PlayedSound
from tests.unit.audio.sounds import Samples, frames, in_room, noise, recording, whole

SPEAKER = recording("en_read_sentence")
USER = recording("ko_hotel_question")


def peak(heard: Samples, played: Samples) -> float:
    """The median peak over four seconds."""
    sound = PlayedSound()
    correlation = EchoCorrelation(sound)
    found = []
    for number, (one, other) in enumerate(zip(frames(heard[:64_000]), frames(played[:64_000]), strict=False)):
        sound.feed(other)
        correlation.feed(one)
        if number % 10 == 9 and (sharpest := correlation.peak()) is not None:
            found.append(sharpest)
    return float(np.median(found))


@pytest.mark.parametrize("delay_ms", [20, 60, 200])
@pytest.mark.parametrize("gain_db", [-6.0, -20.0])
def test_what_comes_back_through_a_room_follows_what_is_played(gain_db: float, delay_ms: int) -> None:
    echo = in_room(SPEAKER, delay_ms=delay_ms, gain_db=gain_db)[: len(SPEAKER)]
    assert peak(whole(echo + noise(-70, len(echo) / 16_000)[: len(echo)]), SPEAKER) > FOLLOWS


def test_somebody_elses_voice_does_not_follow_what_is_played() -> None:
    assert peak(USER, SPEAKER) < UNRELATED


def test_noise_does_not_follow_what_is_played() -> None:
    assert peak(noise(-50, 3), SPEAKER) < UNRELATED


def test_there_is_no_answer_before_there_is_enough_sound() -> None:
    sound = PlayedSound()
    correlation = EchoCorrelation(sound)
    sound.feed(bytes(320))
    correlation.feed(bytes(320))
    assert correlation.peak() is None


def test_silence_follows_nothing() -> None:
    assert peak(np.zeros(32_000, np.int16), np.zeros(32_000, np.int16)) == 0.0


def test_what_was_played_before_clearing_is_left_out() -> None:
    played = np.concatenate([SPEAKER[16_000:32_000], np.zeros(8_000, np.int16)])
    sound = PlayedSound()
    whole_history, cleared = EchoCorrelation(sound), EchoCorrelation(sound)
    for number, (one, other) in enumerate(zip(frames(np.roll(played, 6_400)), frames(played), strict=True)):
        if number == 100:
            cleared.clear()
        sound.feed(other)
        whole_history.feed(one)
        cleared.feed(one)

    assert (whole_history.peak() or 0) > FOLLOWS
    assert cleared.peak() == 0.0
