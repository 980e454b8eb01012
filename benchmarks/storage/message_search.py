"""Searching all conversations, compared with a LIKE scan of the same file.

Each query of a list is asked several times, as by a user who types. Then come queries of two words that were not
asked before, once each, and the same kind after a message was written. LIKE finds plain words only. The two alternate
in one process, so that other load affects both equally. Processor time, which excludes other programs, is printed
beside the time that passed.

    python -m benchmarks.storage.message_search [--messages 100000] [--rounds 5]
"""

import argparse
import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import permutations
from pathlib import Path

from assistant.core.messages import Message, Role
from assistant.host.clock import SystemClock
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.stored_message import StoredMessage

AIM_S = 0.05
_IN_A_CONVERSATION = 50
_QUERIES = ("강릉에서", "강르", "ㄱㄹ", "불닭 볶음면", "단풍놀이 강릉", "python", "없는말이야")
_WORDS = (
    "강릉은 바다가 좋아서 주말에 친구와 다녀왔어 단풍놀이 불닭볶음면 저녁은 무엇을 먹을까 내일 날씨가 어때 "
    "회의 시간을 옮겨 줘 Python code for sorting a list of weather reports 여행 계획을 세워 보자"
)
_NEW = 20
"""Queries that were not asked before, and as many that follow a write."""
_LIKE = "SELECT DISTINCT conversation FROM messages WHERE role != 'tool' AND superseded = 0 AND text LIKE ?"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the 95th percentile of a search is above the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder), chosen.messages, chosen.rounds))


async def _measure(folder: Path, messages: int, rounds: int) -> int:
    clock = SystemClock()
    database = await Database.open(folder / "sori.db", clock)
    try:
        store = ConversationStore(database, clock)
        await _fill(store, messages)
        conversations = ConversationList(database, clock)
        before_bytes = await _size(database)
        begun = time.perf_counter()
        blocks = await conversations.index(pause_s=0)
        taken = time.perf_counter() - begun
        grown = (await _size(database) - before_bytes) / 1e6
        print(f"{blocks} blocks indexed in {taken:.0f} s: {grown:.0f} MB beside {before_bytes / 1e6:.0f} MB")
        print(f"{messages:,} messages, {rounds} rounds; p50 in ms")
        repeated = [
            times for query in _QUERIES for times in await _compare(database, conversations, query, [query] * rounds)
        ]
        pairs = list(permutations(sorted(set(_WORDS.split())), 2))
        queries = [" ".join(pair) for pair in random.Random(8).sample(pairs, 2 * _NEW)]  # noqa: S311 - as in _fill
        new = await _compare(database, conversations, "new queries", queries[:_NEW])
        written = [
            times for query in queries[_NEW:] for times in await _after_write(store, database, conversations, query)
        ]
    finally:
        await database.close()
    groups = (("repeated queries", repeated), ("new queries", new), ("after a write", written))
    return max([_report(name, times) for name, times in groups])


async def _after_write(
    store: ConversationStore, database: Database, conversations: ConversationList, query: str
) -> list[tuple[float, float]]:
    conversation = await store.create()
    await store.add(conversation, Message(role=Role.USER, text=query))
    return await _compare(database, conversations, f"after a write: {query}", [query])


def _report(name: str, times: Sequence[tuple[float, float]]) -> int:
    """Print the 95th percentiles of searches; returns 1 if the passed time is above the aim."""
    p95, processor = _p95([wall for wall, _ in times]), _p95([processor for _, processor in times])
    print(f"p95, {name}: {p95 * 1000:.0f} ms (aim: {AIM_S * 1000:.0f} ms), processor {processor * 1000:.0f} ms")
    return int(p95 > AIM_S)


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) * 95 // 100, len(times) - 1)]


async def _size(database: Database) -> int:
    """Bytes of the database's file."""
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    return await database.read(lambda connection: int(connection.execute(query).fetchone()[0]))


async def _fill(store: ConversationStore, messages: int) -> None:
    chance = random.Random(7)  # noqa: S311 - it only has to be the same each time
    words = _WORDS.split()
    now = datetime.now(UTC).isoformat()
    for first in range(0, messages, _IN_A_CONVERSATION):
        conversation = await store.create()
        rows = [
            StoredMessage(
                id=f"{first + number:032x}",
                conversation=conversation,
                role=Role.USER if number % 2 == 0 else Role.ASSISTANT,
                text=" ".join(chance.choices(words, k=chance.randint(3, 40))),
                created_at=now,
            )
            for number in range(min(_IN_A_CONVERSATION, messages - first))
        ]
        await store.save(rows, durable=False)


async def _compare(
    database: Database, conversations: ConversationList, name: str, queries: Sequence[str]
) -> list[tuple[float, float]]:
    """Print both medians of queries; returns the times of the searches in seconds, passed and of the processor."""

    def scan(query: str, connection: sqlite3.Connection) -> int:
        return len(connection.execute(_LIKE, (f"%{query}%",)).fetchall())

    searches, scans, found = list[tuple[float, float]](), list[float](), 0
    for query in queries:
        begun = time.perf_counter()
        await database.read(partial(scan, query))
        between, processor = time.perf_counter(), time.process_time()
        found = len(await conversations.entries(query))
        scans.append(between - begun)
        searches.append((time.perf_counter() - between, time.process_time() - processor))
    search, plain = statistics.median(wall for wall, _ in searches), statistics.median(scans)
    print(f"{name}: search {search * 1000:.0f}, LIKE {plain * 1000:.0f}, ratio {search / plain:.1f}, found {found}")
    return searches


if __name__ == "__main__":
    raise SystemExit(main())
