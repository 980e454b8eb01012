"""One utterance during capture: its sound and the silence at its end. Pure."""

from collections import deque

from assistant.core.audio import FRAME_MS, SAMPLE_RATE
from assistant.core.machine.states import TurnId
from assistant.voice.lull import Lull

PAUSE_MS = 60
"""Silence that makes a pause. The closure inside a word (a Korean ㄲ or an English t) is shorter."""
RESUME_MS = 40
"""Speech within 100 ms that ends a pause. A single voiced frame is often a breath or a click."""


class Utterance:
    """The speech of one person from its onset to its endpoint.

    Args:
        turn: the turn that it may become.
        onset: the sound from just before the first syllable on, 16-bit mono at 16 kHz.
        speech_ms: voiced time in ``onset``.
        unprocessed: ``onset`` without echo cancellation, while the presence of an echo is unknown.
        silence_ms: silence at the end of ``onset``.

    Attributes:
        revision: incremented when speech resumes after a pause and when the sound is replaced. A result of an earlier
            revision does not cover the whole utterance.
    """

    def __init__(
        self, turn: TurnId, onset: bytes, *, speech_ms: int, unprocessed: bytes | None = None, silence_ms: int = 0
    ) -> None:
        self.turn = turn
        self.revision = 0
        self._pcm = bytearray(onset)
        self._unprocessed = None if unprocessed is None else bytearray(unprocessed)
        self._speech_end = max(0, len(self._pcm) // 2 - silence_ms * SAMPLE_RATE // 1000)
        self._speech_frames = speech_ms // FRAME_MS
        self._pausing = silence_ms >= PAUSE_MS
        self._recent: deque[bool] = deque(maxlen=100 // FRAME_MS)
        self._lull = Lull()
        self._lull.learn_room(onset)

    def add(self, pcm: bytes, *, speech: bool, unprocessed: bytes = b"") -> None:
        """Append 10 ms with its voice decision; ``unprocessed`` is the microphone signal."""
        self._pcm += pcm
        if self._unprocessed is not None:
            self._unprocessed += unprocessed or pcm
        self._lull.feed(pcm, speech=speech)
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
        """Set whether an echo is present. Without one, cancellation has removed the user's voice: use the raw sound."""
        if self._unprocessed is None:
            return
        if not present:
            self._pcm = self._unprocessed
            self.revision += 1
        self._unprocessed = None

    def replace_onset(self, pcm: bytes) -> None:
        """Replace the beginning of the sound by a better version of the same length."""
        self._pcm[: len(pcm)] = pcm
        self.revision += 1

    @property
    def pcm(self) -> bytes:
        """The sound so far."""
        return bytes(self._pcm)

    @property
    def samples(self) -> int:
        """Length of the sound in samples."""
        return len(self._pcm) // 2

    @property
    def pausing(self) -> bool:
        """Whether the speaker is in a pause."""
        return self._pausing

    @property
    def lull_ms(self) -> int:
        """Time for which the voice has been too weak to be heard, whether or not the voice detector has noticed it."""
        return self._lull.duration_ms

    @property
    def speech_end(self) -> int:
        """Length in samples of the sound up to the end of what the voice detector took for speech."""
        return self._speech_end

    @property
    def silence_ms(self) -> int:
        """Time since the last speech."""
        return (self.samples - self._speech_end) * 1000 // SAMPLE_RATE

    @property
    def speech_ms(self) -> int:
        """Voiced time, without pauses and without the pre-roll."""
        return self._speech_frames * FRAME_MS

    @property
    def length_s(self) -> float:
        """Length in seconds."""
        return self.samples / SAMPLE_RATE
