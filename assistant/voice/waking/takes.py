"""Cuts single utterances out of a stream of sound, as the voice loop does when it listens for names. Pure."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from assistant.audio.speech_segments import SpeechChange, SpeechTiming, SpeechTracker
from assistant.core.audio import FRAME_MS
from assistant.voice.ears import VoiceDetector
from assistant.voice.waking.name_hearing import LEAD_IN_MS, LEAST_VOICE_MS, PAUSE_MS, onset_is_whole

WAIT_MS: Final = 8_000
"""Silence after which nobody seems to speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One utterance, or the silence in its place.

    Attributes:
        pcm: 16-bit sound at 16 kHz; empty if nobody spoke.
        speech_ms: duration of the voice in it.
    """

    pcm: bytes = b""
    speech_ms: int = 0


class Takes:
    """Takes frames of 10 ms, and gives utterances.

    Args:
        voice: tells speech from other sound.
    """

    def __init__(self, voice: VoiceDetector) -> None:
        self._voice = voice
        self._tracker = SpeechTracker(SpeechTiming(offset_ms=PAUSE_MS))
        self._before: deque[bytes] = deque(maxlen=LEAD_IN_MS // FRAME_MS)
        self._frames: list[bytes] | None = None
        self._silence_ms = 0

    def feed(self, pcm: bytes) -> Take | None:
        """Take the next frame; return a take when it ends."""
        change = self._tracker.feed(speech=self._voice.feed(pcm).speech)
        self._before.append(pcm)
        if self._frames is None:
            self._silence_ms += FRAME_MS
            if change is SpeechChange.STARTED:
                self._frames = list(self._before)
            elif self._silence_ms >= WAIT_MS:
                self._silence_ms = 0
                return Take()
            return None
        self._frames.append(pcm)
        if not onset_is_whole(change, len(self._frames)):
            return None
        take = Take(pcm=b"".join(self._frames), speech_ms=self._tracker.speech_ms)
        self._frames, self._silence_ms = None, 0
        self._tracker.reset()
        return take if take.speech_ms >= LEAST_VOICE_MS else None
