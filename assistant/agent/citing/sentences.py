"""Cites the sentences of an answer by code, for models that cite none (K-04). Pure."""

import re
from collections.abc import Callable, Collection
from typing import Final

from assistant.agent.citing.support import supporting
from assistant.core.citing.markers import Part, joined
from assistant.core.knowledge.passages import Citation

_CLOSED: Final = r"[.!?。！？]+[\"'”’)*]*"
_END: Final = re.compile(rf"{_CLOSED}(?=\s)|\n")
_MAY_END: Final = re.compile(rf"{_CLOSED}\s*\Z|[^\S\n]+\Z")
_SHORTEST: Final = 6
_NO_SENTENCE: Final = re.compile(r"\s*(?:#|\||>|```|~~~|!\[)")


class SentenceCiter:
    """Adds to each sentence the number of the document that supports it.

    Only the end of a sentence is held back, until what follows tells that the model itself has not cited it.

    Args:
        given: gives the documents of the turn.
        question: what was asked.
    """

    def __init__(self, given: Callable[[], Collection[Citation]], question: str = "") -> None:
        self._given, self._question = given, question
        self._sentence = ""
        self._held = ""
        self._cited = False
        self._in_code = False

    def take(self, parts: list[Part]) -> list[Part]:
        """Take the next parts of the answer; returns what can be shown now."""
        shown = list[Part]()
        for part in parts:
            if isinstance(part, int):
                # What follows a full stop belongs to the sentence before it.
                shown += [self._held, part]
                self._sentence += self._held
                self._held, self._cited = "", True
            else:
                shown += self._text(part)
        return joined(shown)

    def end(self) -> list[Part]:
        """The answer has ended; returns the rest."""
        held, self._held = self._held, ""
        return joined(self._ended(held))

    def _text(self, piece: str) -> list[Part]:
        text, shown, at = self._held + piece, list[Part](), 0
        held = _MAY_END.search(text)
        settled = len(text) if held is None else held.start()
        for found in _END.finditer(text, 0, settled):
            self._sentence += text[at : found.start()]
            if len(self._sentence.strip()) < _SHORTEST and found.group() != "\n":
                self._sentence += found.group()
                shown.append(text[at : found.end()])
            else:
                shown += [text[at : found.start()], *self._ended(found.group())]
            at = found.end()
        self._sentence += text[at:settled]
        self._held = text[settled:]
        return [*shown, text[at:settled]]

    def _ended(self, ending: str) -> list[Part]:
        """The end of a sentence, with its citation."""
        sentence, cited, self._sentence, self._cited = self._sentence, self._cited, "", False
        fences = sentence.count("```")
        in_code = self._in_code or bool(fences) or sentence.count("`") % 2 == 1
        self._in_code ^= fences % 2 == 1
        number = 0
        if sentence.strip() and not (cited or in_code or _NO_SENTENCE.match(sentence)):
            number = supporting(sentence, self._given(), self._question)
        return [" ", number, ending] if number else [ending]
