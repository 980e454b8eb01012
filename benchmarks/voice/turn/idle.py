"""What Sori costs while nobody speaks: processor time and memory of the whole engine with everything on.

The engine runs in a process of its own on a virtual sound card (PulseAudio). Its microphone hears the noise of a real
room. The wake word, the name of an agent and the voices are on, and Sori's own model is loaded. The same engine without
a microphone is the baseline: the difference is the cost of listening. Times are of the engine and its child
processes, without the sound server.

    python -m benchmarks.voice.turn.idle [--seconds 60] [--settle 30]
"""

import argparse
import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np

from assistant.app.host.places import default_home, models_folder
from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.records.agents import DEFAULT_WORKSPACE
from benchmarks.voice.listening import ROOT, SPEECH
from tests.e2e.sound_server import SoundServer, running_sound_server

VOICE = 'language = "ko"\n[voice]\nwake_word = "hey_jarvis"\n'
AGENT = f"workspaces/{DEFAULT_WORKSPACE}/agents/dochi"
NOISE_S = 20.0
"""Length of one piece of the room's noise."""
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both arms and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each arm is measured")
    parser.add_argument("--settle", type=float, default=30.0, help="how long the engine gets to load everything")
    chosen = parser.parse_args(arguments)
    for title, hears in (("without a microphone", False), ("listening, everything on", True)):
        with running_sound_server() as server, tempfile.TemporaryDirectory() as folder:
            if not hears:
                server.unplug_everything()
            share, memory, processes = asyncio.run(
                _idle(Path(folder), server, chosen.settle, chosen.seconds, hears=hears)
            )
        print(
            f"{title}: {share:.2%} of a core{' (wanted 1.5 %)' if hears else ''}, "
            f"{memory:.0f} MB in {processes} processes",
            flush=True,
        )
    return 0


async def _idle(
    home: Path, server: SoundServer, settle_s: float, length_s: float, *, hears: bool
) -> tuple[float, float, int]:
    """Share of a core, proportional memory in MB, and the number of processes of an idle engine."""
    (home / "config.toml").write_text(VOICE, encoding="utf-8")
    agent = home / AGENT
    agent.mkdir(parents=True)
    (agent / "agent.toml").write_text('wake_phrase = "도치야"\n', encoding="utf-8")
    noise = read_recording(SPEECH / "near_silence.wav", PLAYBACK_RATE)
    room = np.tile(noise, round(NOISE_S * PLAYBACK_RATE / len(noise)))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.e2e.engine_session", str(home)),
        cwd=ROOT,
        env={**server.environment, "SORI_MODELS": str(models_folder(default_home()))},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    sounding = asyncio.create_task(_sound(server, room)) if hears else None
    try:
        await asyncio.sleep(settle_s)
        tree = _tree(process.pid)
        began, before = time.monotonic(), sum(map(_seconds, tree))
        await asyncio.sleep(length_s)
        share = (sum(map(_seconds, tree)) - before) / (time.monotonic() - began)
        return share, sum(map(_memory_mb, tree)), len(tree)
    finally:
        if sounding is not None:
            sounding.cancel()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def _sound(server: SoundServer, room: np.ndarray[tuple[int], np.dtype[np.int16]]) -> None:
    while True:
        await server.say(room)


def _tree(process: int) -> list[int]:
    """A process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            children.setdefault(int(_stat(int(entry.name))[1]), []).append(int(entry.name))
    found = [process]
    for each in found:
        found += children.get(each, [])
    return found


def _stat(process: int) -> list[str]:
    """The fields of a process's status after its name."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def _seconds(process: int) -> float:
    """Processor time of a process in seconds."""
    fields = _stat(process)
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def _memory_mb(process: int) -> float:
    """Memory of a process in MB; what it shares with others counts in parts."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
    return int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
