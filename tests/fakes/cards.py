"""A sound card for tests whose microphone is a list of samples and whose speaker remembers what was played."""

from collections.abc import AsyncIterator, Awaitable, Callable

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.audio.playback import Playback
from assistant.core.audio import FRAME_SAMPLES, Frame
from assistant.core.errors import AudioDeviceError


class ScriptedCard:
    """Hears ``pcm`` (16 kHz) one frame after the other, and pulls one block from ``playback`` with each.

    Args:
        pcm: what is heard; silence is heard after its end for as long as ``tail`` says so.
        playback: what is played is pulled from here.
        tail: whether there is more to come after the end.
        before_frame: awaited before each frame; a test's way to let everything settle.
        failure: raised by ``frames()`` in place of the end.
        open_failure: raised by ``open()``.

    Attributes:
        played: all blocks pulled so far, at 48 kHz.
        opened: times that the card was opened.
        closed: times that it was closed.
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
        """Begin, or fail as told."""
        if self._open_failure:
            raise self._open_failure
        self.opened += 1
        self._running = True

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """The script, then silence, then the failure if there is one."""
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
        """End; counted."""
        self._running = False
        self.closed += 1

    @property
    def output(self) -> NDArray[np.int16]:
        """Everything that was played, at 48 kHz."""
        return np.concatenate(self.played) if self.played else np.zeros(0, np.int16)
