"""Whether anything is lost when the account's server is killed again and again while devices write.

    python -m benchmarks.sync.server_kills [--kills 40] [--devices 3] [--pause 0.5]

Kills alternate between ``kill -9`` and an immediate shutdown. A message is acknowledged when a round that sent it has
ended. In the end every device, and a new one that gets what the server kept, must have every message of all.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from tests.contract.postgres import KillableServer, killable_server
from tests.fakes.sync.killed_server import close, kept_by_the_server, write_through_kills, writers


async def measure(folder: Path, server: KillableServer, kills: int, count: int, pause_s: float) -> bool:
    """Print the figures; whether all are alike and nothing is lost."""
    devices = await writers(folder, server, count)
    began = time.perf_counter()
    await write_through_kills(devices, server, kills, pause_s)
    took_s = time.perf_counter() - began
    acknowledged = {text for each in devices for text in each.acknowledged}
    written = sorted(f"{each.conversation} {number}" for each in devices for number in range(each.written))
    failures = sum(each.failures for each in devices)
    print(f"{kills} kills in {took_s:.0f} s; {len(written)} messages, {len(acknowledged)} acknowledged by then")
    print(f"{failures} rounds failed")
    alike = True
    for number, each in enumerate(devices):
        here, waiting = await each.texts(), await each.home.outbox.count()
        lost, double = len(set(written) - set(here)), len(here) - len(set(here))
        print(f"device {number}: {lost} lost, {double} double, {waiting} waiting")
        alike = alike and here == written and not waiting
    kept = await kept_by_the_server(folder, devices)
    print(f"a new device: {len(acknowledged - set(kept))} acknowledged lost, {len(set(written) - set(kept))} lost")
    await close(devices)
    return alike and kept == written


def main() -> None:
    """Run it on a server of its own; ends with 1 if anything is lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--devices", type=int, default=3)
    parser.add_argument("--pause", type=float, default=0.5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, killable_server(Path(made, "server")) as server:
        if not asyncio.run(measure(Path(made), server, given.kills, given.devices, given.pause)):
            raise SystemExit(1)


if __name__ == "__main__":
    main()
