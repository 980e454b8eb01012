"""A sound card on wav files: it reads the microphone from one recording and writes the played sound to another.

Both share one clock of 10 ms ticks: sample 0 of the output is the instant of sample 0 of the input. A session behaves
on it as on a real card.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal

import numpy as np

from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.recordings import read_recording
from assistant.audio.cards.wav_writer import WavWriter
from assistant.audio.playback import Playback
from assistant.audio.resampling import Samples
from assistant.core.audio import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.errors import AudioDeviceError


class FileCard:
    """A microphone that reads a recording and a speaker that writes one.

    Args:
        input_path: the recording to hear (wav, flac or ogg); ``None`` for silence only.
        output_path: the wav file to write the played sound to; ``None`` to discard it.
        playback: the queue that the card pulls from.
        pace: ``realtime`` follows the loop's clock. ``fast`` continues as soon as all work is done, as if the machine
            were infinitely fast.
        echo_gain_db: level of the played sound in the microphone, relative to the played level; ``None`` for no echo.
        echo_delay_ms: delay of this echo.
        wait_until_idle: returns when all work caused by the last frame is done; awaited before each tick at pace
            ``fast``.
        tail: asked after the end of the recording whether to continue. The microphone delivers silence until it returns
            false.
    """

    def __init__(
        self,
        input_path: Path | None,
        output_path: Path | None,
        playback: Playback,
        *,
        pace: Literal["realtime", "fast"],
        echo_gain_db: float | None,
        echo_delay_ms: int,
        wait_until_idle: Callable[[], Awaitable[None]],
        tail: Callable[[], bool],
    ) -> None:
        self._input_path = input_path
        self._output_path = output_path
        self._playback = playback
        self._pace = pace
        self._wait_until_idle = wait_until_idle
        self._tail = tail
        self._echo = _EchoPath(echo_gain_db, echo_delay_ms) if echo_gain_db is not None else None
        self._delay_ms = echo_delay_ms if echo_gain_db is not None else 0
        self._recording: Samples = np.zeros(0, np.int16)
        self._writer: WavWriter | None = None
        self._open = False

    @property
    def microphone(self) -> str:
        """Name of the recording; empty when there is none."""
        return self._input_path.name if self._input_path else ""

    @property
    def speaker(self) -> str:
        """Name of the output file; empty when there is none."""
        return self._output_path.name if self._output_path else ""

    @property
    def delay_ms(self) -> int:
        """Delay from playing to hearing."""
        return self._delay_ms

    async def open(self) -> None:
        """Read the recording and open the output.

        Raises:
            AudioDeviceError: the recording cannot be read, the output cannot be written, or both are the same file.
        """
        if self._input_path and self._output_path and _same_file(self._input_path, self._output_path):
            raise AudioDeviceError(
                str(self._output_path),
                "the output would replace the recording; name another file",
                message_key="audio.output_is_input",
            )
        if self._input_path:
            self._recording = await asyncio.to_thread(read_recording, self._input_path)
        if self._output_path:
            self._writer = WavWriter(self._output_path)
        self._open = True

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """Yield a frame per tick until the recording and its tail have ended or the card is closed.

        Raises:
            AudioDeviceError: the output cannot be written.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        index = 0
        while self._open:
            if self._pace == "fast":
                await self._wait_until_idle()
            else:
                await asyncio.sleep(max(0.0, began + (index / FRAME_SAMPLES + 1) * FRAME_MS / 1000 - loop.time()))
            if not self._open or (index >= len(self._recording) and not self._tail()):
                return
            yield self._tick(index)
            index += FRAME_SAMPLES

    async def close(self) -> None:
        """Close the output. Safe to call twice."""
        self._open = False
        if self._writer:
            self._writer.close()

    def _tick(self, index: int) -> HeardFrame:
        """Process ten milliseconds of both directions."""
        block = self._playback.pull()
        if self._writer:
            self._writer.write(block.out)
        heard = self._recording[index : index + FRAME_SAMPLES]
        if len(heard) < FRAME_SAMPLES:
            heard = np.concatenate((heard, np.zeros(FRAME_SAMPLES - len(heard), np.int16)))
        if self._echo:
            heard = self._echo.add(heard, block.reference)
        return HeardFrame(
            heard=Frame(index=index, pcm=heard.astype("<i2").tobytes()),
            played=block.reference.astype("<i2").tobytes(),
        )


class _EchoPath:
    """The echo path from the speaker to the microphone: a delay and a gain."""

    def __init__(self, gain_db: float, delay_ms: int) -> None:
        if delay_ms < 0:
            raise ValueError(f"the delay of the echo must be 0 ms or more, not {delay_ms} ms")
        self._gain = 10 ** (gain_db / 20)
        self._line: Samples = np.zeros(delay_ms * SAMPLE_RATE // 1000, np.int16)

    def add(self, heard: Samples, played: Samples) -> Samples:
        self._line = np.concatenate((self._line, played))
        echo, self._line = self._line[: len(heard)], self._line[len(heard) :]
        return np.clip(np.rint(heard + echo * self._gain), -32_768, 32_767).astype(np.int16)


def _same_file(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
