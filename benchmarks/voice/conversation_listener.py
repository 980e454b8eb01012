"""Listens to a recorded conversation: gaps, answers that do not say what they should, and sound that is no answer.

The baseline is the same reply as the same voice says it without a conversation, sentence by sentence.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.audio.resampling import resample
from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.tts import kokoro, piper
from assistant.speech.tts.synthesizer import Voice
from benchmarks.voice.batch_pipeline import load_whisper
from benchmarks.voice.listening import Pcm, percentile
from benchmarks.voice.wav_files import SOUND
from tests.fakes.sound.human_speech import character_error_rate

VOICES = {"ko": (kokoro.ENGINE, Voice(language="ko")), "en": (piper.ENGINE, Voice(language="en"))}
LATE_S = 0.5
"""How much later than the state the sound may end: the card's buffer and the recorder's."""
SHORTEST_GAP_S = 0.03
MISHEARD = 0.25
"""Share of wrong characters from which on an answer is shown in the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer that nobody interrupted.

    Attributes:
        language: its language, ``ko`` or ``en``.
        begins, ends: when Sori said that it spoke, in seconds of the recording.
        whole: whether it was heard to its end; ``False`` for one that a person ended.
    """

    language: str
    begins: float
    ends: float
    whole: bool


def report(played: Pcm, answers: Sequence[Answered], replies: Mapping[str, str]) -> list[str]:
    """What a listener would remark.

    Args:
        played: the loudspeaker's sound at 48 kHz.
        answers: all answers, in order.
        replies: what each answer should say, by language.
    """
    found = []
    whisper = load_whisper(open_store(default_home()).path("whisper-base"), os.cpu_count() or 2)
    for language in sorted({each.language for each in answers if each.whole}):
        pieces = [_between(played, each) for each in answers if each.whole and each.language == language]
        alone = [silences_s(piece) for piece in _said_alone(language, replies[language])]
        errors, wrong = [], []
        for piece in pieces:
            segments, _ = whisper.transcribe(resample(piece, PLAYBACK_RATE, SAMPLE_RATE) / 32768.0, language=language)
            text = " ".join(segment.text.strip() for segment in segments)
            errors.append(character_error_rate(text, replies[language]))
            wrong += [f"    said: {text}"] * (errors[-1] > MISHEARD)
        gaps = [max(silences_s(piece), default=0.0) for piece in pieces]
        found.append(
            f"{language}: {len(pieces)} answers heard to the end; longest silence in each "
            f"p50 {percentile(gaps, 50):.2f} s, p95 {percentile(gaps, 95):.2f} s, longest {max(gaps):.2f} s; "
            f"in the voice's own sentences {max((max(each, default=0.0) for each in alone), default=0.0):.2f} s; "
            f"wrong characters p50 {percentile(errors, 50):.1%}, worst {max(errors):.1%}; "
            f"{len(wrong)} answers were not said as written"
        )
        found += wrong
    found.append(f"sound that was no answer: {_sound_s(played, answers):.2f} s of {len(played) / PLAYBACK_RATE:.0f} s")
    return found


def silences_s(pcm: Pcm) -> list[float]:
    """Lengths of the silences between the first and the last sound, in seconds."""
    loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) > SOUND)
    between = np.diff(loud) / PLAYBACK_RATE
    return [float(each) for each in between[between > SHORTEST_GAP_S]]


def _between(played: Pcm, answer: Answered) -> Pcm:
    return played[_at(answer.begins - LATE_S) : _at(answer.ends + LATE_S)]


def _at(seconds: float) -> int:
    return max(0, round(seconds * PLAYBACK_RATE))


def _sound_s(played: Pcm, answers: Sequence[Answered]) -> float:
    """Length of the 10 ms blocks with sound outside of the answers."""
    rest = played.copy()
    for answer in answers:
        rest[_at(answer.begins - LATE_S) : _at(answer.ends + LATE_S)] = 0
    block = PLAYBACK_RATE // 100
    blocks = np.abs(rest[: len(rest) // block * block].reshape(-1, block).astype(np.int32)).max(axis=1)
    return float((blocks > SOUND).sum()) / 100


def _said_alone(language: str, reply: str) -> list[Pcm]:
    """The sentences of a reply as the voice says each of them alone, at 48 kHz."""
    engine, voice = VOICES[language]
    store = open_store(default_home())
    chunker = SentenceChunker()
    running = engine.create(store.path, 2)
    said = [
        resample(np.concatenate(list(running.synthesize(sentence, voice))), running.sample_rate, PLAYBACK_RATE)
        for sentence in (*chunker.feed(reply), *chunker.flush())
    ]
    running.close()
    return said
