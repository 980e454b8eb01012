"""Documents in the form in which a model is sent them: numbered JSON, so that an answer can cite a number (C-02)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document, or a passage of one.

    Attributes:
        title: its title or file name.
        contents: its text.
        metadata: anything else that is known of it; empty for nothing.
        url: its address, for a tool that opens addresses; empty for none.
    """

    title: str
    contents: str
    metadata: str = ""
    url: str = ""


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
