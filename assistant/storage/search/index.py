"""The index of messages in the database: which blocks it has, reading its slices, making the blocks that it lacks.

Blocks are made some time after their messages were written, so writing a message costs nothing. Messages outside the
index are searched without it. Triggers of the database mark a block as stale in the transaction that changes or deletes
one of its texts; a stale block is not used. So a search never misses a stored message.
"""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.core.clock import Clock
from assistant.storage.database import Database
from assistant.storage.search.blocks import (
    BLOCK,
    SLICES,
    BlockPart,
    SearchedMessage,
    bits_of,
    parts_of,
    parts_of_rows,
    slices_of_rows,
)

SEARCHED = "role != 'tool' AND superseded = 0 AND text != ''"
"""The condition of the messages that a search looks at."""
_MOST_CLAUSES = 40
"""Clauses of a form of a query that are looked up. More would cost more than they exclude."""
PAUSE_S = 0.5
"""Between two blocks, so that other work on the database and the processor goes on."""

# The anchor is the last message of a block. VACUUM may number rows anew; then another message stands there, or none.
_BLOCKS = """
SELECT block, parts FROM search_blocks JOIN messages ON messages.rowid = search_blocks.anchor
WHERE stale = 0 AND messages.id = search_blocks.anchor_id
"""
_LAST = "SELECT COALESCE(MAX(rowid), 0) FROM messages"
_SLICE = "SELECT block, bits FROM search_slices WHERE slice = ?"
# Superseded messages are indexed, because a message may be superseded later, and are left out by the search.
_ROWS = """
SELECT rowid, conversation, added, text FROM messages
WHERE rowid BETWEEN ? AND ? AND role != 'tool' AND text != '' ORDER BY rowid
"""
_STATE = "SELECT COUNT(*), SUM(revision), MAX(rowid) FROM messages WHERE rowid BETWEEN ? AND ?"
_ANY = "SELECT 1 FROM messages WHERE rowid BETWEEN ? AND ? LIMIT 1"
_ANCHOR = "SELECT id FROM messages WHERE rowid = ?"
_STALE = "SELECT block FROM search_blocks WHERE stale = 1"

State = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Index:
    """What the index knows at the time of a search.

    Attributes:
        blocks: numbers of the blocks that it has.
        parts: the parts of each conversation, by its id, the newest first.
    """

    blocks: frozenset[int]
    parts: dict[str, list[BlockPart]]


class IndexReader:
    """Reads the index again and again. A block that has not changed is not parsed again."""

    def __init__(self) -> None:
        self._parsed: dict[int, tuple[str, dict[str, BlockPart]]] = {}

    def index(self, connection: sqlite3.Connection) -> Index:
        """Which blocks the index has now, and which messages are in them."""
        parsed: dict[int, tuple[str, dict[str, BlockPart]]] = {}
        for block, stored in connection.execute(_BLOCKS):
            known = self._parsed.get(block)
            parsed[block] = known if known and known[0] == stored else (stored, parts_of(block, stored))
        self._parsed = parsed
        return Index(frozenset(parsed), _by_conversation(parts for _, parts in parsed.values()))


def _by_conversation(blocks: Iterable[Mapping[str, BlockPart]]) -> dict[str, list[BlockPart]]:
    """The parts of each conversation, the newest first."""
    parts = defaultdict[str, list[BlockPart]](list)
    for block in blocks:
        for conversation, part in block.items():
            parts[conversation].append(part)
    for several in parts.values():
        if len(several) > 1:
            several.sort(key=lambda part: -part.newest)
    return dict(parts)


def unindexed(connection: sqlite3.Connection, blocks: Iterable[int]) -> list[tuple[int, int]]:
    """First and last row number of each range that none of these blocks covers."""
    (last,) = connection.execute(_LAST).fetchone()
    edges = [-1, *sorted(blocks), last // BLOCK + 1]
    return [((before + 1) * BLOCK, after * BLOCK - 1) for before, after in pairwise(edges) if before + 1 < after]


class Slices:
    """Reads slices during one search, each once.

    Args:
        connection: the connection, on its thread.
        index: the blocks that count.
    """

    def __init__(self, connection: sqlite3.Connection, index: Index) -> None:
        self._connection = connection
        self._blocks = index.blocks
        self._read: dict[int, dict[int, int]] = {}

    def messages_with(self, clauses: Iterable[frozenset[int]]) -> dict[int, int]:
        """The messages that are in a slice of each clause, as bits, by block. Without clauses every message."""
        every = (1 << BLOCK) - 1
        found = dict.fromkeys(self._blocks, every)
        for clause in _some(sorted(clauses, key=sorted)):
            found = self._narrowed(found, [self._bits(number) for number in clause])
            if not found:
                break
        return found

    @staticmethod
    def _narrowed(found: dict[int, int], slices: Sequence[dict[int, int]]) -> dict[int, int]:
        union, *others = slices
        if others:
            union = dict.fromkeys(found, 0)
            for each in slices:
                for block in found:
                    union[block] |= each.get(block, 0)
        return {block: both for block, known in found.items() if (both := known & union.get(block, 0))}

    def _bits(self, number: int) -> dict[int, int]:
        bits = self._read.get(number)
        if bits is None:
            bits = {block: bits_of(stored) for block, stored in self._connection.execute(_SLICE, (number,))}
            self._read[number] = bits
        return bits


def _some(clauses: Sequence[frozenset[int]]) -> Sequence[frozenset[int]]:
    """At most ``_MOST_CLAUSES`` of the clauses, evenly spread."""
    return clauses[:: -(-len(clauses) // _MOST_CLAUSES)] if clauses else clauses


async def catch_up(database: Database, clock: Clock, *, most: int = -1, pause_s: float = PAUSE_S) -> int:
    """Make the blocks that the index lacks, the newest first. A block is one transaction, so this may end at any time.

    Args:
        database: the open database.
        clock: for the pauses between blocks.
        most: how many blocks to make; -1 for all.
        pause_s: seconds to wait after each block.

    Returns:
        How many were made.

    Raises:
        StorageError: the database cannot be read or written.
    """
    missing = await database.read(_missing)
    made = 0
    for block in missing if most < 0 else missing[:most]:
        state, rows = await database.read(_reading(block))
        slices = await asyncio.to_thread(slices_of_rows, rows)
        # The text can be read again from the messages, so a power cut may lose the block.
        if await database.write(_writing(block, state, rows, slices), durable=False):
            made += 1
        await clock.sleep(pause_s)
    return made


def forget_stale(connection: sqlite3.Connection) -> None:
    """Remove stale blocks. They may hold traces of deleted text. Call it in a transaction."""
    for (block,) in connection.execute(_STALE).fetchall():
        _forget(connection, block)


def _forget(connection: sqlite3.Connection, block: int) -> None:
    connection.execute("DELETE FROM search_blocks WHERE block = ?", (block,))
    # The key begins with the slice: without naming the slices, every row of the table would be read.
    connection.executemany(
        "DELETE FROM search_slices WHERE slice = ? AND block = ?", ((number, block) for number in range(SLICES))
    )


def _missing(connection: sqlite3.Connection) -> list[int]:
    """Numbers of the complete blocks that the index lacks, the newest first."""
    (last,) = connection.execute(_LAST).fetchone()
    have = {block for (block, _) in connection.execute(_BLOCKS)}
    complete = (block for block in reversed(range((last + 1) // BLOCK)) if block not in have)
    # All messages of a block may have been deleted.
    return [block for block in complete if connection.execute(_ANY, _limits(block)).fetchone()]


def _reading(block: int) -> Callable[[sqlite3.Connection], tuple[State, list[SearchedMessage]]]:
    limits = _limits(block)

    def work(connection: sqlite3.Connection) -> tuple[State, list[SearchedMessage]]:
        state: State = connection.execute(_STATE, limits).fetchone()
        found = connection.execute(_ROWS, limits)
        return state, [
            SearchedMessage(number - limits[0], conversation, added, text)
            for number, conversation, added, text in found
        ]

    return work


def _writing(
    block: int, state: State, rows: Sequence[SearchedMessage], slices: dict[int, bytes]
) -> Callable[[sqlite3.Connection], bool]:
    """Writes a block, unless its messages have changed since they were read."""
    limits = _limits(block)

    def work(connection: sqlite3.Connection) -> bool:
        if connection.execute(_STATE, limits).fetchone() != state:
            return False
        if connection.execute("SELECT 1 FROM search_blocks WHERE block = ?", (block,)).fetchone():
            _forget(connection, block)
        (anchor_id,) = connection.execute(_ANCHOR, (state[2],)).fetchone()
        values = (block, state[2], anchor_id, parts_of_rows(rows))
        connection.execute("INSERT INTO search_blocks (block, anchor, anchor_id, parts) VALUES (?, ?, ?, ?)", values)
        stored = ((number, block, bits) for number, bits in sorted(slices.items()))
        connection.executemany("INSERT INTO search_slices (slice, block, bits) VALUES (?, ?, ?)", stored)
        return True

    return work


def _limits(block: int) -> tuple[int, int]:
    """First and last row number of a block."""
    return block * BLOCK, (block + 1) * BLOCK - 1
