"""Detection of speech start and end in a stream of voice decisions, and the pre-roll before the start. Pure.

All times are counted in frames of 10 ms, never by the clock.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.audio import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES


class SpeechChange(StrEnum):
    """The change that a frame caused."""

    STARTED = "started"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechTiming:
    """The evidence that a speech start and a speech end need.

    Attributes:
        onset_ms: amount of speech that makes a start …
        onset_window_ms: … when it falls within this time.
        offset_ms: silence that makes an end.
    """

    onset_ms: int = 60
    onset_window_ms: int = 100
    offset_ms: int = 300

    def __post_init__(self) -> None:
        """Reject times that no stream of frames can meet."""
        if not FRAME_MS <= self.onset_ms <= self.onset_window_ms:
            raise ValueError(f"{self.onset_ms} ms of speech cannot come within {self.onset_window_ms} ms")
        if self.offset_ms < FRAME_MS:
            raise ValueError(f"an end needs at least {FRAME_MS} ms of silence, not {self.offset_ms}")


class SpeechTracker:
    """Tracks with hysteresis whether somebody speaks, and since when.

    Attributes:
        speaking: whether speech has started and not ended.
        position: sample index just after the last frame.
        onset: sample index of the first frame of the current or last speech.
        speech_end: sample index just after the last speech frame; -1 before any speech.
        speech_ms: duration of speech in the current or last utterance, without pauses.
    """

    def __init__(self, timing: SpeechTiming | None = None) -> None:
        self._timing = timing or SpeechTiming()
        self._window: deque[bool] = deque(maxlen=self._timing.onset_window_ms // FRAME_MS)
        self.position = 0
        self.reset()

    def reset(self) -> None:
        """Forget all speech; the position continues."""
        self._window.clear()
        self.speaking = False
        self.onset = -1
        self.speech_end = -1
        self.speech_ms = 0

    @property
    def silence_ms(self) -> int:
        """Time since the last speech frame, or since the beginning when there was none."""
        return (self.position - max(self.speech_end, 0)) * FRAME_MS // FRAME_SAMPLES

    def feed(self, *, speech: bool) -> SpeechChange | None:
        """Take the voice decision for the next 10 ms; return the start or end of speech that it causes."""
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
    """Keeps the last moments of sound, because an utterance begins before its first syllable is detected.

    Args:
        length_ms: length to keep, rounded down to whole frames.
    """

    def __init__(self, length_ms: int) -> None:
        self._frames: deque[bytes] = deque(maxlen=max(0, length_ms // FRAME_MS))

    def push(self, pcm: bytes) -> None:
        """Add one 10 ms frame and drop the frames that are too old."""
        if len(pcm) != FRAME_BYTES:
            raise ValueError(f"a frame has {FRAME_BYTES} bytes, not {len(pcm)}")
        self._frames.append(pcm)

    def extend(self, pcm: bytes) -> None:
        """Add consecutive 10 ms frames and drop the frames that are too old."""
        for start in range(0, len(pcm), FRAME_BYTES):
            self.push(pcm[start : start + FRAME_BYTES])

    def take(self) -> bytes:
        """Return all kept frames, oldest first, and forget them."""
        pcm = self.pcm
        self._frames.clear()
        return pcm

    def clear(self) -> None:
        """Forget everything."""
        self._frames.clear()

    @property
    def pcm(self) -> bytes:
        """All kept frames, oldest first."""
        return b"".join(self._frames)

    @property
    def length_ms(self) -> int:
        """Length of the kept sound."""
        return len(self._frames) * FRAME_MS
