"""Afterwards, a voice is found again that spoke over the beginning of an answer; an echo alone is known as such."""

import numpy as np
import pytest

from assistant.audio.echo.onset import without_echo
from assistant.core.audio import SAMPLE_RATE
from tests.unit.audio.sounds import Samples, energy_db, in_room, noise, recording, whole

ANSWER = recording("en_read_sentence")[: 2 * SAMPLE_RATE]
QUESTION = recording("ko_lights_blue")[8_000 : 8_000 + SAMPLE_RATE]
AT = len(ANSWER) - SAMPLE_RATE
ROOM = noise(-75, len(ANSWER) / SAMPLE_RATE)


def heard(echo: bool, voice: bool, reverberation_s: float = 0.1) -> Samples:
    sound = ROOM.astype(np.float64)
    if echo:
        sound += in_room(ANSWER, delay_ms=60, gain_db=-6, reverberation_s=reverberation_s)
    if voice:
        sound[AT:] += QUESTION
    return whole(sound)


@pytest.mark.parametrize("reverberation_s", [0.01, 0.1])
def test_a_voice_is_kept_and_the_echo_is_taken_out(reverberation_s: float) -> None:
    rest = without_echo(heard(True, True, reverberation_s).tobytes(), ANSWER.tobytes(), speech=len(QUESTION))
    found = np.frombuffer(rest.pcm, "<i2")
    left = found[AT:].astype(np.float64) - QUESTION
    assert rest.voice
    assert len(found) == len(ANSWER)
    assert energy_db(left) < energy_db(QUESTION) - 8
    echo_db = energy_db(heard(True, False, reverberation_s)[:AT])
    assert energy_db(found[:AT]) < echo_db - 6


@pytest.mark.parametrize("reverberation_s", [0.01, 0.1, 0.25])
def test_an_echo_alone_is_no_voice(reverberation_s: float) -> None:
    sound = heard(True, False, reverberation_s).tobytes()
    assert not without_echo(sound, ANSWER.tobytes(), speech=SAMPLE_RATE).voice


@pytest.mark.parametrize("gain_db", [0, -10])
def test_a_voice_over_a_long_echo_is_one(gain_db: float) -> None:
    sound = heard(True, False, 0.25).astype(np.float64)
    sound[AT:] += QUESTION * 10 ** (gain_db / 20)
    assert without_echo(whole(sound).tobytes(), ANSWER.tobytes(), speech=SAMPLE_RATE).voice


@pytest.mark.parametrize("delay_ms", [40, 120])
def test_an_echo_that_comes_at_another_time_is_no_voice(delay_ms: int) -> None:
    sound = heard(True, False)
    sound[AT:] = whole(in_room(ANSWER, delay_ms=delay_ms, gain_db=-6) + ROOM)[AT:]
    assert not without_echo(sound.tobytes(), ANSWER.tobytes(), speech=SAMPLE_RATE).voice


def test_clocks_that_differ_leave_no_echo() -> None:
    late = np.arange(len(ANSWER)) * (1 - 1e-4)
    drifting = np.interp(late, np.arange(len(ANSWER)), in_room(ANSWER, delay_ms=60, gain_db=-6)) + ROOM
    sound = whole(drifting).tobytes()

    rest, left = (
        np.frombuffer(without_echo(sound, ANSWER.tobytes(), speech=SAMPLE_RATE, drift=drift).pcm, "<i2")
        for drift in (1e-4, 0.0)
    )

    assert energy_db(rest) < energy_db(left) - 3


def test_without_an_echo_nothing_is_changed() -> None:
    sound = heard(False, True).tobytes()
    rest = without_echo(sound, ANSWER.tobytes(), speech=SAMPLE_RATE)
    assert rest.pcm == sound
    assert rest.voice


def test_silence_is_no_error() -> None:
    silent = bytes(2 * SAMPLE_RATE)
    assert without_echo(silent, ANSWER[:SAMPLE_RATE].tobytes(), speech=SAMPLE_RATE).pcm == silent
    assert without_echo(silent, silent, speech=SAMPLE_RATE).pcm == silent
