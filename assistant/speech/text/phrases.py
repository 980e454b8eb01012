"""Ends of phrases, where a sentence may be cut if the listener would otherwise wait (V-13)."""

import re
from typing import Final

KOREAN_END: Final = re.compile(r"(?<=[은는서면고데만엔지터에로]) ")
"""The space after a topic, a place, a time or a connective."""
_ENGLISH_WORDS: Final = "and|but|because|so|which|while|that|with|for|in|on|at|to|from|is|are|will"
ENGLISH_BEGIN: Final = re.compile(rf" (?=(?:{_ENGLISH_WORDS})\b)")
"""The space before a word that begins an English phrase."""
_WORD: Final = re.compile(r"[A-Za-z]*")


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
        return True
    word = _WORD.match(text, space + 1)
    if word is not None and word.end() == len(text) and not final:
        return None
    return ENGLISH_BEGIN.match(text, space) is not None
