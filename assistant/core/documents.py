"""Documents in the form in which a model is sent them: numbered JSON, so that an answer can cite a number (C-02, K-04).

A number is a document's name, not its place in a list: from the JSON through the answer and the store to the screen the
same number is used, and nothing counts anew. So an answer's ``[2]`` means the same text everywhere and always.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from assistant.core.knowledge.passages import Citation, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document, or a passage of one.

    Attributes:
        title: its title or file name.
        contents: its text.
        metadata: anything else that is known of it; empty for nothing.
        url: its address, for a tool that opens addresses; empty for none.
        file: id of the file that it is, or is a passage of; empty for none. A model is not sent it.
        passage: number of the passage in the file, from 1; 0 for a whole file.
        page: the page or slide of the passage, from 1; 0 for none.
        parts: the passages of a whole file, so that a citation of it opens one of them.
        nearness: how near its meaning is to the question's, from 0 to 1; ``None`` if that is not known.
    """

    title: str
    contents: str
    metadata: str = ""
    url: str = ""
    file: str = ""
    passage: int = 0
    page: int = 0
    parts: tuple[Passage, ...] = field(default=(), compare=False)
    nearness: float | None = field(default=None, compare=False)


class TurnDocuments:
    """The documents that a model is given in one turn, and their numbers.

    Numbers begin with 1 and go on through the turn, over the project, the results of tools and the attempts of several
    models. A document that is given again keeps its number.
    """

    def __init__(self) -> None:
        self._numbers: dict[Document, int] = {}
        self._citations: dict[int, Citation] = {}
        self._parts: dict[int, tuple[Passage, ...]] = {}

    @property
    def citations(self) -> Mapping[int, Citation]:
        """What each number refers to, in the order in which the documents were given."""
        return MappingProxyType(self._citations)

    def parts(self, number: int) -> tuple[Passage, ...]:
        """The passages of a whole file; none for a passage, or a document that is no file."""
        return self._parts.get(number, ())

    def number(self, document: Document) -> int:
        """The number of a document."""
        # The same passage can be found with another note on it.
        key = replace(document, metadata="")
        if key not in self._numbers:
            self._take(key, 1 + max(self._citations, default=0))
        return self._numbers[key]

    def json(self, documents: Iterable[Document]) -> str:
        """The documents as JSON, with their numbers."""
        return documents_json([(self.number(document), document) for document in documents])

    def told_before(self, result: str, known: Iterable[Citation] = ()) -> None:
        """Take over the numbers in a result of a tool that an earlier attempt at the same message got.

        Args:
            result: the text of the result; anything else than documents is passed over.
            known: what was stored of these documents, without their texts.
        """
        stored = {each.number: each for each in known}
        for number, document in _documents_in(result):
            if (given := stored.get(number)) is not None:
                document = replace(document, file=given.file, passage=given.passage, page=given.page)
            self._take(document, number)

    def _take(self, document: Document, number: int) -> None:
        self._numbers[document] = number
        self._parts[number] = document.parts
        self._citations[number] = Citation(
            number=number,
            title=document.title,
            file=document.file,
            passage=document.passage,
            page=document.page,
            url=document.url,
            text=document.contents,
        )


def documents_json(documents: Iterable[tuple[int, Document]]) -> str:
    """Documents with their numbers as JSON."""
    entries = [_entry(number, document) for number, document in documents]
    return json.dumps({"documents": entries}, ensure_ascii=False)


def _entry(number: int, document: Document) -> dict[str, str | int]:
    told = {"title": document.title, "url": document.url, "metadata": document.metadata, "contents": document.contents}
    optional = ("url", "metadata")
    return {"document": number, **{name: text for name, text in told.items() if text or name not in optional}}


def _documents_in(result: str) -> Sequence[tuple[int, Document]]:
    try:
        return [(int(each["document"]), _document(each)) for each in json.loads(result)["documents"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return ()


def _document(entry: Mapping[str, object]) -> Document:
    return Document(title=str(entry["title"]), contents=str(entry["contents"]), url=str(entry.get("url", "")))
