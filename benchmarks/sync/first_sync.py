"""How long the first sync of a long history takes, and how long a change takes to come to another device.

    python -m benchmarks.sync.first_sync [--messages 100000] [--changes 50]

One home sends its messages to a PostgreSQL server on this machine, another takes them over. Then single messages go
from the one to the other, each in a round of its own. The baseline writes the same texts into the server's table as
they are, a row a statement and a commit for 200 of them, as the rounds do.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from assistant.core.messages import Message, Role
from assistant.storage.identities import new_id
from assistant.storage.rows import MESSAGES, Rows, write_rows
from assistant.sync.postgres.postgres_store import PostgresStore, connected, found_account, make_tables
from tests.contract.postgres import postgres_server
from tests.fakes.ledger import MemoryLedger
from tests.fakes.sync.account import Home

_TEXT = "오늘 회의에서 정한 것을 정리해 줘. 다음 주까지 할 일과 맡은 사람도 함께. " * 4
_EMPTY = {
    "reasoning": "",
    "error": "",
    "provider": "",
    "model": "",
    "tool_uses": "[]",
    "tool_use_id": "",
    "usage": "{}",
}


@contextmanager
def timed(what: str, count: int) -> Iterator[None]:
    """Print how long something takes."""
    began = time.perf_counter()
    yield
    took_s = time.perf_counter() - began
    print(f"{what}: {took_s:.1f} s, {count / took_s:.0f} messages a second", flush=True)


async def fill(home: Home, count: int) -> str:
    """Make a conversation with many messages."""
    conversation = await home.conversations.create()
    common = {"conversation": conversation, "origin": "text", "role": "user", "completion": "complete", **_EMPTY}

    def work(rows: Rows) -> None:
        for number in range(count):
            made = {"created_at": "2026-11-26T12:00:00+09:00", "text": f"{number} {_TEXT}"}
            rows.add(MESSAGES, {"id": new_id(), **common, **made})

    await write_rows(home.database, home.clock, work)
    return conversation


def write_plainly(address: str, count: int) -> None:
    """The baseline."""
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE plain (id int PRIMARY KEY, text text)")
        for number in range(count):
            connection.execute("INSERT INTO plain VALUES (%s, %s)", (number, f"{number} {_TEXT}"))
            if number % 200 == 0:
                connection.commit()


async def measure(folder: Path, address: str, messages: int, changes: int) -> None:
    """Print the figures."""
    server = connected(address, "", MemoryLedger())
    await make_tables(server)
    member = await found_account(server, "four words are good", "laptop", bytes(16))
    stores = [PostgresStore(connected(address, "", MemoryLedger()), server, member) for _ in range(2)]
    laptop, desktop = [
        await Home.open(folder / str(number), store, keys=member.keys) for number, store in enumerate(stores)
    ]
    conversation = await fill(laptop, messages)
    with timed("sent", messages):
        await laptop.sync()
    with timed("taken over", messages):
        await desktop.sync()
    with timed("baseline, written plainly", messages):
        await asyncio.to_thread(write_plainly, address, messages)
    took = []
    for number in range(changes):
        began = time.perf_counter()
        await laptop.conversations.add(conversation, Message(role=Role.USER, text=f"새 말 {number}"))
        await laptop.sync()
        await desktop.sync()
        took.append(1000 * (time.perf_counter() - began))
    print(f"one message there: median {statistics.median(took):.0f} ms, longest {max(took):.0f} ms")
    for home in (laptop, desktop):
        await home.database.close()


def main() -> None:
    """Run it on a server of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, postgres_server(Path(made, "server")) as address:
        asyncio.run(measure(Path(made), address, given.messages, given.changes))


if __name__ == "__main__":
    main()
