"""The two directions of a real sound card as PortAudio streams. Their callbacks only copy sound in or pull it out."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from assistant.audio.cards.crossing import Crossing
from assistant.audio.cards.device_list import Device, Direction
from assistant.audio.echo.reference_queue import ReferenceQueue
from assistant.audio.playback import PLAYED_SAMPLES, Playback
from assistant.audio.resampling import Resampler, Samples
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, PLAYBACK_RATE, SAMPLE_RATE
from assistant.core.errors import AudioDeviceError

INPUT_LATENCY_S = 0.1
"""Latency requested from the microphone. This buffer survives a busy machine. Blocks still arrive every 20 ms if the
sound system delivers them that way."""
OUTPUT_LATENCY_S = 0.1
"""Latency requested from the speaker. On a machine with three times more work than cores, callbacks came up to 0.1 s
late. After a barge-in the user hears the buffered sound for this time."""
MOST_WAITING_S = 5.0
"""Captured sound that may wait for a stalled event loop before the oldest part is dropped."""

_BLOCKS_PER_S: dict[Direction, int] = {"input": 50, "output": 100}
"""Each block of the microphone wakes a thread, also while nobody speaks. With two frames in a block this costs a third
less, and the first of them comes 10 ms later. Sound is asked for frame by frame, so that a barge-in ends it sooner."""
_SAMPLE_BYTES = 2
_BLOCK_BYTES = PLAYED_SAMPLES * _SAMPLE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """A format to open a device with: samples per second and channels."""

    rate: int
    channels: int


class LoopSignal:
    """Wakes a waiting coroutine from an audio callback, with one call into the loop for any number of blocks."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._event = asyncio.Event()
        self._raised = False

    def raise_(self) -> None:
        """Wake the waiting coroutine. Repeated calls are cheap. Safe from any thread."""
        if not self._raised:
            self._raised = True
            with contextlib.suppress(RuntimeError):  # the loop has ended while the device still runs
                self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Wait for the next ``raise_``, or return at once for an earlier one that was not awaited."""
        await self._event.wait()
        self._event.clear()
        self._raised = False


class Microphone:
    """Captures sound and returns frames at ``SAMPLE_RATE``.

    Args:
        portaudio: the sounddevice module.
        device: the device to record from.
        signal: raised when frames are ready or the device was disconnected.
        references: the queue from which the played sound of each frame is taken.

    Raises:
        AudioDeviceError: the device supports none of the formats, is in use, or permission is denied.

    Attributes:
        crossing: decides when captured sound raises the signal.
        name: the device's name.
        lost: whether the device stopped by itself.
        latency_s: time from sound to callback, as reported by the sound system.
    """

    def __init__(self, portaudio: ModuleType, device: Device, signal: LoopSignal, references: ReferenceQueue) -> None:
        self.name = device.name
        self.crossing = Crossing()
        self.lost = False
        self._signal = signal
        self._closing = False
        self._references = references
        self._captured: deque[tuple[bytes, int]] = deque()
        """The captured blocks, each with the number of references at that time."""
        self._waiting_bytes = 0
        self._dropped_bytes = 0
        self._pending: Samples = np.zeros(0, np.int16)
        self._stream, self._format = _opened(
            portaudio.RawInputStream, portaudio, device, "input", self._capture, self._finished
        )
        self._resampler = Resampler(self._format.rate, SAMPLE_RATE)
        self._whole_frames = self._format == _Format(rate=SAMPLE_RATE, channels=1)
        """Whether a block is whole frames as it is."""
        self._bytes_per_s = self._format.rate * self._format.channels * _SAMPLE_BYTES
        self._most_bytes = round(MOST_WAITING_S * self._bytes_per_s)
        self.latency_s = float(self._stream.latency)
        _start(portaudio, self._stream, device, "input")

    def take(self) -> Iterator[tuple[int, bytes, int]]:
        """Yield all complete frames captured so far.

        Yields:
            The number of samples lost before a frame, its bytes, and ``ReferenceQueue.puts`` when it was captured.
        """
        lost = self._take_dropped()
        while self._captured:
            data, puts = self._captured.popleft()
            self._waiting_bytes -= len(data)
            if self._whole_frames and len(data) % FRAME_BYTES == 0 and not len(self._pending):
                for start in range(0, len(data), FRAME_BYTES):
                    yield lost, data[start : start + FRAME_BYTES], puts
                    lost = 0
                continue
            samples = self._resampler.push(_mono(data, self._format.channels))
            self._pending = np.concatenate((self._pending, samples)) if len(self._pending) else samples
            whole = len(self._pending) // FRAME_SAMPLES * FRAME_SAMPLES
            ready, self._pending = self._pending[:whole], self._pending[whole:]
            for start in range(0, whole, FRAME_SAMPLES):
                yield lost, ready[start : start + FRAME_SAMPLES].tobytes(), puts
                lost = 0

    def close(self) -> None:
        """Stop capturing."""
        self._closing = True
        self._stream.abort(ignore_errors=True)
        self._stream.close(ignore_errors=True)

    def _capture(self, indata: Any, _frames: int, _time: Any, _status: Any) -> None:
        data = bytes(indata)
        self._captured.append((data, self._references.puts))
        self._waiting_bytes += len(data)
        while self._waiting_bytes > self._most_bytes:
            oldest = len(self._captured.popleft()[0])
            self._waiting_bytes -= oldest
            self._dropped_bytes += oldest
        if self.crossing.crosses(np.frombuffer(data, np.int16), len(data) / self._bytes_per_s):
            self._signal.raise_()

    def _take_dropped(self) -> int:
        """Dropped samples since the last call, in whole frames at ``SAMPLE_RATE``."""
        if not self._dropped_bytes:
            return 0
        dropped, self._dropped_bytes = self._dropped_bytes, 0
        samples = dropped // (_SAMPLE_BYTES * self._format.channels) * SAMPLE_RATE // self._format.rate
        return samples - samples % FRAME_SAMPLES

    def _finished(self) -> None:
        if not self._closing:
            self.lost = True
            self._signal.raise_()


class OutputStream:
    """Plays the sound from ``Playback`` and passes it on as the echo reference.

    Args:
        portaudio: the sounddevice module.
        device: the device to play on.
        playback: the queue that the callback pulls from.
        references: receives every block that was pulled.
        on_lost: called on another thread when the device stopped by itself.

    Raises:
        AudioDeviceError: the device supports none of the formats, or is in use.

    Attributes:
        name: the device's name.
        requests: number of times that the device has asked for sound.
        latency_s: time from callback to sound, as reported by the sound system.
    """

    def __init__(
        self,
        portaudio: ModuleType,
        device: Device,
        playback: Playback,
        references: ReferenceQueue,
        on_lost: Callable[[], None],
    ) -> None:
        self.name = device.name
        self.requests = 0
        self._playback = playback
        self._references = references
        self._on_lost = on_lost
        self._portaudio = portaudio
        self._stopping = False
        self._stream, self._format = _opened(
            portaudio.RawOutputStream, portaudio, device, "output", self._play, self._finished
        )
        self._resampler = Resampler(PLAYBACK_RATE, self._format.rate)
        self._pending = b""
        self._whole_blocks = self._format == _Format(rate=PLAYBACK_RATE, channels=1)
        """Whether a block of the playback is played as it is."""
        self._silence = playback.silence.reference.tobytes()
        self.latency_s = float(self._stream.latency)
        _start(portaudio, self._stream, device, "output")

    def rest(self) -> None:
        """Stop asking for sound, and stay open."""
        self._stopping = True
        self._stream.abort(ignore_errors=True)

    def rested(self) -> None:
        """Drop the echo references of the silence before ``rest``. Called where they are taken."""
        self._references.rest()

    def wake(self) -> None:
        """Ask for sound again after ``rest``.

        Raises:
            AudioDeviceError: the device has gone, or does not start.
        """
        self._stopping = False
        try:
            self._stream.start()
        except self._portaudio.PortAudioError as error:
            detail = f"it does not start again: {error}"
            raise AudioDeviceError(self.name, detail, message_key="audio.speaker_lost", cause=error) from error

    def close(self) -> None:
        """Stop playing at once."""
        self._stopping = True
        self._stream.abort(ignore_errors=True)
        self._stream.close(ignore_errors=True)

    def _play(self, outdata: Any, _frames: int, _time: Any, _status: Any) -> None:
        self.requests += 1
        wanted = len(outdata)
        while len(self._pending) < wanted:
            block = self._playback.pull()
            silent = block is self._playback.silence
            self._references.put(self._silence if silent else block.reference.tobytes())
            if self._whole_blocks and not self._pending and wanted == _BLOCK_BYTES:
                outdata[:] = block.out.tobytes()
                return
            samples = self._resampler.push(block.out)
            if self._format.channels > 1:
                samples = np.repeat(samples, self._format.channels)
            self._pending += samples.tobytes()
        outdata[:] = self._pending[:wanted]
        self._pending = self._pending[wanted:]

    def _finished(self) -> None:
        if not self._stopping:
            self._on_lost()


def _opened(
    kind: Callable[..., Any],
    portaudio: ModuleType,
    device: Device,
    direction: Direction,
    callback: Callable[..., None],
    finished: Callable[[], None],
) -> tuple[Any, _Format]:
    """Open a stream in the first format that the device supports."""
    refusal: Exception | None = None
    for each in _formats(device, direction):
        try:
            stream = kind(
                device=device.index,
                samplerate=each.rate,
                channels=each.channels,
                dtype="int16",
                blocksize=each.rate // _BLOCKS_PER_S[direction],
                latency=INPUT_LATENCY_S if direction == "input" else OUTPUT_LATENCY_S,
                callback=callback,
                finished_callback=finished,
            )
        except portaudio.PortAudioError as error:
            refusal = error
        else:
            return stream, each
    raise _refused(device, direction, refusal)


def _start(portaudio: ModuleType, stream: Any, device: Device, direction: Direction) -> None:
    try:
        stream.start()
    except portaudio.PortAudioError as error:
        stream.close(ignore_errors=True)
        raise _refused(device, direction, error) from error


def _refused(device: Device, direction: Direction, cause: Exception | None) -> AudioDeviceError:
    which = "microphone" if direction == "input" else "speaker"
    return AudioDeviceError(
        device.name, f"the {which} cannot be opened: {cause}", message_key=f"audio.{which}_refused", cause=cause
    )


def _formats(device: Device, direction: Direction) -> list[_Format]:
    """Formats in the order of preference: Sori's rate in mono, then the device's rate and common rates, then stereo."""
    ours = SAMPLE_RATE if direction == "input" else PLAYBACK_RATE
    most = device.inputs if direction == "input" else device.outputs
    rates = list(dict.fromkeys((ours, device.rate, 48_000, 44_100)))
    return [_Format(rate=rate, channels=channels) for channels in (1, 2) if channels <= most for rate in rates]


def _mono(data: bytes, channels: int) -> Samples:
    samples = np.frombuffer(data, np.int16)
    if channels == 1:
        return samples
    mixed: Samples = samples.reshape(-1, channels).mean(axis=1).astype(np.int16)
    return mixed
