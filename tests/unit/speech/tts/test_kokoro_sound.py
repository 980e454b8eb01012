import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.speech.tts.kokoro_sound import LOUDNESS_DB, finished

RATE = 24_000


def tone(seconds: float, level: float = 0.3) -> NDArray[np.float32]:
    wave: NDArray[np.float32] = (level * np.sin(np.arange(round(seconds * RATE)) * 0.05)).astype(np.float32)
    return wave


def silence(seconds: float) -> NDArray[np.float32]:
    return np.zeros(round(seconds * RATE), np.float32)


def seconds(pcm: NDArray[np.int16]) -> float:
    return len(pcm) / RATE


def longest_silence_s(pcm: NDArray[np.int16]) -> float:
    heard = np.flatnonzero(np.abs(pcm.astype(int)) > 30)
    return float(np.diff(heard).max()) / RATE


def test_the_silence_around_a_sentence_is_cut_to_a_little() -> None:
    pcm = finished(np.concatenate([silence(0.4), tone(1.0), silence(0.5)]), RATE, pauses=0)
    assert seconds(pcm) == pytest.approx(1.06, abs=0.03)


def test_gaps_within_a_phrase_are_shortened_and_asked_for_pauses_kept() -> None:
    sound = np.concatenate([tone(0.5), silence(0.2), tone(0.5), silence(0.3), tone(0.5)])
    assert longest_silence_s(finished(sound, RATE, pauses=0)) == pytest.approx(0.09, abs=0.03)
    assert longest_silence_s(finished(sound, RATE, pauses=1)) == pytest.approx(0.3, abs=0.03)
    assert seconds(finished(sound, RATE, pauses=2)) == pytest.approx(2.0, abs=0.03)


@pytest.mark.parametrize("level", [0.05, 0.3, 0.9])
def test_sentences_are_equally_loud(level: float) -> None:
    pcm = finished(tone(1.0, level), RATE, pauses=0)
    rms = np.sqrt(np.mean((pcm[1000:-1000] / 32_768) ** 2))
    assert 20 * np.log10(rms) == pytest.approx(LOUDNESS_DB, abs=0.5)


def test_nothing_is_clipped_and_no_end_clicks() -> None:
    peak = tone(1.0, 0.02)
    peak[12_000] = 1.0
    pcm = finished(peak, RATE, pauses=0)
    assert np.abs(pcm.astype(int)).max() < 32_700
    assert pcm[0] == pcm[-1] == 0


@pytest.mark.parametrize("sound", [silence(0), silence(0.001), silence(1.0)])
def test_silence_gives_nothing(sound: NDArray[np.float32]) -> None:
    assert finished(sound, RATE, pauses=0).size == 0
