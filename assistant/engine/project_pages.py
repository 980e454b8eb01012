"""The pages of the web that projects keep: fetched and read as the tools do (K-05)."""

from dataclasses import dataclass

from assistant.core.records.egress import DataClass
from assistant.knowledge.projects.pages import PageText
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.tools.web.pages import LARGEST_PAGE, Web
from assistant.tools.web.public_addresses import PageError
from assistant.tools.web.reading import PageReading


@dataclass(frozen=True, slots=True)
class WebPages:
    """Implements ``PageReader`` with the checks of ``Web``: public addresses only, limited, recorded."""

    web: Web
    reading: PageReading

    async def __call__(self, url: str, address_kind: DataClass) -> PageText:
        """Fetch a page and read it."""
        try:
            page = await self.web.page(url, address_kind)
        except PageError as error:
            raise UnreadableFileError(error.reason, error.detail) from error
        if not page.whole:
            # A part would be found and cited as if it were all.
            raise UnreadableFileError("too_large", f"> {LARGEST_PAGE // 1_000_000} MB")
        try:
            found = await self.reading(page)
        except PageError as error:
            raise UnreadableFileError(error.reason, error.detail) from error
        return PageText(title=found.title, text=found.text)
