"""A fake sounddevice module: devices with limited formats, and streams that a test drives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray


class PortAudioError(Exception):
    """PortAudio's error."""


@dataclass
class FakeDevice:
    """One device.

    Attributes:
        name: its name.
        inputs: number of input channels.
        outputs: number of output channels.
        rates: accepted sample rates.
        channels: accepted numbers of channels.
        host: index of its sound system.
        busy: whether it refuses to start.
    """

    name: str
    inputs: int = 0
    outputs: int = 0
    rates: tuple[int, ...] = (16_000, 44_100, 48_000)
    channels: tuple[int, ...] = (1, 2)
    host: int = 0
    busy: bool = False


class FakeStream:
    """A stream whose callback a test calls through ``hear`` and ``play``."""

    def __init__(
        self,
        portaudio: "FakePortAudio",
        device: FakeDevice,
        options: dict[str, Any],
    ) -> None:
        if options["samplerate"] not in device.rates:
            raise PortAudioError("Invalid sample rate")
        if options["channels"] not in device.channels:
            raise PortAudioError("Invalid number of channels")
        self.device = device
        self.rate: int = options["samplerate"]
        self.channels: int = options["channels"]
        self.blocksize: int = options["blocksize"]
        self.latency = 0.05
        self.started = False
        self.closed = False
        self._callback: Callable[..., None] = options["callback"]
        self._finished: Callable[[], None] = options["finished_callback"]
        portaudio.streams.append(self)

    def start(self) -> None:
        if self.device.busy:
            raise PortAudioError("Device unavailable")
        self.started = True

    def abort(self, *, ignore_errors: bool) -> None:
        if self.started:
            self.started = False
            self._finished()

    def close(self, *, ignore_errors: bool) -> None:
        self.closed = True

    def hear(self, pcm: NDArray[np.int16]) -> None:
        """Deliver mono samples at the stream's rate, on all channels."""
        data = np.repeat(pcm, self.channels).tobytes()
        self._callback(data, len(pcm), None, None)

    def play(self, samples: int) -> NDArray[np.int16]:
        """Request samples at the stream's rate; returns them as (samples, channels)."""
        data = bytearray(samples * self.channels * 2)
        self._callback(memoryview(data), samples, None, None)
        return np.frombuffer(bytes(data), np.int16).reshape(-1, self.channels)

    def unplug(self) -> None:
        """End the stream like an unplugged device."""
        self.started = False
        self._finished()


@dataclass
class FakePortAudio:
    """The fake module's devices and streams."""

    devices: list[FakeDevice]
    streams: list[FakeStream] = field(default_factory=list)
    restarts: int = 0

    def module(self) -> ModuleType:
        """A module object with sounddevice's names."""
        module = ModuleType("sounddevice")
        first = {
            "input": next((at for at, each in enumerate(self.devices) if each.inputs), -1),
            "output": next((at for at, each in enumerate(self.devices) if each.outputs), -1),
        }
        members: dict[str, Any] = {
            "PortAudioError": PortAudioError,
            "query_hostapis": lambda: ({"name": "First"}, {"name": "Second"}),
            "query_devices": self._query,
            "default": SimpleNamespace(device=(first["input"], first["output"])),
            "RawInputStream": self._open,
            "RawOutputStream": self._open,
            "_terminate": lambda: None,
            "_initialize": self._restart,
        }
        for name, member in members.items():
            setattr(module, name, member)
        return module

    def _query(self) -> list[dict[str, Any]]:
        return [
            {
                "name": each.name,
                "hostapi": each.host,
                "max_input_channels": each.inputs,
                "max_output_channels": each.outputs,
                "default_samplerate": float(each.rates[-1]),
            }
            for each in self.devices
        ]

    def _open(self, *, device: int, **options: Any) -> FakeStream:
        return FakeStream(self, self.devices[device], options)

    def _restart(self) -> None:
        self.restarts += 1
