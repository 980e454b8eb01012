"""Kills the engine 200 times while it answers, runs tools and remembers, and counts what is lost.

Each kill is a SIGKILL: at a random instant, before an ``fsync``, or after a rename. The next process goes on in the
same folder. Afterwards everything that was acknowledged must be there, and every file must be whole.

    python -m benchmarks.storage.kills [--kills 200] [--homes 10] [--seed 1]
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import openai  # noqa: F401 - imported before the fork, so that no process has to

from assistant.engine.tidying import tidy
from assistant.host.places import Places
from tests.e2e.conversation.killed_engine import Acknowledged, Kill, faults, model_in_a_process, talk_and_die

_HOURS_LATER_S = 7200.0
_LONGEST_S = 3.0
"""Longest life of an engine after its start: about thirty messages."""


def _hidden(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob(".*") if path.is_file())


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, check and print; returns 1 if anything was lost or damaged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--homes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    chance = random.Random(chosen.seed)  # noqa: S311 - it only has to be the same each time
    started, found, count = time.monotonic(), list[str](), 0
    with tempfile.TemporaryDirectory() as folder, model_in_a_process() as base_url:
        for number in range(chosen.homes):
            acknowledged, home = Acknowledged(), Path(folder) / str(number)
            for kill in range(chosen.kills // chosen.homes):
                at_call = chance.choice([None, ("fsync", chance.randint(1, 5)), ("rename", chance.randint(1, 3))])
                when = Kill(first=kill * 1000, after_s=chance.uniform(0.0, _LONGEST_S), at_call=at_call)
                talk_and_die(home, base_url, acknowledged, when)
                found += [f"home {number}, {when}: {each}" for each in faults(home, acknowledged)]
            count += acknowledged.count
            begun = _hidden(home)
            # A start removes what was half written more than an hour before.
            tidy(Places(home), time.time() + _HOURS_LATER_S)
            found += [f"home {number}: {each} is never removed" for each in _hidden(home)]
            names = ", ".join(begun) or "none"
            print(f"home {number}: {acknowledged}; half written, removed by a later start: {names}", flush=True)
    print(*found, sep="\n")
    taken = time.monotonic() - started
    print(f"{chosen.kills} kills, {count} acknowledged, {len(found)} faults (wanted: 0), {taken:.0f} s")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
