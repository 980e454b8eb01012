"""Finds the best message of each conversation: candidates from the index, judged by ``Query``."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assistant.storage.search.blocks import BLOCK, Part, slice_of
from assistant.storage.search.grams import clauses_of_run
from assistant.storage.search.index import SEARCHED, Index, Slices, unindexed
from assistant.storage.search.passages import Query, Word, composed

_SOME_TEXTS = f"""
SELECT messages.rowid, added, text, messages.id FROM json_each(?) AS wanted
CROSS JOIN messages ON messages.rowid = wanted.value
WHERE {SEARCHED}
"""  # noqa: S608 - constants of this program
_TEXTS = f"SELECT conversation, added, text, id FROM messages WHERE rowid BETWEEN ? AND ? AND {SEARCHED}"  # noqa: S608


_Candidates = tuple[Part, int]
"""Messages of one part that may match, as bits."""


class Found(NamedTuple):
    """A message that a query found. Comparing two compares how well they match, then their times."""

    rank: int
    added: int
    text: str
    """Its text in the form that is searched."""
    message: str
    """Id of the message."""


def best_messages(connection: sqlite3.Connection, index: Index, query: Query) -> dict[str, Found]:
    """The best and then newest matching message of each conversation, by the conversation's id.

    Args:
        connection: the connection, on its thread.
        index: from ``read_index``; nothing may have been written since.
        query: what is searched.
    """
    best = _best_unindexed(connection, query, index)
    slices, judge = Slices(connection, index), _Judge(connection, query)
    # A conversation with a message of one rank needs none of a lower rank.
    undecided = index.parts
    for rank, runs in query.forms.items():
        bits = slices.messages_with(_clauses_of(runs)) if undecided else {}
        candidates = _among(bits, undecided) if bits else {}
        judge.read([_last_row(*several[0]) for several in candidates.values()])
        for conversation, several in candidates.items():
            found = _best_of_rank(judge, several, rank, best.get(conversation))
            if found is not None:
                best[conversation] = found
        undecided = {each: parts for each, parts in undecided.items() if each not in best or best[each].rank < rank}
    return best


def _best_unindexed(connection: sqlite3.Connection, query: Query, index: Index) -> dict[str, Found]:
    """The best of the messages that the index lacks."""
    best: dict[str, Found] = {}
    for limits in unindexed(connection, index.blocks):
        for conversation, added, text, message in connection.execute(_TEXTS, limits):
            shown = composed(text)
            if rank := query.rank_composed(shown):
                found = Found(rank, added, shown, message)
                best[conversation] = max(found, best.get(conversation, found))
    return best


def _clauses_of(runs: Sequence[Sequence[Word]]) -> set[frozenset[int]]:
    """The clauses of all runs, as sets of slices."""
    return {frozenset(map(slice_of, clause)) for run in runs for clause in clauses_of_run(run)}


class _Judge:
    """Ranks messages of the database, each once."""

    def __init__(self, connection: sqlite3.Connection, query: Query) -> None:
        self._connection = connection
        self._query = query
        self._judged: dict[int, Found | None] = {}

    def read(self, rows: Sequence[int]) -> None:
        """Rank the messages with these row numbers. Many at once take a third of the time."""
        wanted = [row for row in rows if row not in self._judged]
        self._judged.update(dict.fromkeys(wanted))
        for row, added, text, message in self._connection.execute(_SOME_TEXTS, (json.dumps(wanted),)):
            shown = composed(text)
            if rank := self._query.rank_composed(shown):
                self._judged[row] = Found(rank, added, shown, message)

    def __call__(self, row: int) -> Found | None:
        """The message with this row number, if it matches."""
        if row not in self._judged:
            self.read([row])
        return self._judged[row]


def _among(bits: Mapping[int, int], every: Mapping[str, Sequence[Part]]) -> dict[str, list[_Candidates]]:
    """For each conversation its messages that are among these bits, the newest part first."""
    found: dict[str, list[_Candidates]] = {}
    for conversation, parts in every.items():
        if several := [(part, both) for part in parts if (both := part.messages & bits.get(part.block, 0))]:
            found[conversation] = several
    return found


def _best_of_rank(judge: _Judge, several: Sequence[_Candidates], rank: int, best: Found | None) -> Found | None:
    """The best message of a conversation, if it has one of this rank; ``best`` is the best one known.

    No candidate has a higher rank, unless ``best`` has it too.
    """
    for part, messages in several:
        if best is not None and best[:2] > (rank, part.newest):
            break
        for row in _rows(part, messages):
            found = judge(row)
            if found is not None:
                best = found if best is None else max(best, found)
                if found.rank == rank and part.in_order:
                    break
    return best


def _rows(part: Part, messages: int) -> Iterator[int]:
    """Numbers of the rows, the last first."""
    while messages:
        yield (row := _last_row(part, messages))
        messages ^= 1 << row - part.block * BLOCK


def _last_row(part: Part, messages: int) -> int:
    return part.block * BLOCK + messages.bit_length() - 1
