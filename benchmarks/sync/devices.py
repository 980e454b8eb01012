"""What many devices cost one server: CPU, memory for a connection, and the time from a change to the other device.

    python -m benchmarks.sync.devices [--accounts 250] [--devices 4] [--seconds 60] [--changes 4]

Each device holds the two connections of a real one: one listens on the channel of its account, the other beats every
30 s, sends and pulls, and asks and tells before and after that what a real one does. All accounts together send
``--changes`` changes a second; each is pulled by the other devices of its account.
"""

import argparse
import asyncio
import random
import resource
import secrets
import signal
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from assistant.sync.postgres.postgres_store import BEAT, PLACE, connected, make_tables
from assistant.sync.postgres.schema import channel_of
from assistant.sync.store import BEAT_S, OFFLINE_S
from tests.contract.postgres import KillableServer, killable_server
from tests.fakes.ledger import MemoryLedger

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

_CONTENT = secrets.token_bytes(600)
_AT_ONCE = 50
_SAMPLE = 100
_SECRET = b"s" * 32


@dataclass(slots=True)
class Device:
    """One device, which has pulled up to a number."""

    account: bytes
    identity: bytes
    asking: Connection
    listening: Connection
    pulled: int = 0

    async def ask(self, function: str, *more: Any) -> list[tuple[Any, ...]]:
        """Call a function of the server."""
        places = ", ".join(["%s"] * (3 + len(more)))
        query = f"SELECT * FROM sori_sync.{function}({places})".encode()  # noqa: S608 - constants
        found = await self.asking.execute(query, (self.account, self.identity, _SECRET, *more))
        return await found.fetchall()

    async def place(self) -> None:
        """Ask how far the account is."""
        who = (self.account, self.identity, _SECRET)
        await self.asking.execute(PLACE, (*who, *who, OFFLINE_S, self.identity))

    async def beat(self) -> None:
        """Tell that this device is there."""
        await self.asking.execute(BEAT, (self.account, self.identity, _SECRET, b"name"))

    async def live(self) -> None:
        """Beat, the first time at any moment."""
        await asyncio.sleep(random.uniform(0, BEAT_S))  # noqa: S311 - spreads the load
        while True:
            await self.beat()
            await asyncio.sleep(BEAT_S)

    async def follow(self, came: list[tuple[tuple[bytes, int], float]]) -> None:
        """Pull whenever the account is told of, and note what came when."""
        async for _ in self.listening.notifies():
            await self.place()
            for _, number, _ in await self.ask("pull", self.pulled, 200, 4_000_000):
                self.pulled = number
                came.append(((self.account, number), time.perf_counter()))
            await self.beat()


async def devices(address: str, accounts: int, count: int) -> list[Device]:
    """Connect all devices."""
    owner = connected(address, "", MemoryLedger())
    await make_tables(owner)
    await owner.close()
    names = [(secrets.token_bytes(16), secrets.token_bytes(16)) for _ in range(accounts * count)]
    names = [(names[at - at % count][0], device) for at, (_, device) in enumerate(names)]
    with psycopg.connect(address) as used, used.cursor() as rows:
        columns = "id, salt, passes, memory_kib, keys, proof"
        made = f"INSERT INTO sori_sync.accounts ({columns}) VALUES (%s, %s, 1, 1024, '', '')".encode()  # noqa: S608
        rows.executemany(made, [(each, b"s" * 16) for each in dict.fromkeys(account for account, _ in names)])
        added = "INSERT INTO sori_sync.devices VALUES (%s, %s, sha256(%s))"
        rows.executemany(added, [(*each, _SECRET) for each in names])
    some = asyncio.Semaphore(_AT_ONCE)

    async def one(account: bytes, device: bytes) -> Device:
        async with some:
            pair = [await Connection.connect(address, autocommit=True) for _ in range(2)]
            await pair[1].execute(f"LISTEN {channel_of(account)}".encode())
            return Device(account, device, pair[0], pair[1])

    return list(await asyncio.gather(*(one(*each) for each in names)))


async def change(found: list[Device], rate: float, sent: dict[tuple[bytes, int], float]) -> None:
    """Let any device send a change, at a rate."""
    while True:
        await asyncio.sleep(random.expovariate(rate))
        began, one = time.perf_counter(), random.choice(found)  # noqa: S311 - as above
        ((numbers,),) = await one.ask("push", [secrets.token_bytes(16)], [0], [_CONTENT])
        sent[one.account, numbers[0]] = began
        await one.beat()


def cpu_s(processes: list[int]) -> float:
    """Seconds of CPU that processes have used."""
    # /proc/…/stat counts ticks of 10 ms, more than most connections use.
    return sum(int(Path(f"/proc/{each}/schedstat").read_text().split()[0]) for each in processes) / 1e9


def own_mib(process: int) -> float:
    """What a process has in memory for itself, in MiB."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


async def measure(server: KillableServer, accounts: int, count: int, seconds: float, rate: float) -> None:
    """Print the figures."""
    began = time.perf_counter()
    found = await devices(server.address, accounts, count)
    print(f"{accounts} accounts x {count}: connected in {time.perf_counter() - began:.1f} s", flush=True)
    sent: dict[tuple[bytes, int], float] = {}
    came: list[tuple[tuple[bytes, int], float]] = []
    work = [asyncio.ensure_future(each.live()) for each in found]
    work += [asyncio.ensure_future(each.follow(came)) for each in found]
    work.append(asyncio.ensure_future(change(found, rate, sent)))
    before, mine = cpu_s(server.processes()), time.process_time()
    await asyncio.sleep(seconds)
    after, ours = cpu_s(server.processes()), time.process_time()
    memory = [own_mib(each) for each in server.processes()[-_SAMPLE:]]
    for each in work:
        each.cancel()
    took = [1000 * (at - sent[change]) for change, at in came if change in sent]
    ends = statistics.quantiles(took, n=20)
    server_share, own_share = 100 * (after - before) / seconds, 100 * (ours - mine) / seconds
    print(f"server: {server_share:.0f} % of one core; this program: {own_share:.0f} %")
    print(f"{len(sent)} changes, {len(took)} times pulled: p50 {ends[9]:.0f} ms, p95 {ends[18]:.0f} ms")
    print(
        f"memory of a connection: median {statistics.median(memory):.1f} MiB; {2 * len(found)} connections", flush=True
    )


def main() -> None:
    """Run it on a server of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accounts", type=int, default=250)
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--changes", type=float, default=4)
    given = parser.parse_args()
    wanted = 2 * given.accounts * given.devices + 20
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, wanted + 200), most))
    with tempfile.TemporaryDirectory() as made, killable_server(Path(made, "server")) as server:
        with Path(made, "server", "postgresql.conf").open("a") as settings:
            settings.write(f"\nmax_connections = {wanted}\n")
        server.kill(signal.SIGQUIT)
        server.start()
        asyncio.run(measure(server, given.accounts, given.devices, given.seconds, given.changes))


if __name__ == "__main__":
    main()
