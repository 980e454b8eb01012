"""Bringing together what two devices do at the same time: which sound was played while a frame was heard."""

from collections import deque

from assistant.core.audio import FRAME_BYTES, FRAME_MS

_SILENCE = bytes(FRAME_BYTES)
_MOST_FRAMES = 200


class ReferenceQueue:
    """Frames that were sent to the speaker, waiting to be paired with frames from the microphone.

    Both devices work in bursts and by their own clocks. When the queue is empty, silence stands in, and what comes
    later waits: so the queue grows by itself until it bridges the bursts. When it was never shorter than
    ``spare_frames`` over ``check_frames`` takes, the speaker's clock is ahead, and what is too much is dropped. Each
    correction shifts the echo by 10 ms, which the canceller follows.

    Args:
        spare_frames: frames that may wait for good.
        check_frames: takes between two looks at the shortest length.
    """

    def __init__(self, *, spare_frames: int = 2, check_frames: int = 500) -> None:
        self._spare = spare_frames
        self._check = check_frames
        self._frames: deque[bytes] = deque(maxlen=_MOST_FRAMES)
        self._shortest = _MOST_FRAMES
        self._takes = 0

    def put(self, pcm: bytes) -> None:
        """Add a frame that was sent to the speaker; called from its callback."""
        self._frames.append(pcm)

    def take(self) -> bytes:
        """The frame that belongs to the next frame heard."""
        self._shortest = min(self._shortest, len(self._frames))
        self._takes += 1
        if self._takes >= self._check:
            for _ in range(self._shortest - self._spare):
                self._frames.popleft()
            self._shortest, self._takes = _MOST_FRAMES, 0
        return self._frames.popleft() if self._frames else _SILENCE

    def skip(self, frames: int) -> None:
        """Forget frames whose counterpart from the microphone was lost."""
        for _ in range(min(frames, len(self._frames))):
            self._frames.popleft()

    @property
    def waiting_ms(self) -> int:
        """How much later a frame is taken than it was put in."""
        return len(self._frames) * FRAME_MS
