"""Finds the best message of each conversation: candidates from the index, judged by ``Query``."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assistant.storage.search.blocks import BLOCK, BlockPart, slice_of
from assistant.storage.search.grams import clauses_of_run
from assistant.storage.search.index import SEARCHED, Index, Slices, unindexed
from assistant.storage.search.known import KnownMessages, Text
from assistant.storage.search.passages import Query, Word

_SOME_TEXTS = f"""
SELECT messages.rowid, added, text, messages.id, conversation FROM json_each(?) AS wanted
CROSS JOIN messages ON messages.rowid = wanted.value
WHERE {SEARCHED}
"""  # noqa: S608 - constants of this program
_UNINDEXED = "SELECT rowid FROM messages WHERE rowid BETWEEN ? AND ?"


_Candidates = tuple[BlockPart, int]
"""Messages of one part that may match, as bits."""


class FoundMessage(NamedTuple):
    """A message that a query found. Comparing two compares how well they match, then their times."""

    rank: int
    added: int
    text: str
    """Its text in the form that is searched."""
    message: str
    """Id of the message."""


def best_messages(
    connection: sqlite3.Connection, index: Index, query: Query, texts: KnownMessages
) -> dict[str, FoundMessage]:
    """The best and then newest matching message of each conversation, by the conversation's id.

    Args:
        connection: the connection, on its thread.
        index: from ``IndexReader``; nothing may have been written since.
        query: what is searched.
        texts: what earlier searches read since anything was written; this one adds what it reads.
    """
    slices, judge = Slices(connection, index), _Judge(connection, query, texts)
    best = _best_unindexed(connection, judge, index)
    # A conversation with a message of one rank needs none of a lower rank.
    undecided = index.parts
    for rank, runs in query.forms.items():
        bits = slices.messages_with(_clauses_of(runs)) if undecided else {}
        candidates = _among(bits, undecided) if bits else {}
        _improve(best, rank, candidates, judge)
        decided = {each for each, found in best.items() if found.rank >= rank}
        undecided = {each: parts for each, parts in undecided.items() if each not in decided}
    texts.make_room()
    return best


def _best_unindexed(connection: sqlite3.Connection, judge: "_Judge", index: Index) -> dict[str, FoundMessage]:
    """The best of the messages that the index lacks."""
    best: dict[str, FoundMessage] = {}
    for limits in unindexed(connection, index.blocks):
        for conversation, found in judge.several([row for (row,) in connection.execute(_UNINDEXED, limits)]):
            best[conversation] = max(found, best.get(conversation, found))
    return best


def _clauses_of(runs: Sequence[Sequence[Word]]) -> set[frozenset[int]]:
    """The clauses of all runs, as sets of slices."""
    return {frozenset(map(slice_of, clause)) for run in runs for clause in clauses_of_run(run)}


class _Judge:
    """Ranks messages of the database, each once."""

    def __init__(self, connection: sqlite3.Connection, query: Query, texts: KnownMessages) -> None:
        self._connection = connection
        self._query = query
        self._texts = texts
        self._judged: dict[int, FoundMessage | None] = {}

    def __call__(self, rows: Iterable[int]) -> Mapping[int, FoundMessage | None]:
        """The messages with these row numbers that match, and those of earlier calls.

        Reading many rows at once takes a third of the time.
        """
        judged = self._judged
        wanted = [row for row in rows if row not in judged]
        texts, rank_of = self._read(wanted), self._query.rank_composed
        for row in wanted:
            if text := texts[row]:
                added, shown, message, _ = text
                judged[row] = FoundMessage(rank, added, shown, message) if (rank := rank_of(shown)) else None
            else:
                judged[row] = None
        return judged

    def several(self, rows: Sequence[int]) -> Iterator[tuple[str, FoundMessage]]:
        """The messages with these row numbers that match, each after its conversation."""
        judged, texts = self(rows), self._texts.rows
        for row in rows:
            found, text = judged[row], texts[row]
            if found and text:
                yield text[3], found

    def _read(self, rows: Iterable[int]) -> Mapping[int, Text | None]:
        texts = self._texts
        if unread := [row for row in rows if row not in texts.rows]:
            texts.add(unread, self._connection.execute(_SOME_TEXTS, (json.dumps(unread),)))
        return texts.rows


def _among(bits: Mapping[int, int], every: Mapping[str, Sequence[BlockPart]]) -> dict[str, list[_Candidates]]:
    """For each conversation its messages that are among these bits, the newest part first."""
    found: dict[str, list[_Candidates]] = {}
    for conversation, parts in every.items():
        if several := [(part, both) for part in parts if (both := part.messages & bits.get(part.block, 0))]:
            found[conversation] = several
    return found


def _improve(
    best: dict[str, FoundMessage], rank: int, candidates: Mapping[str, Sequence[_Candidates]], judge: _Judge
) -> None:
    """Write the best message of each conversation into ``best``, if it has one of this rank.

    No candidate has a higher rank, unless the best one that is known has it too. The rows that the conversations need
    next are read together.
    """
    # For each conversation its parts, the place among them, and the messages of that part that were not judged yet.
    waiting = [
        (each, parts, 0, parts[0][1])
        for each, parts in candidates.items()
        if not _is_better(best.get(each), rank, parts[0][0])
    ]
    while waiting:
        rows = [parts[at][0].block * BLOCK + bits.bit_length() - 1 for _, parts, at, bits in waiting]
        judged, asked, waiting = judge(rows), waiting, []
        for row, (each, parts, at, bits) in zip(rows, asked, strict=True):
            part, found, known = parts[at][0], judged[row], best.get(each)
            if found is not None and (known is None or found > known):
                best[each] = known = found
            # The rows of a part are judged from the last one, which usually is the newest.
            done = found is not None and found.rank == rank and part.in_order
            left = 0 if done else bits ^ (1 << row % BLOCK)
            if left:
                waiting.append((each, parts, at, left))
            elif at + 1 < len(parts) and not _is_better(known, rank, parts[at + 1][0]):
                waiting.append((each, parts, at + 1, parts[at + 1][1]))


def _is_better(known: FoundMessage | None, rank: int, part: BlockPart) -> bool:
    """Whether this message comes before every message of this rank in the part, and in all older parts."""
    return known is not None and known[:2] > (rank, part.newest)
