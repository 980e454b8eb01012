"""The readable text of what lies at an address."""

from dataclasses import dataclass
from typing import Protocol

from assistant.tools.web.pages import WebPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """What a person reads on a page, or in a document, as Markdown."""

    title: str
    text: str


class PageReading(Protocol):
    """Reads pages and documents, in a process with limits of memory and time."""

    async def __call__(self, page: WebPage) -> Readable:
        """The title and the text.

        Raises:
            PageError: it has no text, or cannot be read.
        """
        ...
