"""Start-up of a command: by the engine that runs, in its own process, and in another checkout.

    python -m benchmarks.wire.attached_commands [--before DIR] [--rounds 7]

``sori memory list`` is run as a process. Processor time is the measure, because other programs disturb it least; the
shortest of all rounds counts. The engine is ``sori serve --no-voice`` on a home of its own. Wanted: no more alone than
before, and less attached than alone.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "assistant.app.command_line")
_WARM_UP_S = 10.0
"""Seconds after which an engine has loaded its models."""


def run(folder: Path, home: Path) -> tuple[float, float]:
    """List the memory once; processor time and time on the clock, in milliseconds."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*COMMAND, "memory", "list"], cwd=folder, env=_environment(home), stdout=subprocess.DEVNULL, check=True
    )
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, took * 1000


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "SORI_HOME": str(home)}


def measure(name: str, folder: Path, home: Path, rounds: int) -> None:
    """Print the shortest times."""
    times = [run(folder, home) for _ in range(rounds + 1)][1:]  # the first one fills caches
    print(f"{name:9} {min(cpu for cpu, _ in times):6.0f} ms of the processor, {min(wall for _, wall in times):6.0f} ms")


def main() -> None:
    """Measure all arms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="another checkout")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as served:
        if given.before is not None:
            measure("before", given.before, Path(alone), given.rounds)
        measure("alone", ROOT, Path(alone), given.rounds)
        words = [*COMMAND, "serve", "--no-voice"]
        engine = subprocess.Popen(words, cwd=ROOT, env=_environment(Path(served)), stdout=subprocess.PIPE)
        try:
            if engine.stdout is not None:
                engine.stdout.readline()
            time.sleep(_WARM_UP_S)
            measure("attached", ROOT, Path(served), given.rounds)
        finally:
            engine.terminate()
            engine.wait()


if __name__ == "__main__":
    main()
