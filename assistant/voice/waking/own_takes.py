"""A wake phrase as Sori's own voices say it, heard as the voice loop would hear it (V-06)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from assistant.audio.resampling import Resampler
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.text.names.enrolment import resembles
from assistant.speech.text.names.evidence import language_of_phrase
from assistant.speech.tts.every_voice import EngineVoice
from assistant.speech.wake.likeness import Steps
from assistant.speech.wake.own_words import OwnWords
from assistant.speech.wake.word_sound import WordSound
from assistant.voice.waking.enrolling import is_phrase, weigh_phrase
from assistant.voice.waking.name_hearing import LEAD_IN_MS
from assistant.voice.waking.takes import Takes

SPEEDS: Final = (0.9, 1.0, 1.15)
"""Speeds at which each voice says a name."""
_NOISE_DB: Final = 25.0
"""How far the words are above noise, as in a quiet room. Without any, the recogniser hears other things."""
_SILENCE_S: Final = 1.0

Pcm = NDArray[np.int16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One word that is to be said: the voice and its speed."""

    voice: EngineVoice
    speed: float


def sayings(voices: Sequence[EngineVoice]) -> tuple[Saying, ...]:
    """What is to be said, engine by engine."""
    return tuple(Saying(voice=voice, speed=speed) for voice in voices for speed in SPEEDS)


@dataclass(slots=True, kw_only=True)
class OwnTakes:
    """Collects what is heard of one wake phrase.

    Attributes:
        phrase: the wake phrase.
        words: the sound of each word that was understood as the phrase.
        heard: the transcripts of the words, as far as they may be spellings.
    """

    phrase: str
    words: list[Steps] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    @property
    def language(self) -> str:
        """The language in which the phrase is said and read."""
        return language_of_phrase(self.phrase)

    @property
    def text(self) -> str:
        """What a voice is given, with the melody of a name that is said alone."""
        return f"{self.phrase}."

    def hear(self, pcm: Pcm, recognizer: Recognizer, word_sound: WordSound) -> None:
        """Take the onset of one word, on the recogniser's thread.

        Raises:
            EngineError: the recogniser failed.
        """
        weighed = weigh_phrase(recognizer, pcm, self.phrase, self.language)
        text = weighed.transcript.text
        if not is_phrase(self.phrase, weighed):
            return
        self.words.append(word_sound.word(pcm))
        if resembles(self.phrase, text) and text not in self.heard:
            self.heard.append(text)

    def result(self, made_from: str) -> OwnWords | None:
        """What is kept; ``None`` if no word was understood."""
        if not self.words:
            return None
        return OwnWords(phrase=self.phrase, takes=tuple(self.words), heard=tuple(self.heard), made_from=made_from)


def onset_of(said: Pcm, rate: int, label: str) -> Pcm | None:
    """The onset that the voice loop would take from a word in a quiet room; ``None`` if there is no voice in it.

    Args:
        said: the word.
        rate: its sample rate.
        label: chooses the noise, which is the same for the same word.
    """
    word = Resampler(rate, SAMPLE_RATE).push(said, last=True)
    silence = np.zeros(round(LEAD_IN_MS / 1000 * SAMPLE_RATE), np.int16)
    pcm = np.concatenate([silence, word, np.zeros(round(_SILENCE_S * SAMPLE_RATE), np.int16)])
    takes = Takes(VoiceActivity())
    for start in range(0, len(pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        take = takes.feed(pcm[start : start + FRAME_SAMPLES].tobytes())
        if take is not None and take.pcm:
            onset = np.frombuffer(take.pcm, "<i2")
            return noisy(onset, _NOISE_DB, np.random.default_rng(crc32(label.encode())))
    return None


def noisy(pcm: Pcm, ratio_db: float, random: np.random.Generator) -> Pcm:
    """A sound with pink noise, at this distance from the sound's loudness."""
    loudness = np.sqrt(np.mean(pcm.astype(np.float64) ** 2))
    spectrum = np.fft.rfft(random.standard_normal(len(pcm)))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    noise = np.fft.irfft(spectrum, len(pcm))
    noise *= loudness / np.sqrt(np.mean(noise**2)) / 10 ** (ratio_db / 20)
    return np.clip(pcm + noise, -32768, 32767).astype(np.int16)
