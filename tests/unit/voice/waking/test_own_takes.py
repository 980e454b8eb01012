"""A wake phrase as Sori's own voices say it: how a word is cut, and real voices and a real recogniser."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE
from assistant.speech.stt.faster_whisper import FasterWhisper
from assistant.speech.text.names.evidence import RULES, Enroller
from assistant.speech.tts.every_voice import EngineVoice, EveryVoice
from assistant.speech.tts.kokoro import ENGINE
from assistant.speech.wake.likeness import nearest
from assistant.speech.wake.word_sound import create
from assistant.voice.waking.own_takes import SPEEDS, OwnTakes, Pcm, noisy, onset_of, sayings

RECORDING = Path(__file__).parents[3] / "data" / "speech" / "alexa" / "1.flac"


def test_a_word_is_cut_as_the_voice_loop_would_hear_it() -> None:
    word = read_recording(RECORDING, PLAYBACK_RATE)
    onset = onset_of(word, PLAYBACK_RATE, "a")
    assert onset is not None
    assert 0.4 * SAMPLE_RATE < len(onset) < 1.9 * SAMPLE_RATE + 160
    same, other = onset_of(word, PLAYBACK_RATE, "a"), onset_of(word, PLAYBACK_RATE, "b")
    assert same is not None
    assert other is not None
    assert np.array_equal(onset, same), "the same word always gets the same noise"
    assert not np.array_equal(onset, other)


def test_silence_is_no_word() -> None:
    assert onset_of(np.zeros(SAMPLE_RATE, np.int16), SAMPLE_RATE, "a") is None


def test_noise_has_the_wanted_distance() -> None:
    tone = (3_000 * np.sin(np.arange(SAMPLE_RATE) / 8)).astype(np.int16)
    noise = noisy(tone, 25.0, np.random.default_rng(1)).astype(float) - tone
    ratio = np.sqrt(np.mean(tone.astype(float) ** 2) / np.mean(noise**2))
    assert 20 * np.log10(ratio) == pytest.approx(25.0, abs=0.5)


def test_each_voice_says_a_name_at_each_speed() -> None:
    voices = [EngineVoice(engine="x", name=name) for name in ("a", "b")]
    assert [(each.voice.name, each.speed) for each in sayings(voices)] == [(v, s) for v in "ab" for s in SPEEDS]


@pytest.mark.models
@pytest.mark.long
def test_a_real_voice_teaches_the_name_to_another_one(model_path: Callable[[str], Path]) -> None:
    recognizer, word_sound = FasterWhisper(model_path("whisper-base"), threads=2), create(model_path)
    voices, takes = EveryVoice([ENGINE], model_path), OwnTakes(phrase="최실장")

    def said(text: str, voice: str) -> Pcm:
        sound = voices.say(text, EngineVoice(engine="kokoro", name=voice), "ko", 1.0)
        assert sound is not None
        onset = onset_of(*sound, f"{text} {voice}")
        assert onset is not None
        return onset

    takes.hear(said(takes.text, "kf_sori"), recognizer, word_sound)
    takes.hear(said("오늘 날씨 어때?", "kf_sori"), recognizer, word_sound)
    call, other = (word_sound.whole(said(text, "alpha_heart")) for text in ("최실장!", "오늘 날씨 어때?"))
    voices.close()
    recognizer.close()
    words = takes.result("made from")
    assert words is not None
    assert len(words.takes) == 1, "other words are no word of the name"
    farthest = RULES[Enroller.SORI].farthest
    assert nearest(words.takes, call) <= farthest < nearest(words.takes, other)
