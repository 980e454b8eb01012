"""What Sori costs while nobody speaks: processor time and memory of the whole engine with everything on.

The engine runs in a process of its own on a virtual sound card (PulseAudio). The wake word, the name of an agent and
the voices are on, and Sori's own model is loaded and has read its prompt. The microphone delivers zeros, as one that is
blocked; then the faint noise of a good microphone in a silent room; then the noise of a real room. The last difference
is the cost of taking noise for a voice. Times are of the engine, with its busiest threads, and of its child processes,
also of those that came and went, without the sound server.

    python -m benchmarks.voice.turn.idle [--seconds 60] [--settle 120]
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
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.records.agents import DEFAULT_WORKSPACE
from assistant.host.places import default_home, models_folder
from benchmarks.voice.listening import ROOT, SPEECH
from tests.e2e.sound_server import SoundServer, running_sound_server

VOICE = 'language = "ko"\n[voice]\nwake_word = "hey_jarvis"\n'
AGENT = f"workspaces/{DEFAULT_WORKSPACE}/agents/dochi"
QUIET_S = 5.0
QUIET_TIMES = 2
FAINT_DB = -75.0
ACCUSTOMED_S = 30.0
"""Time until the engine is used to another sound: it opens a silent microphone again, and its speaker rests."""
BUSIEST = 5
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both arms and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each arm is measured")
    parser.add_argument("--settle", type=float, default=120.0, help="how long the engine may take to get quiet")
    chosen = parser.parse_args(arguments)
    with running_sound_server() as server, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder), server, chosen.settle, chosen.seconds))
    return 0


async def _measure(home: Path, server: SoundServer, settle_s: float, length_s: float) -> None:
    """Run the engine, and print its cost in silence and in noise."""
    (home / "config.toml").write_text(VOICE, encoding="utf-8")
    agent = home / AGENT
    agent.mkdir(parents=True)
    (agent / "agent.toml").write_text('wake_phrase = "도치야"\n', encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.e2e.engine_session", str(home)),
        cwd=ROOT,
        env={**server.environment, "SORI_MODELS": str(models_folder(default_home()))},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await _settled(process.pid, agent / "own_words.npz", settle_s)
        await _report("zeros", process.pid, length_s)
        samples = round((length_s + ACCUSTOMED_S + 5) * PLAYBACK_RATE)
        faint = np.random.default_rng(seed=1).normal(0, 32_768 * 10 ** (FAINT_DB / 20), samples)
        await _report_with(server, "silence", process.pid, length_s, np.rint(faint).astype(np.int16))
        noise = read_recording(SPEECH / "near_silence.wav", PLAYBACK_RATE)
        await _report_with(server, "noise of a room", process.pid, length_s, _repeated(noise, samples))
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def _settled(process: int, own_words: Path, limit_s: float) -> None:
    """Wait until everything is loaded and read, and until Sori has practised the agent's name, which it does once."""
    await asyncio.to_thread(_wait_for, own_words, limit_s)
    await _quiet(process, limit_s)


def _wait_for(file: Path, limit_s: float) -> None:
    until = time.monotonic() + limit_s
    while not file.exists():
        if time.monotonic() > until:
            print(f"{file.name} was not made in time; what follows may hold some of that work", flush=True)
            return
        time.sleep(1)


async def _quiet(process: int, limit_s: float) -> None:
    """Wait until everything is loaded and read: five seconds with less than a tenth of a core, twice in a row."""
    until, quiet = time.monotonic() + limit_s, 0
    while quiet < QUIET_TIMES and time.monotonic() < until:
        before = sum(map(_seconds, _tree(process)))
        await asyncio.sleep(QUIET_S)
        spent = sum(map(_seconds, _tree(process))) - before
        quiet = quiet + 1 if 0 <= spent < QUIET_S / 10 else 0
    if quiet < QUIET_TIMES:
        print("the engine did not get quiet in time; it may still be loading", flush=True)


async def _report_with(server: SoundServer, title: str, process: int, length_s: float, room: NDArray[np.int16]) -> None:
    """Print what the engine spends while the microphone hears ``room``."""
    sounding = asyncio.create_task(_sound(server, room))
    await asyncio.sleep(ACCUSTOMED_S)
    await _report(title, process, length_s)
    await sounding


async def _report(title: str, process: int, length_s: float) -> None:
    """Print what the engine and its children spend in ``length_s``."""
    tree = _tree(process)
    before, threads = {each: _seconds(each) for each in tree}, _threads(process)
    gone = _seconds_of_ended(process)
    began = time.monotonic()
    await asyncio.sleep(length_s)
    passed = time.monotonic() - began
    spent = {each: (_seconds(each) - before[each]) / passed for each in tree}
    spent[0] = (_seconds_of_ended(process) - gone) / passed
    busiest = sorted(((now - threads.get(key, 0.0)) / passed, key[1]) for key, now in _threads(process).items())[
        : -1 - BUSIEST : -1
    ]
    print(
        f"{title}: {sum(spent.values()):.2%} of a core (wanted 1.5 %), {sum(map(_memory_mb, tree)):.0f} MB in "
        f"{len(tree)} processes; {', '.join(f'{share:.2%}' for share in spent.values())} each, the last by those that "
        "ended; busiest threads: " + ", ".join(f"{name} {share:.2%}" for share, name in busiest),
        flush=True,
    )


def _repeated(sound: NDArray[np.int16], samples: int) -> NDArray[np.int16]:
    """A sound over and over, with soft seams: the recording begins at zero and has a constant part.

    A sudden change of level is taken for a voice.
    """
    fade = PLAYBACK_RATE // 2
    rising = np.linspace(0, 1, fade)  # not by power, because the constant parts are alike
    period = sound[fade:-fade].astype(np.float64)
    period[:fade] = period[:fade] * rising + sound[-fade:] * rising[::-1]
    return np.resize(np.rint(period).astype(np.int16), samples)


async def _sound(server: SoundServer, room: NDArray[np.int16]) -> None:
    with contextlib.suppress(RuntimeError):  # the server ends first
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
    """Processor time of a process in seconds; none once it has ended, because it then counts for its parent."""
    try:
        fields = _stat(process)
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def _seconds_of_ended(process: int) -> float:
    """Processor time of the children of a process that have ended, in seconds."""
    fields = _stat(process)
    return (int(fields[13]) + int(fields[14])) / TICKS_PER_S


def _threads(process: int) -> dict[tuple[str, str], float]:
    """Processor time of each thread in seconds, by its id and name."""
    found: dict[tuple[str, str], float] = {}
    for entry in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):
            fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            name = (entry / "comm").read_text(encoding="utf-8").strip()
            found[entry.name, name] = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
    return found


def _memory_mb(process: int) -> float:
    """Memory of a process in MB, none once it has ended; what it shares with others counts in parts."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
