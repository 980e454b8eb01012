"""Reads what lies at an address in the process that reads documents (K-05, X-08)."""

import mimetypes
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.tools.web.pages import WebPage
from assistant.tools.web.public_addresses import PageError
from assistant.tools.web.reading import Readable

READ_WITHIN_S: Final = 20.0
"""Seconds for the text of one page or document."""


@dataclass(frozen=True, slots=True)
class ReadPages:
    """Implements ``PageReading``. ``close`` ends its process."""

    reader: DocumentReader = field(default_factory=lambda: DocumentReader(longest_s=READ_WITHIN_S))

    async def __call__(self, page: WebPage) -> Readable:
        """The title and the text."""
        try:
            text = await self.reader.read_page(page.body, _name(page), page.url)
        except UnreadableFileError as error:
            reason = {"no_text": "page_no_text", "unknown_kind": "page_kind"}.get(error.reason, error.reason)
            detail = page.media_type if reason == "page_kind" else error.detail
            raise PageError(f"file_reason.{reason}", detail) from error
        return Readable(title=text.title, text=text.text.strip())

    async def close(self) -> None:
        """End the process."""
        await self.reader.close()


def _name(page: WebPage) -> str:
    """A name for what was fetched. Its ending is that of the address, or else of the kind that the server tells."""
    if "html" in page.media_type:
        return "page.html"
    name = unquote(PurePosixPath(urlsplit(page.url).path).name) or "document"
    ending = "" if PurePosixPath(name).suffix else mimetypes.guess_extension(page.media_type) or ""
    return f"{name}{ending}"
