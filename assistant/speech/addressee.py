"""Whether a transcript addresses Sori by a name: at its beginning, at its end or in its middle (V-06). Pure functions.

At the beginning a name is called unless it has the particle of a subject or an object (``names.calls``). Elsewhere most
names are spoken about (어제 도치 봤어, "I met Jarvis"). Such a name is called where punctuation sets it apart, as the
recogniser does with whom somebody speaks to, or where the words before it are a whole sentence, as in Korean, whose
verb comes last.
"""

import re
from dataclasses import replace
from typing import Final

from assistant.speech.endpoint.completeness import spoken_words, text_completeness
from assistant.speech.endpoint.korean_sentence import CERTAIN, UNFINISHED
from assistant.speech.text.names.calls import Call, called, mentions, past_marks

_EDITS_SHARE: Final = 0.5
"""Share of the allowed edits elsewhere than at the beginning: a sentence has many places where a name could be."""
_MARK: Final = re.compile(r"[^\w\s]")
_COMMA: Final = re.compile(r"[,，、]")
_SENTENCE_END: Final = re.compile(r"[.!?。！？…]\W*$")
_HANGUL: Final = re.compile(r"[가-힣]")
_ITEM_WORDS: Final = 2
"""Most words of an item of an enumeration."""
_LINKS: Final = frozenset({"and", "or", "nor", "who", "which", "whose", "및", "그리고", "또는", "하고"})
"""Words behind a name that goes on with an enumeration or is explained."""
_STATES: Final = frozenset({"is", "was", "are", "were", "has", "had", "will", "can"})
_OWNERS: Final = frozenset({"my", "our", "your", "his", "her", "their", "the", "a", "an", "this", "that"})
_TELLERS: Final = frozenset({"i", "we", "you", "he", "she", "they", "it", "there"})
"""Words with which a statement begins. A request that ends with "please, Jarvis" begins otherwise."""
_GREETINGS: Final = frozenset({"hey", "헤이", "ok", "okay", "오케이"})
"""Words right before a name that begin a call wherever they stand."""
_VOCATIVE: Final = re.compile(r"(?:야|아|님|씨|여)$")


def addressed(text: str, phrase: str, *, known: bool = False) -> Call | None:
    """Find where a transcript addresses somebody by a name.

    Args:
        text: the transcript.
        phrase: the wake phrase, in Korean or English.
        known: whether an earlier transcript of the same sound has shown the call.
    """
    if (call := called(text, phrase, known=known)) is not None:
        return call
    for found in mentions(text, phrase, share=_EDITS_SHARE):
        before, after = text[: found.start], text[past_marks(text, found.end) :]
        words = spoken_words(before)
        after = after if spoken_words(after) else ""  # A draft may end with a mark that opens something.
        if words and words[-1] in _GREETINGS:
            return replace(found, opened=True)
        if not words or (after and _SENTENCE_END.search(before)):
            # What was said before the sentence that begins with the name was perhaps said to somebody else.
            if not after or _is_set_apart(text, found, words, after):
                return replace(found, opened=bool(words))
        elif _is_addressed(text, found, words, after):
            return replace(found, opened=True, keeps=True)
    return None


def _is_addressed(text: str, found: Call, words: list[str], after: str) -> bool:
    """Whether a name behind other words is called."""
    before = text[: found.start]
    language = "ko" if _HANGUL.search(words[-1]) else "en"
    complete = text_completeness(" ".join(words), language) or 0.0
    apart = bool(_MARK.search(before[-2:]))
    if not (apart and complete > UNFINISHED) and complete < CERTAIN:
        return after != "" and apart and _is_set_apart(text, found, words, after)
    if apart and complete < CERTAIN and _is_enumeration(before):
        return False
    return not after or _is_set_apart(text, found, words, after)


def _is_set_apart(text: str, found: Call, words: list[str], after: str) -> bool:
    """Whether a name between other words is set apart from those behind it, and is not explained by them."""
    ended = bool(_MARK.match(text[found.end :].lstrip()))
    first = spoken_words(after)[0]
    explained = first in _LINKS or (first in _STATES and words[:1] and words[0] in _OWNERS)
    return (ended or bool(_VOCATIVE.search(text[: found.end]))) and not explained


def _is_enumeration(before: str) -> bool:
    """Whether the name is the last one of several short items (Thor, Hulk, Jarvis)."""
    items = [spoken_words(item) for item in _COMMA.split(before)]
    items = [item for item in items if item]
    tells = len(items) > 1 and (len(items[0]) <= _ITEM_WORDS or items[0][0] in _OWNERS | _TELLERS)
    return tells and all(len(item) <= _ITEM_WORDS for item in items[1:])
