"""Where speech begins and ends in a stream of yes-or-no frames, and the sound from just before it. Pure.

All times are counted in frames of 10 ms, never by the clock.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.audio import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES


class SpeechChange(StrEnum):
    """What a frame made known."""

    STARTED = "started"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechTiming:
    """How much evidence a beginning and an end need.

    Attributes:
        onset_ms: speech that makes a beginning …
        onset_window_ms: … when it comes within this time.
        offset_ms: silence that makes an end.
    """

    onset_ms: int = 60
    onset_window_ms: int = 100
    offset_ms: int = 300

    def __post_init__(self) -> None:
        """Refuse times that no stream of frames can meet."""
        if not FRAME_MS <= self.onset_ms <= self.onset_window_ms:
            raise ValueError(f"{self.onset_ms} ms of speech cannot come within {self.onset_window_ms} ms")
        if self.offset_ms < FRAME_MS:
            raise ValueError(f"an end needs at least {FRAME_MS} ms of silence, not {self.offset_ms}")


class SpeechTracker:
    """Follows whether somebody speaks, with hysteresis, and since when.

    Attributes:
        speaking: whether speech has started and not ended.
        position: sample index just past the last frame fed.
        onset: sample index of the first frame of the current or last speech.
        speech_end: sample index just past the last frame of speech; -1 before any.
        speech_ms: speech in the current or last utterance, pauses not counted.
    """

    def __init__(self, timing: SpeechTiming | None = None) -> None:
        self._timing = timing or SpeechTiming()
        self._window: deque[bool] = deque(maxlen=self._timing.onset_window_ms // FRAME_MS)
        self.position = 0
        self.reset()

    def reset(self) -> None:
        """Forget all speech; the position goes on."""
        self._window.clear()
        self.speaking = False
        self.onset = -1
        self.speech_end = -1
        self.speech_ms = 0

    @property
    def silence_ms(self) -> int:
        """Time since the last frame of speech; since the beginning when there was none."""
        return (self.position - max(self.speech_end, 0)) * FRAME_MS // FRAME_SAMPLES

    def feed(self, *, speech: bool) -> SpeechChange | None:
        """Take the next 10 ms: whether there was speech in it; tells when that makes a beginning or an end."""
        self.position += FRAME_SAMPLES
        self._window.append(speech)
        if speech:
            self.speech_end = self.position
        if self.speaking:
            return self._follow(speech=speech)
        if sum(self._window) * FRAME_MS < self._timing.onset_ms:
            return None
        return self._begin()

    def _begin(self) -> SpeechChange:
        frames = list(self._window)
        self.speaking = True
        self.onset = self.position - (len(frames) - frames.index(True)) * FRAME_SAMPLES
        self.speech_ms = sum(frames) * FRAME_MS
        return SpeechChange.STARTED

    def _follow(self, *, speech: bool) -> SpeechChange | None:
        if speech:
            self.speech_ms += FRAME_MS
        elif self.silence_ms >= self._timing.offset_ms:
            self.speaking = False
            self._window.clear()
            return SpeechChange.ENDED
        return None


class PreRoll:
    """The last moments of sound, so that an utterance begins before its first syllable was noticed.

    Args:
        length_ms: how much is kept; rounded down to whole frames.
    """

    def __init__(self, length_ms: int) -> None:
        self._frames: deque[bytes] = deque(maxlen=max(0, length_ms // FRAME_MS))

    def push(self, pcm: bytes) -> None:
        """Keep one more 10 ms frame, and forget what is too old."""
        if len(pcm) != FRAME_BYTES:
            raise ValueError(f"a frame has {FRAME_BYTES} bytes, not {len(pcm)}")
        self._frames.append(pcm)

    def extend(self, pcm: bytes) -> None:
        """Keep whole 10 ms frames that were heard one after the other, and forget what is too old."""
        for start in range(0, len(pcm), FRAME_BYTES):
            self.push(pcm[start : start + FRAME_BYTES])

    def take(self) -> bytes:
        """All that is kept, oldest first; afterwards there is none."""
        pcm = b"".join(self._frames)
        self._frames.clear()
        return pcm

    def clear(self) -> None:
        """Forget everything."""
        self._frames.clear()

    @property
    def length_ms(self) -> int:
        """How much is kept now."""
        return len(self._frames) * FRAME_MS
