"""Finds the conversation that the user names by the beginning of its id."""

from collections.abc import Sequence
from itertools import pairwise

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.conversations import ConversationEntry

_SHORTEST = 8
"""Characters of the shortest id that is shown."""


def chosen(entries: Sequence[ConversationEntry], prefix: str) -> ConversationEntry:
    """The only entry whose id begins with ``prefix``, regardless of case.

    Raises:
        SoriError: there is no such entry, or more than one.
    """
    wanted = prefix.casefold()
    found = [entry for entry in entries if wanted and entry.id.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    key = "conversation_ambiguous" if found else "conversation_unknown"
    raise SoriError(
        ErrorCode.INVALID_REQUEST,
        f"{len(found)} conversations have an id that begins with {prefix!r}; sori conversations list shows the ids",
        message_key=key,
        values={"id": prefix, "count": str(len(found))},
    )


def shown_length(ids: Sequence[str]) -> int:
    """How many characters of the ids distinguish all of them; at least 8."""
    return max(_SHORTEST, *(_shared(*pair) + 1 for pair in pairwise(sorted(ids))), 0)


def _shared(first: str, second: str) -> int:
    """How many characters two ids have in common at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(first), len(second)))
