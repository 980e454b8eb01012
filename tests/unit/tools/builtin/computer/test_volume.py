import stat
import sys
from pathlib import Path

import pytest

from assistant.tools.builtin.computer.volume import LINUX_MIXERS, MAC_MIXERS, Mixer, MixerVolume, volume_tools
from assistant.tools.tool import ToolError

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
    assert await get_volume.run({}) == "40 %"
    assert await set_volume.run({"percent": 20}) == "The volume is now 20 %."
    with pytest.raises(ToolError):
        await set_volume.run({"percent": 101})
