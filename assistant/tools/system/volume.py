"""The computer's volume: by the desktop's own program, on Windows by its Core Audio."""

import asyncio
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from assistant.tools.system.programs import run
from assistant.tools.tool import ToolError

Result = TypeVar("Result")


class VolumeControl(Protocol):
    """Reads and sets the volume of the default output."""

    async def level(self) -> int:
        """The volume in percent.

        Raises:
            ToolError: the volume cannot be read here, with the reason.
        """
        ...

    async def set_level(self, percent: int) -> None:
        """Set the volume, from 0 to 100 percent.

        Raises:
            ToolError: the volume cannot be set here, with the reason.
        """
        ...

    async def set_muted(self, muted: bool) -> None:
        """Mute or unmute the output; the volume stays the same.

        Raises:
            ToolError: the output cannot be muted here, with the reason.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixer:
    """A program that controls the volume.

    Attributes:
        program: name of the executable, looked up on the path.
        read: arguments that print the volume.
        parse: extracts the percentage from the output; ``None`` when the output holds none.
        write: gives the arguments that set the volume to a percentage.
        mute: gives the arguments that mute (``True``) or unmute (``False``).
    """

    program: str
    read: tuple[str, ...]
    parse: Callable[[str], int | None]
    write: Callable[[int], tuple[str, ...]]
    mute: Callable[[bool], tuple[str, ...]]


def _percent(text: str) -> int | None:
    found = re.search(r"(\d+)%", text)
    return int(found.group(1)) if found else None


def _fraction(text: str) -> int | None:
    found = re.search(r"Volume:\s*([\d.]+)", text)
    return round(float(found.group(1)) * 100) if found else None


def _bare(text: str) -> int | None:
    found = re.fullmatch(r"\s*(\d+)\s*", text)
    return int(found.group(1)) if found else None


LINUX_MIXERS = (
    Mixer(
        program="wpctl",
        read=("get-volume", "@DEFAULT_AUDIO_SINK@"),
        parse=_fraction,
        write=lambda percent: ("set-volume", "@DEFAULT_AUDIO_SINK@", f"{percent}%"),
        mute=lambda muted: ("set-mute", "@DEFAULT_AUDIO_SINK@", "1" if muted else "0"),
    ),
    Mixer(
        program="pactl",
        read=("get-sink-volume", "@DEFAULT_SINK@"),
        parse=_percent,
        write=lambda percent: ("set-sink-volume", "@DEFAULT_SINK@", f"{percent}%"),
        mute=lambda muted: ("set-sink-mute", "@DEFAULT_SINK@", "1" if muted else "0"),
    ),
    Mixer(
        program="amixer",
        read=("-M", "get", "Master"),
        parse=_percent,
        write=lambda percent: ("-M", "set", "Master", f"{percent}%"),
        mute=lambda muted: ("set", "Master", "mute" if muted else "unmute"),
    ),
)
"""For PipeWire, PulseAudio and ALSA. The first that is installed and works is used."""

MAC_MIXERS = (
    Mixer(
        program="osascript",
        read=("-e", "output volume of (get volume settings)"),
        parse=_bare,
        write=lambda percent: ("-e", f"set volume output volume {percent}"),
        mute=lambda muted: ("-e", f"set volume output muted {'true' if muted else 'false'}"),
    ),
)


class MixerVolume:
    """Implements ``VolumeControl`` with the first program of ``mixers`` that works.

    Args:
        mixers: programs to try, best first.
    """

    def __init__(self, mixers: Sequence[Mixer]) -> None:
        self._mixers = mixers
        self._chosen: Mixer | None = None

    async def level(self) -> int:
        """The volume in percent."""
        _, percent = await self._find()
        return percent

    async def set_level(self, percent: int) -> None:
        """Set the volume, clipped to 0 to 100 percent."""
        mixer, _ = await self._find()
        await self._run_checked(mixer, mixer.write(min(100, max(0, percent))))

    async def set_muted(self, muted: bool) -> None:
        """Mute or unmute the output."""
        mixer, _ = await self._find()
        await self._run_checked(mixer, mixer.mute(muted))

    async def _find(self) -> tuple[Mixer, int]:
        mixers = (self._chosen,) if self._chosen is not None else self._mixers
        for mixer in mixers:
            if shutil.which(mixer.program) is None:
                continue
            with suppress(ToolError):
                percent = mixer.parse(await self._run_checked(mixer, mixer.read))
                if percent is not None:
                    self._chosen = mixer
                    return mixer, percent
        self._chosen = None
        raise ToolError("tool_reason.no_mixer", names=", ".join(mixer.program for mixer in self._mixers) or "-")

    async def _run_checked(self, mixer: Mixer, arguments: tuple[str, ...]) -> str:
        """The output of the program.

        Raises:
            ToolError: it cannot be run, fails or does not answer.
        """
        ran = await run(mixer.program, *arguments)
        output = ran.output.decode(errors="replace")
        if ran.status != 0:
            raise ToolError("tool_reason.failed", name=mixer.program, detail=ran.errors or output.strip())
        return output


class WindowsVolume:
    """Implements ``VolumeControl`` with the Core Audio of Windows, through pycaw."""

    async def level(self) -> int:
        """The volume in percent."""
        return round(await self._with_speaker(lambda speaker: float(speaker.volume_percent)))

    async def set_level(self, percent: int) -> None:
        """Set the volume, clipped to 0 to 100 percent."""
        await self._with_speaker(lambda speaker: setattr(speaker, "volume_percent", min(100, max(0, percent))))

    async def set_muted(self, muted: bool) -> None:
        """Mute or unmute the output."""
        await self._with_speaker(lambda speaker: speaker.EndpointVolume.SetMute(muted, None))

    @staticmethod
    async def _with_speaker(work: Callable[[Any], Result]) -> Result:
        def on_thread() -> Result:
            from comtypes import CoInitialize, COMError, CoUninitialize
            from pycaw.utils import AudioUtilities

            CoInitialize()  # COM is made ready for each thread
            try:
                speaker = AudioUtilities.GetSpeakers()
                if speaker is None:
                    raise ToolError("tool_reason.no_speaker")
                return work(speaker)
            except COMError as error:
                raise ToolError("tool_reason.failed", name="Windows", detail=error) from error
            finally:
                CoUninitialize()

        try:
            return await asyncio.to_thread(on_thread)
        except ImportError as error:
            raise ToolError("tool_reason.failed", name="Windows", detail=error) from error


def system_volume() -> VolumeControl:
    """The volume of this computer. On a system without a known program every call raises ``ToolError``."""
    if sys.platform == "darwin":
        return MixerVolume(MAC_MIXERS)
    if sys.platform == "win32":
        return WindowsVolume()
    return MixerVolume(LINUX_MIXERS)
