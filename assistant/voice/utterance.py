"""One utterance being captured: its sound, and how long the speaker has been silent. Pure."""

from collections import deque

from assistant.core.audio import FRAME_MS, SAMPLE_RATE
from assistant.core.machine.states import TurnId

PAUSE_MS = 60
"""Silence inside a word (the closure of a Korean ㄲ or an English t) is shorter; more is a pause."""
RESUME_MS = 40
"""Speech within 100 ms that ends a pause; a single voiced frame is as often a breath or a click."""


class Utterance:
    """What one person says until they have finished.

    Args:
        turn: the turn it may become.
        onset: sound from just before and at the first syllable, 16-bit mono at 16 kHz.
        speech_ms: voiced time in ``onset``.
        unprocessed: ``onset`` without echo cancellation, while it is unknown whether there is an echo to be removed.

    Attributes:
        revision: grows whenever speech is added after a pause, so that what was concluded from the sound before the
            pause is known to be about less than the whole; also when the sound itself is replaced.
    """

    def __init__(self, turn: TurnId, onset: bytes, *, speech_ms: int, unprocessed: bytes | None = None) -> None:
        self.turn = turn
        self.revision = 0
        self._pcm = bytearray(onset)
        self._unprocessed = None if unprocessed is None else bytearray(unprocessed)
        self._speech_end = len(self._pcm) // 2
        self._speech_frames = speech_ms // FRAME_MS
        self._pausing = False
        self._recent: deque[bool] = deque(maxlen=100 // FRAME_MS)

    def add(self, pcm: bytes, *, speech: bool, unprocessed: bytes = b"") -> None:
        """Append 10 ms; ``speech`` as voice activity detection sees it, ``unprocessed`` as the microphone gave it."""
        self._pcm += pcm
        if self._unprocessed is not None:
            self._unprocessed += unprocessed or pcm
        self._recent.append(speech)
        self._speech_frames += speech
        if self._pausing:
            if sum(self._recent) * FRAME_MS >= RESUME_MS:
                self._pausing = False
                self.revision += 1
                self._speech_end = self.samples
        elif speech:
            self._speech_end = self.samples
        elif self.silence_ms >= PAUSE_MS:
            self._pausing = True
            self._recent.clear()

    def settle_echo(self, *, present: bool) -> None:
        """It is known now whether an echo had to be removed; where there was none, the user's voice was removed."""
        if self._unprocessed is None:
            return
        if not present:
            self._pcm = self._unprocessed
            self.revision += 1
        self._unprocessed = None

    @property
    def pcm(self) -> bytes:
        """All of the sound so far."""
        return bytes(self._pcm)

    @property
    def samples(self) -> int:
        """Length of the sound in samples."""
        return len(self._pcm) // 2

    @property
    def pausing(self) -> bool:
        """Whether the speaker is silent at the moment."""
        return self._pausing

    @property
    def silence_ms(self) -> int:
        """Time since the speaker's last sound."""
        return (self.samples - self._speech_end) * 1000 // SAMPLE_RATE

    @property
    def speech_ms(self) -> int:
        """Voiced time, pauses and the onset's lead-in not counted."""
        return self._speech_frames * FRAME_MS

    @property
    def length_s(self) -> float:
        """Length in seconds."""
        return self.samples / SAMPLE_RATE
