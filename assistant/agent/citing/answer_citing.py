"""The citations of one reply, while it arrives (K-04)."""

from dataclasses import replace

from assistant.agent.citing.sentences import SentenceCiter
from assistant.agent.citing.support import answers_in_kind, best_excerpt, best_passage, says_unknown
from assistant.core.citing.markers import CitationReader, Part, joined, written
from assistant.core.documents import TurnDocuments
from assistant.core.knowledge.passages import Citation

LONGEST_EXCERPT = 1_200
"""Characters of a cited text that are kept with an answer."""
_LONGEST_OF_FILE = 300
"""Characters of a whole file that are kept: its part that the answer was made of."""
_LONGEST_HELD = 400
"""Characters after which an answer is shown, although nothing has supported it yet."""


class AnswerCiting:
    """Finds the citations of one reply, and removes those of documents that were not given.

    Without documents nothing in the reply can be a citation.

    Args:
        documents: the documents of the turn.
        by_code: whether sentences that a document supports are cited by code. It is for small models, which cite none.
        unsupported: what stands before an answer that no document confirms, which is held back until one does; empty
            for nothing.
        question: what was asked.
    """

    def __init__(
        self, documents: TurnDocuments, *, by_code: bool = False, unsupported: str = "", question: str = ""
    ) -> None:
        self._documents, self._question = documents, question
        self._unsupported = unsupported
        self._text = ""
        self._held = list[Part]()
        self._reader = CitationReader(lambda: documents.citations)
        self._citer = SentenceCiter(lambda: tuple(documents.citations.values()), question) if by_code else None

    def take(self, text: str) -> list[Part]:
        """Take the next piece of the reply; returns what can be shown now."""
        if not self._documents.citations:
            return self._confirmed([text])
        parts = self._reader.take(text)
        return self._confirmed(parts if self._citer is None else self._citer.take(parts))

    def end(self, *, whole: bool = False) -> list[Part]:
        """This part of the reply has ended; returns the rest.

        Args:
            whole: whether the answer is whole, and not the words before a call.
        """
        parts = self._reader.end()
        rest = parts if self._citer is None else joined([*self._citer.take(parts), *self._citer.end()])
        return self._released(joined([*self._confirmed(rest), *self._held]), told=whole)

    def _confirmed(self, parts: list[Part]) -> list[Part]:
        """What can be shown: all as soon as a document confirms the answer."""
        if not self._unsupported:
            return parts
        confirmed = False
        for part in parts:
            confirmed |= isinstance(part, int) and answers_in_kind(self._question, self._text)
            self._text += written([part])
        self._held += parts
        if confirmed:
            return self._released(self._held, told=False)
        return self._released(self._held, told=True) if len(self._text) > _LONGEST_HELD else []

    def _released(self, parts: list[Part], *, told: bool) -> list[Part]:
        """The parts, after the words that nothing confirms them if ``told``. What comes later is not held back."""
        notice, self._unsupported = self._unsupported, ""
        self._held = []
        if told and notice and self._text.strip() and not says_unknown(self._text):
            return joined([f"{notice}\n\n", *parts])
        return parts

    def cites_anew(self, number: int) -> bool:
        """Whether each place that cites this number has a passage of its own: the file was sent whole."""
        return bool(self._documents.parts(number))

    def citation(self, number: int, before: str) -> Citation:
        """What a number refers to.

        Args:
            number: the number of a given document.
            before: the reply up to the citation, which tells which part of a long document it means.
        """
        given = self._documents.citations[number]
        if (part := best_passage(self._documents.parts(number), before)) is not None:
            return replace(given, passage=part.number, page=part.page, text=part.text)
        return best_excerpt(given, before, _LONGEST_OF_FILE if given.file and not given.passage else LONGEST_EXCERPT)
