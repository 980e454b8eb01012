"""Documents in the form in which a model is sent them: numbered JSON, so that an answer can cite a number (C-02)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


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
    """

    title: str
    contents: str
    metadata: str = ""
    url: str = ""
    file: str = ""
    passage: int = 0
    page: int = 0


class DocumentNumbers:
    """The numbers of one turn. They go on through all its searches, so that an answer can cite each document (K-04).

    Args:
        first: the first number.
    """

    def __init__(self, first: int = 1) -> None:
        self._next = first

    def take(self, count: int) -> int:
        """Take the next ``count`` numbers, and return the first of them."""
        first, self._next = self._next, self._next + count
        return first


def numbers_after(results: Iterable[str]) -> DocumentNumbers:
    """The numbers that follow those in these results of tools, which the model is sent as well."""
    return DocumentNumbers(1 + max((number for text in results for number in _numbers_in(text)), default=0))


def _numbers_in(text: str) -> Iterable[int]:
    try:
        documents = json.loads(text)["documents"]
        return [int(each["document"]) for each in documents]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()


def documents_json(documents: Sequence[Document], first: int = 1) -> str:
    """The documents as JSON.

    Args:
        documents: the documents in order.
        first: number of the first one; documents are numbered on through a turn.
    """
    entries = [_entry(number, document) for number, document in enumerate(documents, first)]
    return json.dumps({"documents": entries}, ensure_ascii=False)


def _entry(number: int, document: Document) -> dict[str, str | int]:
    told = {"title": document.title, "url": document.url, "metadata": document.metadata, "contents": document.contents}
    optional = ("url", "metadata")
    return {"document": number, **{name: text for name, text in told.items() if text or name not in optional}}
