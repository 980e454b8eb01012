"""Whether what is said next goes on with what was said a moment ago: two halves of one request, or two thoughts."""

import re
from enum import StrEnum
from typing import Final

from assistant.speech.endpoint.completeness import spoken_words, text_completeness
from assistant.speech.endpoint.english_sentence import begins_sentence
from assistant.speech.endpoint.policy import WORDS_CERTAIN, WORDS_FINISHED
from assistant.speech.text.vocabulary import words

_JOINING: Final = words(
    """그리고 그런데 근데 하지만 그래서 또 또는 아니면 혹은 하고 랑 이랑 왜냐하면 특히 그다음에 and or but because so
    with without for to in on at from of by until till before after when while if unless that which who than as plus
    also too then"""
)
"""Words with which a second half begins, whatever the first half looked like."""


_MIDDLE_MARK: Final = re.compile(r"[.?!。？！]\s+\S")


class Relation(StrEnum):
    """What two utterances are to each other that one person said shortly after one another."""

    HALVES = "halves"
    APART = "apart"
    UNCLEAR = "unclear"
    """Their words leave it open; the sound of both together may tell (``one_sentence``)."""


def relation(before: str, after: str, language: str) -> Relation:
    """What ``after`` is to ``before``, by the words of each.

    Args:
        before: what was taken for a whole utterance.
        after: what the same person said next.
        language: ``ko`` or ``en``.
    """
    completeness = text_completeness(before, language)
    if completeness is None or completeness < WORDS_FINISHED:
        return Relation.HALVES
    said = spoken_words(after)
    if not said or said[0] in _JOINING:
        return Relation.HALVES
    # A Korean final ending has closed the sentence; English that could be whole may have been half of one.
    if completeness >= WORDS_CERTAIN:
        return Relation.APART
    return Relation.UNCLEAR if begins_sentence(said) else Relation.HALVES


def one_sentence(text: str) -> bool:
    """Whether the recogniser has read both halves as a single sentence."""
    return bool(text) and _MIDDLE_MARK.search(text) is None


def joined_text(before: str, after: str) -> str:
    """The words of both halves, without the mark that ended the first."""
    return f"{before.rstrip(' .,!?…。！？')} {after}"
