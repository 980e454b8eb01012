"""The engines that listening needs, loaded."""

from dataclasses import dataclass
from typing import Protocol

from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.vad import VoiceFrame
from assistant.speech.endpoint.detector import TurnEndDetector
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.wake.detector import WakeDetector
from assistant.voice.work import ModelThread


class VoiceDetector(Protocol):
    """Tells speech from other sound; ``assistant.audio.vad.VoiceActivity`` is one."""

    def feed(self, pcm: bytes) -> VoiceFrame:
        """Take the next 10 ms."""
        ...

    def reset(self) -> None:
        """Forget everything heard."""
        ...


@dataclass(slots=True, kw_only=True)
class Ears:
    """Everything a listener listens with.

    Attributes:
        voice: tells speech from other sound, after echo cancellation.
        unprocessed_voice: the same for what the microphone hears, while it is unknown whether there is an echo.
        recognizer: writes down what was said; runs on ``recognizer_thread``.
        wake: the wake word; ``None`` when there is none or its model is missing.
        turn_end: the end-of-turn model, on ``turn_end_thread``; ``None`` leaves the end to silence and text.
        echo: removes what Sori itself says; ``None`` when the user has switched it off.
    """

    voice: VoiceDetector
    unprocessed_voice: VoiceDetector
    recognizer: Recognizer
    recognizer_thread: ModelThread
    wake: WakeDetector | None
    turn_end: TurnEndDetector | None
    turn_end_thread: ModelThread
    echo: EchoCanceller | None

    def close(self) -> None:
        """Free the models."""
        self.recognizer_thread.close()
        self.turn_end_thread.close()
