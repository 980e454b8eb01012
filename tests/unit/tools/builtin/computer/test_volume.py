import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from assistant.tools.builtin.computer.volume import volume_tools
from assistant.tools.system.volume import LINUX_MIXERS, MAC_MIXERS, Mixer, MixerVolume, WindowsVolume
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts here")


def install(folder: Path, program: str, script: str) -> None:
    path = folder / program
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("mixer", "printed", "percent"),
    [
        (LINUX_MIXERS[0], "Volume: 0.45 [MUTED]", 45),
        (LINUX_MIXERS[1], "Volume: front-left: 32768 /  50% / -18.06 dB,   front-right: 32768 /  50% / -18.06 dB", 50),
        (LINUX_MIXERS[2], "  Front Left: Playback 44 [67%] [-12.00dB] [on]", 67),
        (MAC_MIXERS[0], "38\n", 38),
        (MAC_MIXERS[0], "missing value\n", None),
    ],
)
def test_what_each_program_prints_is_understood(mixer: Mixer, printed: str, percent: int | None) -> None:
    assert mixer.parse(printed) == percent


async def test_the_first_program_that_answers_is_used(programs: Path) -> None:
    install(programs, "wpctl", "echo 'Could not connect to PipeWire'; exit 2")
    install(programs, "pactl", f'echo "$@" >> {programs}/log; echo "Volume: 40%"')
    volume = MixerVolume(LINUX_MIXERS)
    assert await volume.level() == 40
    await volume.set_level(130)
    await volume.set_muted(True)
    written = [line for line in (programs / "log").read_text().splitlines() if not line.startswith("get")]
    assert written == ["set-sink-volume @DEFAULT_SINK@ 100%", "set-sink-mute @DEFAULT_SINK@ 1"]


async def test_without_any_program_it_says_so(programs: Path) -> None:
    with pytest.raises(ToolError, match="wpctl, pactl, amixer"):
        await MixerVolume(LINUX_MIXERS).level()


async def test_a_refusal_is_passed_on(programs: Path) -> None:
    install(programs, "pactl", 'case "$1" in get*) echo "40%";; *) echo "Access denied"; exit 1;; esac')
    with pytest.raises(ToolError, match="Access denied"):
        await MixerVolume(LINUX_MIXERS).set_level(10)


async def test_the_tools_speak_percent(programs: Path) -> None:
    install(programs, "pactl", 'echo "40%"')
    get_volume, set_volume = volume_tools(MixerVolume(LINUX_MIXERS))
    assert await get_volume.run({}, served_call()) == "40 %"
    assert await set_volume.run({"percent": 20}, served_call()) == "The volume is now 20 %."
    with pytest.raises(ToolError):
        await set_volume.run({"percent": 101}, served_call())


class Speaker:
    """Has what pycaw's ``AudioDevice`` has of the volume."""

    def __init__(self) -> None:
        self.volume_percent = 41.7
        self.muted = False
        self.EndpointVolume = self

    def SetMute(self, muted: bool, context: None) -> None:  # noqa: N802 - pycaw's name
        self.muted = muted


class ComError(Exception):
    """An error of COM."""


@pytest.fixture
def core_audio(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The modules ``comtypes`` and ``pycaw`` with one speaker, since the real ones exist on Windows only."""
    made = SimpleNamespace(speaker=Speaker(), open=0)

    def count(change: int) -> None:
        made.open += change

    com = SimpleNamespace(CoInitialize=lambda: count(1), CoUninitialize=lambda: count(-1), COMError=ComError)
    utils = SimpleNamespace(AudioUtilities=SimpleNamespace(GetSpeakers=lambda: made.speaker))
    monkeypatch.setitem(sys.modules, "comtypes", com)
    monkeypatch.setitem(sys.modules, "pycaw", SimpleNamespace(utils=utils))
    monkeypatch.setitem(sys.modules, "pycaw.utils", utils)
    return made


async def test_windows_reads_and_sets_the_volume_of_the_speaker(core_audio: SimpleNamespace) -> None:
    volume = WindowsVolume()
    assert await volume.level() == 42
    await volume.set_level(130)
    await volume.set_muted(True)
    assert (core_audio.speaker.volume_percent, core_audio.speaker.muted, core_audio.open) == (100, True, 0)


async def test_windows_without_a_speaker_or_with_an_error_says_so(core_audio: SimpleNamespace) -> None:
    core_audio.speaker = None
    with pytest.raises(ToolError, match="no_speaker"):
        await WindowsVolume().level()

    class Broken:
        @property
        def volume_percent(self) -> float:
            raise ComError("0x88890004")

    core_audio.speaker = Broken()
    with pytest.raises(ToolError, match="0x88890004"):
        await WindowsVolume().level()
    assert core_audio.open == 0


async def test_elsewhere_windows_core_audio_is_named_as_missing() -> None:
    with pytest.raises(ToolError, match="comtypes"):
        await WindowsVolume().level()
