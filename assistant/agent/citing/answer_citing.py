"""The citations of one reply, while it arrives (K-04)."""

from dataclasses import replace

from assistant.agent.citing.sentences import SentenceCiter
from assistant.agent.citing.support import best_excerpt, best_passage, says_unknown
from assistant.core.citing.markers import CitationReader, Part, joined
from assistant.core.documents import TurnDocuments
from assistant.core.knowledge.passages import Citation

LONGEST_EXCERPT = 1_200
"""Characters of a cited text that are kept with an answer."""
_LONGEST_OF_FILE = 300
"""Characters of a whole file that are kept: its part that the answer was made of."""


class AnswerCiting:
    """Finds the citations of one reply, and removes those of documents that were not given.

    Without documents the reply passes unchanged, because nothing in it can be a citation.

    Args:
        documents: the documents of the turn.
        by_code: whether sentences that a document supports are cited by code. It is for small models, which cite none.
        unsupported: what is added to a whole answer that cites nothing; empty for nothing.
        question: what was asked.
    """

    def __init__(
        self, documents: TurnDocuments, *, by_code: bool = False, unsupported: str = "", question: str = ""
    ) -> None:
        self._documents = documents
        self._unsupported = unsupported
        self._has_cited = False
        self._reader = CitationReader(lambda: documents.citations)
        self._citer = SentenceCiter(lambda: tuple(documents.citations.values()), question) if by_code else None

    def take(self, text: str) -> list[Part]:
        """Take the next piece of the reply; returns what can be shown now."""
        if not self._documents.citations:
            return [text]
        parts = self._reader.take(text)
        return self._noted(parts if self._citer is None else self._citer.take(parts))

    def end(self) -> list[Part]:
        """This part of the reply has ended; returns the rest."""
        parts = self._reader.end()
        return self._noted(parts if self._citer is None else joined([*self._citer.take(parts), *self._citer.end()]))

    def closing(self, answer: str) -> str:
        """What follows a whole answer, because no document supports any of it; empty for nothing."""
        if not (self._unsupported and answer.strip()) or self._has_cited or says_unknown(answer):
            return ""
        return f"\n\n{self._unsupported}"

    def _noted(self, parts: list[Part]) -> list[Part]:
        self._has_cited = self._has_cited or any(isinstance(part, int) for part in parts)
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
