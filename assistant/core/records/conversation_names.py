"""Finds the conversation that the user names by the beginning of its id or by its title."""

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.conversations import ConversationEntry

_SHORTEST = 8
"""Characters of the shortest id that is shown."""
_MOST_NEAR = 5
_LIKENESS = 0.4
"""From 0 to 1; Korean titles are short, so a little in common is much."""


def chosen(entries: Sequence[ConversationEntry], prefix: str) -> ConversationEntry:
    """The only entry whose id begins with ``prefix``, else the only one with this title, regardless of case.

    Raises:
        SoriError: there is no such entry, or more than one.
    """
    wanted = prefix.casefold()
    found = [entry for entry in entries if wanted and entry.id.startswith(wanted)]
    found = found or [entry for entry in entries if wanted and entry.title.casefold() == wanted]
    if len(found) == 1:
        return found[0]
    key = "conversation_ambiguous" if found else "conversation_unknown"
    raise SoriError(
        ErrorCode.INVALID_REQUEST,
        f"{len(found)} conversations have an id that begins with {prefix!r}; sori conversations list shows the ids",
        message_key=key,
        values={"id": prefix, "count": str(len(found))},
    )


def named(entries: Sequence[ConversationEntry], words: str) -> ConversationEntry:
    """The conversation with this title, else the only one whose title contains the words or whose id begins with them.

    Of several with the same title, the first one counts.

    Raises:
        SoriError: there is no such conversation, or more than one; the message names the near ones.
    """
    wanted = " ".join(words.split()).casefold()
    titled = [each for each in entries if wanted and each.title.casefold() == wanted]
    found = titled[:1] or [each for each in entries if wanted and _fits(each, wanted)]
    if len(found) == 1:
        return found[0]
    length = shown_length([each.id for each in entries])
    near = (found or _similar(entries, wanted) or entries)[:_MOST_NEAR]
    raise SoriError(
        ErrorCode.INVALID_REQUEST,
        f"{len(found)} conversations are named {words!r}",
        message_key="conversation_names_several" if found else "conversation_unnamed",
        values={"name": words, "near": ", ".join(f"{each.id[:length]} {each.title}".strip() for each in near) or "–"},
    )


def _fits(entry: ConversationEntry, wanted: str) -> bool:
    return wanted in entry.title.casefold() or entry.id.startswith(wanted)


def _similar(entries: Sequence[ConversationEntry], wanted: str) -> list[ConversationEntry]:
    by_title = {each.title.casefold(): each for each in reversed(entries)}
    return [by_title[title] for title in get_close_matches(wanted, by_title, _MOST_NEAR, _LIKENESS)]


def shown_length(ids: Sequence[str]) -> int:
    """How many characters of the ids distinguish all of them; at least 8."""
    return max(_SHORTEST, *(_shared(*pair) + 1 for pair in pairwise(sorted(ids))), 0)


def _shared(first: str, second: str) -> int:
    """How many characters two ids have in common at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(first), len(second)))
