"""The index of one block: messages whose row numbers follow one another.

Each gram falls into one of ``SLICES`` slices by its checksum. A slice of a block holds one bit for each message of the
block: whether the message has a gram of this slice. A query is answered by the bitwise AND of a few slices. Several
grams share a slice, so the result contains all messages that match, and a few others.
"""

import json
import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from assistant.storage.search.grams import grams_of_text

BLOCK = 1024
"""Messages of a block."""
SLICES = 8192
_BITMAP_BYTES = BLOCK // 8
_PLACE_BYTES = 2
_BITS = tuple(1 << place for place in range(BLOCK))
_MOST_KNOWN = 1 << 17


class BlockPart(NamedTuple):
    """The messages of one conversation in one block."""

    block: int
    """Number of the block."""
    messages: int
    """One bit for each message."""
    newest: int
    """Greatest time of the messages."""
    in_order: bool
    """Whether a later row always has a later time."""


@dataclass(frozen=True, slots=True)
class SearchedMessage:
    """A message that is searched: its place in the block, from 0, its conversation, time and text."""

    place: int
    conversation: str
    added: int
    text: str


def slice_of(gram: str) -> int:
    """The slice of a gram. Never change it: the numbers are stored."""
    return zlib.crc32(gram.encode()) % SLICES


class _Known(dict[str, int]):
    """Slices of the grams that occurred lately."""

    def __missing__(self, gram: str) -> int:
        if len(self) == _MOST_KNOWN:
            self.clear()
        self[gram] = number = slice_of(gram)
        return number


_KNOWN = _Known()


def slices_of_rows(rows: Iterable[SearchedMessage]) -> dict[int, bytes]:
    """The stored form of each slice that has a message. ``rows`` are in ascending order of their places."""
    places = defaultdict[int, list[int]](list)
    for row in rows:
        for number in set(map(_KNOWN.__getitem__, grams_of_text(row.text))):
            places[number].append(row.place)
    return {number: _stored(found) for number, found in places.items()}


def _stored(places: Sequence[int]) -> bytes:
    """A short list of places as it is, a long one as a bitmap; their lengths differ."""
    if len(places) * _PLACE_BYTES < _BITMAP_BYTES:
        return struct.pack(f"<{len(places)}H", *places)
    return sum(_BITS[place] for place in places).to_bytes(_BITMAP_BYTES, "little")


def bits_of(stored: bytes) -> int:
    """The bits of a slice, from its stored form."""
    if len(stored) == _BITMAP_BYTES:
        return int.from_bytes(stored, "little")
    bits = 0
    for place in struct.unpack(f"<{len(stored) // _PLACE_BYTES}H", stored):
        bits |= _BITS[place]
    return bits


def parts_of_rows(rows: Sequence[SearchedMessage]) -> str:
    """The stored form of the block's parts, by conversation."""
    members = defaultdict[str, list[SearchedMessage]](list)
    for row in rows:
        members[row.conversation].append(row)
    return json.dumps({conversation: _part(found) for conversation, found in members.items()})


def _part(rows: Sequence[SearchedMessage]) -> tuple[str, int, bool]:
    times = [row.added for row in rows]
    in_order = all(before < after for before, after in pairwise(times))
    return f"{sum(_BITS[row.place] for row in rows):x}", max(times), in_order


def parts_of(block: int, stored: str) -> dict[str, BlockPart]:
    """The parts of a block by conversation, from their stored form."""
    known: Mapping[str, Any] = json.loads(stored)
    return {
        conversation: BlockPart(block, int(messages, 16), newest, in_order)
        for conversation, (messages, newest, in_order) in known.items()
    }
