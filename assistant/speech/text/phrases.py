"""Ends of phrases, where a sentence may be cut if the listener would otherwise wait (V-13)."""

import re
from typing import Final

KOREAN_END: Final = re.compile(r"(?<=[은는서면고데만엔지터에로]) ")
"""The space after a topic, a place, a time or a connective."""
_BOUND: Final = re.compile(
    "(?<=고) [있싶계말나]|(?<=지) [않마말못]|(?<=[도면]) [되됩돼됐된될괜좋안상]"
    "|(?:(?<=려고)|(?<=도록)|(?<=거나)) [하합해했할한]"
)
"""The space within a verb of several words: 내리고 있습니다, 내리지 않습니다, 클릭하면 됩니다, 보도록 하겠습니다."""
_BINDING: Final = frozenset("고지도면록나")
"""Last syllables of the first word of such a verb."""
_ENGLISH_WORDS: Final = "and|but|because|so|which|while|that|with|for|in|on|at|to|from|is|are|will"
ENGLISH_BEGIN: Final = re.compile(rf" (?=(?:{_ENGLISH_WORDS})\b)")
"""The space before a word that begins an English phrase."""
_WORD: Final = re.compile(r"[A-Za-z]*")


def is_within_verb(text: str, space: int, *, final: bool) -> bool | None:
    """Whether a space of a Korean text divides a verb of several words, which is said without a pause.

    Args:
        text: the text so far.
        space: index of the space.
        final: whether no more text follows.

    Returns:
        ``None`` if it depends on text that is not there yet.
    """
    if text[space - 1 : space] not in _BINDING:
        return False
    if space + 1 == len(text) and not final:
        return None
    return _BOUND.match(text, space) is not None


def ends_phrase(text: str, space: int, *, final: bool) -> bool | None:
    """Whether a phrase ends at a space of a text.

    Args:
        text: the text so far.
        space: index of the space.
        final: whether no more text follows.

    Returns:
        ``None`` if it depends on text that is not there yet.
    """
    if KOREAN_END.match(text, space):
        within = is_within_verb(text, space, final=final)
        return None if within is None else not within
    word = _WORD.match(text, space + 1)
    if word is not None and word.end() == len(text) and not final:
        return None
    return ENGLISH_BEGIN.match(text, space) is not None
