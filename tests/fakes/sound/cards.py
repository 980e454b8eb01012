"""A sound card for tests: its microphone is a list of samples, and its speaker records the output."""

from collections.abc import AsyncIterator, Awaitable, Callable

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.audio.playback import Playback
from assistant.core.audio import FRAME_SAMPLES, Frame
from assistant.core.errors import AudioDeviceError


class ScriptedCard:
    """Delivers ``pcm`` (16 kHz) frame by frame, and pulls one block from ``playback`` with each frame.

    Args:
        pcm: the microphone's samples; silence follows as long as ``tail`` returns true.
        playback: source of the output.
        tail: whether silence continues after the end of ``pcm``.
        before_frame: awaited before each frame, so that a test can wait for running work.
        failure: raised by ``frames()`` at the end.
        open_failure: raised by ``open()``.

    Attributes:
        played: all blocks pulled so far, at 48 kHz.
        opened: number of calls of ``open``.
        closed: number of calls of ``close``.
    """

    microphone = "scripted microphone"
    speaker = "scripted speaker"
    delay_ms = 0

    def __init__(
        self,
        pcm: NDArray[np.int16],
        playback: Playback,
        *,
        tail: Callable[[], bool] = lambda: False,
        before_frame: Callable[[], Awaitable[None]] | None = None,
        failure: AudioDeviceError | None = None,
        open_failure: AudioDeviceError | None = None,
    ) -> None:
        frames = -(-len(pcm) // FRAME_SAMPLES)
        self._pcm = np.zeros(frames * FRAME_SAMPLES, np.int16)
        self._pcm[: len(pcm)] = pcm
        self._playback = playback
        self._tail = tail
        self._before_frame = before_frame
        self._failure = failure
        self._open_failure = open_failure
        self._running = False
        self.played: list[NDArray[np.int16]] = []
        self.opened = 0
        self.closed = 0

    async def open(self) -> None:
        """Open the card, or raise ``open_failure``."""
        if self._open_failure:
            raise self._open_failure
        self.opened += 1
        self._running = True

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """Yield the scripted frames, then silence; then raise the failure if there is one."""
        index = 0
        while self._running and (index < len(self._pcm) or self._tail()):
            if self._before_frame:
                await self._before_frame()
            block = self._playback.pull()
            self.played.append(block.out)
            heard = self._pcm[index : index + FRAME_SAMPLES]
            pcm = heard.tobytes() if len(heard) else bytes(2 * FRAME_SAMPLES)
            yield HeardFrame(heard=Frame(index=index, pcm=pcm), played=block.reference.tobytes())
            index += FRAME_SAMPLES
        if self._running and self._failure:
            raise self._failure

    async def close(self) -> None:
        """Close the card."""
        self._running = False
        self.closed += 1

    @property
    def output(self) -> NDArray[np.int16]:
        """The whole output at 48 kHz."""
        return np.concatenate(self.played) if self.played else np.zeros(0, np.int16)
