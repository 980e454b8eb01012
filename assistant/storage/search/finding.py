"""Finds the best message of each conversation: candidates from the index, judged by ``Query``."""

import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
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
_NO_TEXT = (0, "", "")
"""A row that a search leaves out."""
_Choice = Generator[int, "Found | None", "Found | None"]
"""Asks for one row after another, and returns the best message of a conversation."""


_MOST_LETTERS = 4_000_000
"""Letters of the texts that are kept."""


class Texts:
    """What searches read since anything was written. While a user types, one search needs many texts of the last one.

    Attributes:
        rows: time, text in the form that is searched, and id, by row number.
    """

    def __init__(self) -> None:
        self.rows: dict[int, tuple[int, str, str]] = {}
        self._letters = 0

    def add(self, row: int, added: int, text: str, message: str) -> None:
        """Keep a text until ``make_room``."""
        self.rows[row] = added, composed(text), message
        self._letters += len(text)

    def make_room(self) -> None:
        """Drop all texts if they have too many letters."""
        if self._letters > _MOST_LETTERS:
            self.rows.clear()
            self._letters = 0


class Found(NamedTuple):
    """A message that a query found. Comparing two compares how well they match, then their times."""

    rank: int
    added: int
    text: str
    """Its text in the form that is searched."""
    message: str
    """Id of the message."""


def best_messages(connection: sqlite3.Connection, index: Index, query: Query, texts: Texts) -> dict[str, Found]:
    """The best and then newest matching message of each conversation, by the conversation's id.

    Args:
        connection: the connection, on its thread.
        index: from ``read_index``; nothing may have been written since.
        query: what is searched.
        texts: what earlier searches read since anything was written; this one adds what it reads.
    """
    best = _best_unindexed(connection, query, index)
    slices, judge = Slices(connection, index), _Judge(connection, query, texts)
    # A conversation with a message of one rank needs none of a lower rank.
    undecided = index.parts
    for rank, runs in query.forms.items():
        bits = slices.messages_with(_clauses_of(runs)) if undecided else {}
        candidates = _among(bits, undecided) if bits else {}
        best.update(
            _chosen(judge, {each: _best_of_rank(found, rank, best.get(each)) for each, found in candidates.items()})
        )
        decided = {each for each, found in best.items() if found.rank >= rank}
        undecided = {each: parts for each, parts in undecided.items() if each not in decided}
    texts.make_room()
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

    def __init__(self, connection: sqlite3.Connection, query: Query, texts: Texts) -> None:
        self._connection = connection
        self._query = query
        self._texts = texts
        self._judged: dict[int, Found | None] = {}

    def __call__(self, rows: Iterable[int]) -> Mapping[int, Found | None]:
        """The messages with these row numbers that match, and those of earlier calls.

        Reading many rows at once takes a third of the time.
        """
        wanted = [row for row in rows if row not in self._judged]
        if unread := [row for row in wanted if row not in self._texts.rows]:
            self._read(unread)
        for row in wanted:
            added, shown, message = self._texts.rows.get(row, _NO_TEXT)
            rank = self._query.rank_composed(shown)
            self._judged[row] = Found(rank, added, shown, message) if rank else None
        return self._judged

    def _read(self, rows: Sequence[int]) -> None:
        self._texts.rows.update(dict.fromkeys(rows, _NO_TEXT))
        for found in self._connection.execute(_SOME_TEXTS, (json.dumps(rows),)):
            self._texts.add(*found)


def _chosen(judge: _Judge, choices: Mapping[str, _Choice]) -> dict[str, Found]:
    """The results of these choices by conversation. The rows that they ask for at one time are read together."""
    chosen: dict[str, Found] = {}
    answers: dict[str, Found | None] = dict.fromkeys(choices)
    while answers:
        asked: dict[str, int] = {}
        for conversation, answer in answers.items():
            try:
                asked[conversation] = choices[conversation].send(answer)
            except StopIteration as end:
                if end.value is not None:
                    chosen[conversation] = end.value
        judged = judge(asked.values())
        answers = {conversation: judged[row] for conversation, row in asked.items()}
    return chosen


def _among(bits: Mapping[int, int], every: Mapping[str, Sequence[Part]]) -> dict[str, list[_Candidates]]:
    """For each conversation its messages that are among these bits, the newest part first."""
    found: dict[str, list[_Candidates]] = {}
    for conversation, parts in every.items():
        if several := [(part, both) for part in parts if (both := part.messages & bits.get(part.block, 0))]:
            found[conversation] = several
    return found


def _best_of_rank(several: Sequence[_Candidates], rank: int, best: Found | None) -> _Choice:
    """Choose the best message of a conversation, if it has one of this rank; ``best`` is the best one known.

    No candidate has a higher rank, unless ``best`` has it too.
    """
    for part, messages in several:
        if best is not None and best[:2] > (rank, part.newest):
            break
        for row in _rows(part, messages):
            found = yield row
            if found is not None:
                best = found if best is None else max(best, found)
                if found.rank == rank and part.in_order:
                    break
    return best


def _rows(part: Part, messages: int) -> Iterator[int]:
    """Numbers of the rows, the last first."""
    first = part.block * BLOCK
    while messages:
        place = messages.bit_length() - 1
        yield first + place
        messages ^= 1 << place
