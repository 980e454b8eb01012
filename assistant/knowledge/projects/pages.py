"""Pages of the web that projects keep: what fetches them promises, and the names that their titles give."""

from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import urldefrag, urlsplit

from assistant.core.display.escaping import is_visible
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.egress import DataClass
from assistant.knowledge.reading.reader import UnreadableFileError

_LONGEST_TITLE: Final = 150


class PageNotReadError(SoriError):
    """A page of the web could not be read.

    Its text for the user is that of the reason, which stands below ``file_reason`` as for files.

    Args:
        url: its address.
        error: why.
    """

    def __init__(self, url: str, error: UnreadableFileError) -> None:
        super().__init__(ErrorCode.INVALID_REQUEST, f"{url}: {error}", values={"detail": error.detail}, cause=error)
        self.message_key = f"file_reason.{error.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """What a person reads on a page. Nothing of it is trusted.

    Attributes:
        title: its title; empty if it has none.
        text: its text as Markdown.
    """

    title: str
    text: str


class PageReader(Protocol):
    """Fetches pages of the web."""

    async def __call__(self, url: str, address_kind: DataClass) -> PageText:
        """Fetch a page and read it.

        Args:
            url: its address.
            address_kind: where the address comes from, for the egress ledger.

        Raises:
            UnreadableFileError: it may not be opened, cannot be fetched, or holds no text.
            StorageError: the request cannot be recorded, and is not made.
        """
        ...


def address_of(url: str) -> str:
    """The address that a page is known by. What stands behind ``#`` names a place in it."""
    return urldefrag(url.strip()).url


def page_name(url: str, title: str) -> str:
    """What a page is called in its project: its title, or else its address without the query."""
    parts = urlsplit(url)
    shown = "".join(each if is_visible(each) else " " for each in title) or f"{parts.hostname}{parts.path}"
    # A slash would stand for a folder of the project.
    return " ".join(shown.split()).replace("/", "\N{DIVISION SLASH}").strip(". ")[:_LONGEST_TITLE] or url
