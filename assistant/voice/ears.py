"""The loaded engines of the listener."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assistant.audio.cards.card import HeardFrame
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.echo.presence import Echo
from assistant.audio.vad import VoiceFrame
from assistant.speech.endpoint.detector import TurnEndDetector
from assistant.speech.stt.recognizer import Recognizer, Weighed
from assistant.speech.wake.detector import WakeDetector
from assistant.speech.wake.word_sound import WordSound
from assistant.voice.heard_sound import HeardSound
from assistant.voice.threads.model_thread import ModelThread


class VoiceDetector(Protocol):
    """Tells speech from other sound, as ``assistant.audio.vad.VoiceActivity`` does."""

    def feed(self, pcm: bytes) -> VoiceFrame:
        """Take the next 10 ms."""
        ...

    def reset(self) -> None:
        """Forget all sound."""
        ...


@dataclass(slots=True, kw_only=True)
class Ears:
    """The engines and their threads. An engine whose call hangs is replaced by another one (V-19).

    Attributes:
        voice: voice activity detection after echo cancellation.
        unprocessed_voice: voice activity detection on the microphone signal, used while the presence of an echo is
            unknown.
        recognizer: the recogniser; runs on ``recognizer_thread``.
        wake: the wake-word detector; ``None`` when there is none or its model is missing.
        turn_end: the end-of-turn model, on ``turn_end_thread``. ``None`` leaves the decision to silence and text.
        echo: the echo canceller; ``None`` when the user has switched it off.
        word_sound: describes the sound of wake phrases, on ``recognizer_thread``; ``None`` where its model is missing.
    """

    voice: VoiceDetector
    unprocessed_voice: VoiceDetector
    recognizer: Recognizer
    recognizer_thread: ModelThread
    wake: WakeDetector | None
    turn_end: TurnEndDetector | None
    turn_end_thread: ModelThread
    echo: EchoCanceller | None
    word_sound: WordSound | None = None

    def replace(self, recognizer: Recognizer, turn_end: TurnEndDetector | None) -> None:
        """Use these from now on."""
        self.recognizer, self.turn_end = recognizer, turn_end

    def sound_of(self, frame: HeardFrame, cleaned: bytes, *, speech: bool) -> HeardSound:
        """The last frame that the echo canceller has taken, with what it knows of the echo."""
        return HeardSound(
            heard=frame.heard.pcm,
            cleaned=cleaned,
            speech=speech,
            played=frame.played,
            echo=Echo.RECOGNISED if self.echo is None else self.echo.presence,
            separated=None if self.echo is None else self.echo.separated,
            drift=0.0 if self.echo is None else self.echo.drift,
        )

    async def weigh(
        self, pcm: bytes, phrases: Mapping[str, Sequence[str]], *, language: str, least: float = math.inf
    ) -> Weighed | None:
        """Weigh phrases as ``Recognizer.weigh`` does, on the recogniser's thread; ``None`` if it cannot.

        Args:
            pcm: the sound, 16-bit mono at 16 kHz.
            phrases: the phrases with their writings.
            language: ``ko`` or ``en``.
            least: how well a phrase must fit for its continued transcript; by default none is continued.

        Raises:
            SoriError: the recogniser failed.
        """
        recognizer, samples = self.recognizer, np.frombuffer(pcm, "<i2")
        if not recognizer.can_weigh:
            return None
        return await self.recognizer_thread.run(
            lambda: recognizer.weigh(samples, phrases, language=language, least=least)
        )

    def close(self) -> None:
        """Free the models."""
        self.recognizer_thread.close()
        self.turn_end_thread.close()
