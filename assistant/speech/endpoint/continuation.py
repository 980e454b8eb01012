"""Whether an utterance continues the one before it (two halves of one request) or is a request of its own."""

import re
from enum import StrEnum
from typing import Final

from assistant.speech.endpoint.completeness import spoken_words, text_completeness
from assistant.speech.endpoint.english_sentence import begins_sentence
from assistant.speech.endpoint.policy import WORDS_CERTAIN, WORDS_FINISHED, WORDS_UNFINISHED
from assistant.speech.text.stops import ends_sentence
from assistant.speech.text.vocabulary import words

_JOINING: Final = words(
    """그리고 그런데 근데 하지만 그래서 또 또는 아니면 혹은 하고 랑 이랑 왜냐하면 특히 그다음에 and or but because so
    with without for to in on at from of by until till before after when while if unless that which who than as plus
    also too then"""
)
"""Words that start a second half, whatever the first half looked like."""


_MARKS: Final = re.compile(r"[.?!…。？！]+(?=\s)")


class Relation(StrEnum):
    """How two successive utterances of one speaker relate."""

    HALVES = "halves"
    APART = "apart"
    UNCLEAR = "unclear"
    """The words do not decide; a transcript of both utterances together may (``one_sentence``)."""


def relation(before: str, after: str, language: str, *, answered: bool = False) -> Relation:
    """Relate ``after`` to ``before`` by their words.

    Args:
        before: the text that was taken for a whole utterance.
        after: what the same speaker said next.
        language: ``ko`` or ``en``.
        answered: whether the answer to ``before`` was played to its end in between. Speech after an answer usually
            replies to the answer, so only an incomplete ``before`` is continued.
    """
    completeness = text_completeness(before, language)
    finished = completeness is not None and completeness >= WORDS_FINISHED
    if answered:
        return Relation.APART if finished else Relation.HALVES
    if completeness is None or completeness <= WORDS_UNFINISHED:
        return Relation.HALVES
    said = spoken_words(after)
    if not said or said[0] in _JOINING:
        return Relation.HALVES
    # A Korean final ending closes the sentence. An English text that could be whole may still be a first half.
    if completeness >= WORDS_CERTAIN:
        return Relation.APART
    return Relation.UNCLEAR if begins_sentence(said) else Relation.HALVES


def is_afterthought(text: str, language: str) -> bool:
    """Whether words are no sentence, so that right after one they belong to it: 택시 불러 줘. … 서울역으로."""
    completeness = text_completeness(text, language)
    return completeness is not None and completeness < WORDS_FINISHED


def one_sentence(text: str) -> bool:
    """Whether the recogniser transcribed both halves as a single sentence."""
    text = text.strip()
    return bool(text) and not any(
        ends_sentence(text[: mark.start()], mark.group(), text[mark.end() :], closed=False, final=True)
        for mark in _MARKS.finditer(text)
    )


def joined_text(before: str, after: str) -> str:
    """Join both halves, without the punctuation that ended the first."""
    return f"{before.rstrip(' .,!?…。！？')} {after}"


def rest_after(before: str, both: str) -> str:
    """The words of ``both`` halves that follow the first half ``before``; at least the last word.

    Letters are counted, because ``both`` was transcribed anew and may spell ``before`` differently.
    """
    heard = both.split()
    letters, said = _letters(before), 0
    for index, word in enumerate(heard[:-1]):
        if said >= letters:
            return " ".join(heard[index:])
        said += _letters(word)
    return heard[-1] if heard else ""


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))
