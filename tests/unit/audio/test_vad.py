import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.speech_segments import SpeechChange, SpeechTracker
from assistant.audio.vad import VoiceActivity
from tests.unit.audio.sounds import Samples, clicks, coughs, frames, hum, noise, recording

pytestmark = pytest.mark.long

FIRST_SOUND_MS = {
    "en_coffee_order": 1_610,
    "en_read_sentence": 560,
    "ko_hotel_question": 890,
    "ko_lights_blue": 610,
    "ko_read_sentence": 670,
    "ko_wake_words": 1_510,
}
"""Start of speech in each recording: the point from which the level stays above the noise."""


def onsets_ms(pcm: Samples) -> list[int]:
    """Times at which speech was detected."""
    voice, tracker = VoiceActivity(), SpeechTracker()
    return [
        tracker.position // 16
        for frame in frames(pcm)
        if tracker.feed(speech=voice.feed(frame).speech) is SpeechChange.STARTED
    ]


@pytest.mark.parametrize(("name", "begins_ms"), FIRST_SOUND_MS.items())
def test_speech_is_noticed_within_150_ms_of_its_first_sound(name: str, begins_ms: int) -> None:
    first = onsets_ms(recording(name))[0]

    assert begins_ms - 50 <= first <= begins_ms + 150


@pytest.mark.parametrize("name", FIRST_SOUND_MS)
def test_soft_speech_is_noticed_too(name: str) -> None:
    soft = (recording(name) // 8).astype(np.int16)

    assert onsets_ms(soft)


@pytest.mark.parametrize(
    "sound",
    [
        pytest.param(recording("near_silence"), id="room noise on which recognisers hallucinate"),
        pytest.param(np.zeros(80_000, np.int16), id="digital silence"),
        pytest.param(noise(-30, 5), id="white noise"),
        pytest.param(noise(-30, 5, slope=0.5), id="pink noise"),
        pytest.param(noise(-30, 5, slope=1.0), id="brown noise"),
        pytest.param(hum(5), id="hum"),
        pytest.param(clicks(5), id="clicks"),
        pytest.param(coughs(5), id="cough-like bursts"),
    ],
)
def test_what_is_not_speech_begins_nothing(sound: Samples) -> None:
    assert onsets_ms(sound) == []


def test_the_network_sleeps_through_silence_and_wakes_for_speech() -> None:
    voice = VoiceActivity()
    for frame in frames(noise(-70, 2)):
        assert voice.feed(frame).probability == 0
    assert voice.asleep

    awake = []
    for frame in frames(recording("ko_lights_blue")):
        voice.feed(frame)
        awake.append(not voice.asleep)

    assert any(awake)
    assert not all(awake)


def test_the_gate_loses_nothing_that_the_network_alone_would_hear() -> None:
    gated, always = VoiceActivity(), VoiceActivity(hold_ms=1_000_000)
    opener = frames(noise(-20, 0.5, slope=0.5))
    for frame in opener:
        gated.feed(frame)
        always.feed(frame)
    sound = frames(recording("en_coffee_order"))

    decisions = [(gated.feed(frame).speech, always.feed(frame).speech) for frame in sound]

    assert sum(one != other for one, other in decisions) <= 0.02 * len(decisions)


def test_a_pause_between_words_ends_speech_and_the_next_word_begins_it() -> None:
    words = onsets_ms(recording("ko_wake_words"))

    assert len(words) >= 4


def test_a_reset_detector_judges_as_a_new_one() -> None:
    used, sound = VoiceActivity(), frames(recording("ko_read_sentence"))
    for frame in frames(recording("en_read_sentence")):
        used.feed(frame)
    used.reset()
    fresh = VoiceActivity()

    assert [used.feed(frame) for frame in sound] == [fresh.feed(frame) for frame in sound]


def test_only_whole_frames_are_taken() -> None:
    with pytest.raises(ValueError, match="320"):
        VoiceActivity().feed(b"\0\0")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere no file lists the threads of a process")
def test_the_network_starts_no_threads_of_its_own() -> None:
    voice, sound = VoiceActivity(), frames(recording("en_coffee_order"))
    begun: list[set[Path]] = []

    def listen() -> None:
        # OpenMP starts threads for each thread that uses it.
        before = set(Path("/proc/self/task").iterdir())
        assert any(voice.feed(frame).speech for frame in sound)
        begun.append(set(Path("/proc/self/task").iterdir()) - before)

    # Other tests of this process may begin a thread meanwhile. OpenMP would begin some in each of the rounds.
    for _ in range(3):
        listener = threading.Thread(target=listen)
        listener.start()
        listener.join()
    assert set() in begun
    assert "OMP_THREAD_LIMIT" not in os.environ
