"""Pairs the frames of two devices: which sound was played while a frame was heard."""

from collections import deque

from assistant.core.audio import FRAME_BYTES, FRAME_MS

_SILENCE = bytes(FRAME_BYTES)
_MOST_FRAMES = 200


class ReferenceQueue:
    """Frames sent to the speaker that wait to be paired with microphone frames.

    Both devices work in bursts and on their own clocks. When the queue is empty, silence is returned and later frames
    wait, so the queue grows until it bridges the bursts. If it was never shorter than ``spare_frames`` during
    ``check_frames`` takes, the speaker's clock is ahead, and the excess is dropped. Each correction shifts the echo by
    10 ms, which the canceller follows.

    A speaker that rests and starts again fills its buffer at once. Soon after that the queue is brought back to the
    length it had, before an answer is played, so that the echo has the delay that the canceller knows.

    Args:
        spare_frames: number of frames that may stay in the queue.
        check_frames: number of takes between two checks of the shortest length.
        restart_frames: number of takes from a restart of the speaker to the check.

    Attributes:
        puts: number of frames added so far.
    """

    def __init__(self, *, spare_frames: int = 2, check_frames: int = 500, restart_frames: int = 50) -> None:
        self.puts = 0
        self._spare = spare_frames
        self._check, self._check_after_rest = check_frames, restart_frames
        self._rested_at = -1
        """The value of ``puts`` at the last rest."""
        self._usual = self._most = spare_frames
        """The shortest length of late, and the most that the next check leaves."""
        self._frames: deque[bytes] = deque(maxlen=_MOST_FRAMES)
        self._shortest = _MOST_FRAMES
        self._takes = 0

    def put(self, pcm: bytes) -> None:
        """Add a frame that was sent to the speaker. Called from the speaker's callback."""
        self._frames.append(pcm)
        self.puts += 1

    def take(self, puts: int | None = None) -> bytes:
        """Take the frame that belongs to the next microphone frame.

        Args:
            puts: the value of ``puts`` when the microphone delivered its frame, if that may be long ago. Frames added
                later are not taken, so that sound which waited is paired as if it had been taken at once.
        """
        if self.puts == self._rested_at:
            return _SILENCE
        later = 0 if puts is None else self.puts - puts
        there = max(0, len(self._frames) - later)
        self._shortest = min(self._shortest, there)
        self._takes += 1
        if self._takes >= self._check:
            for _ in range(self._shortest - self._most):
                self._frames.popleft()
            self._usual = min(self._shortest, self._most)
            self._shortest, self._takes, self._most = _MOST_FRAMES, 0, self._spare
        return self._frames.popleft() if there and self._frames else _SILENCE

    def rest(self) -> None:
        """Give silence until the next ``put``: the speaker rests. Called while the speaker's callback does not run."""
        self._frames.clear()
        self._rested_at, self._most = self.puts, self._usual
        self._shortest, self._takes = _MOST_FRAMES, self._check - self._check_after_rest

    def skip(self, frames: int) -> None:
        """Drop frames whose microphone frames were lost."""
        for _ in range(min(frames, len(self._frames))):
            self._frames.popleft()

    @property
    def waiting_ms(self) -> int:
        """Time between adding a frame and taking it."""
        return len(self._frames) * FRAME_MS
