"""The available microphones and speakers, as PortAudio names them."""

import importlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from assistant.core.errors import AudioDeviceError

Direction = Literal["input", "output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One sound device.

    Attributes:
        index: PortAudio's device number, valid until the list is read again.
        name: the name that the user sees and that the settings store.
        host: the sound system that offers the device (ALSA, Core Audio, Windows WASAPI …).
        inputs: number of input channels.
        outputs: number of output channels.
        rate: native sample rate.
        default_input: whether it is the default microphone.
        default_output: whether it is the default speaker.
    """

    index: int
    name: str
    host: str
    inputs: int
    outputs: int
    rate: int
    default_input: bool
    default_output: bool

    def does(self, direction: Direction) -> bool:
        """Whether it can record or play."""
        return (self.inputs if direction == "input" else self.outputs) > 0

    def is_default(self, direction: Direction) -> bool:
        """Whether it is the default microphone or speaker."""
        return self.default_input if direction == "input" else self.default_output


def load_portaudio() -> ModuleType:
    """Import sounddevice, which loads and starts PortAudio.

    Raises:
        AudioDeviceError: PortAudio is not installed or cannot be started.
    """
    try:
        sounddevice = importlib.import_module("sounddevice")
    except (OSError, ImportError) as error:
        raise AudioDeviceError(
            "PortAudio", f"the library cannot be loaded: {error}", message_key="audio.portaudio_missing", cause=error
        ) from error
    except Exception as error:
        if type(error).__name__ == "PortAudioError":
            raise _not_started(error) from error
        raise
    return sounddevice


def list_devices(*, anew: bool = False) -> list[Device]:
    """List all devices of all sound systems.

    Args:
        anew: detect devices that were connected or disconnected. PortAudio must restart for this, which ends all
            streams of the process. Do not use it while a card is open.

    Raises:
        AudioDeviceError: PortAudio is not installed or cannot be started.
    """
    started_before = "sounddevice" in sys.modules
    portaudio = load_portaudio()
    try:
        if anew and started_before:
            _start_again(portaudio)
        hosts = portaudio.query_hostapis()
        found = portaudio.query_devices()
    except portaudio.PortAudioError as error:
        raise _not_started(error) from error
    return [
        Device(
            index=index,
            name=entry["name"],
            host=hosts[entry["hostapi"]]["name"],
            inputs=entry["max_input_channels"],
            outputs=entry["max_output_channels"],
            rate=round(entry["default_samplerate"]),
            default_input=index == portaudio.default.device[0],
            default_output=index == portaudio.default.device[1],
        )
        for index, entry in enumerate(found)
    ]


def choose(devices: Iterable[Device], name: str, direction: Direction) -> Device | None:
    """Return the named device, else the default device, else any; ``None`` when no device supports the direction.

    Several sound systems may offer the same device, some with a truncated name. An exact name is preferred to a prefix,
    and the default device's sound system to the others.
    """
    able = [each for each in devices if each.does(direction)]
    default = next((each for each in able if each.is_default(direction)), None)
    host = default.host if default else ""
    if name:
        named = [each for each in able if each.name == name] or [each for each in able if each.name.startswith(name)]
        if named:
            return next((each for each in named if each.host == host), named[0])
    return default or (able[0] if able else None)


def _start_again(portaudio: ModuleType) -> None:
    """Restart PortAudio. These private names are sounddevice's documented way to do it."""
    vars(portaudio)["_terminate"]()
    vars(portaudio)["_initialize"]()


def _not_started(error: Exception) -> AudioDeviceError:
    return AudioDeviceError(
        "PortAudio", f"the library cannot be started: {error}", message_key="audio.system_not_started", cause=error
    )
