"""The web: opening an address, and searching with the provider that the user has chosen."""

from typing import Final, Protocol

from assistant.core.documents import Document
from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.calling import RunningCall
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolOutput
from assistant.tools.web.pages import Web
from assistant.tools.web.reading import PageReading

LONGEST_TEXT = 20_000
"""Characters of a page that a model is sent."""
MOST_RESULTS = 10
_OPENED_WITHIN_S: Final = 35.0
"""Seconds for fetching and reading. A document takes longer than a page; each of the two has a limit of its own."""
_ORDERS = (
    r"(?s)\A(?=.*\b(?:https?://|www\.)\S)(?!.*(?:읽지|열지|don't|do not))"
    r"(?=.*(?:읽|요약|열어|정리|살펴|무슨 내용|\b(?:read|open|summari[sz]e|what does)\b))"
)
"""A small model otherwise answers that it cannot read pages."""
_ADDRESS = Evidence(
    words=("http://", "https://", "www.", ".com", ".kr", ".org", ".net", "링크", "주소", "link"), orders=_ORDERS
)
_SEARCH = Evidence(words=("검색", "찾아", "인터넷", "뉴스", "search", "look up", "news", "online", "web"))


class SearchEngine(Protocol):
    """Searches the web with the provider that the user has chosen."""

    def available(self) -> bool:
        """Whether a server is set."""
        ...

    async def search(self, query: str, count: int) -> list[Document]:
        """Search the web.

        Returns:
            At most ``count`` results, the best first.

        Raises:
            ToolError: the search failed, with the reason and a remedy.
            StorageError: the request cannot be recorded, and is not made.
        """
        ...


def web_tools(web: Web, engine: SearchEngine, reading: PageReading) -> tuple[Tool, ...]:
    """The tools that open an address and search the web.

    Args:
        web: reaches the web.
        engine: searches it.
        reading: reads pages and documents.
    """

    async def open_url(url: str, call: RunningCall) -> ToolOutput:
        """Opens a web page, or a document such as a PDF file, and tells its readable text.

        Args:
            url: the whole address, with https:// or http://.
            call: the call that this serves.
        """
        page = await web.page(url.strip(), call.address)
        found = await reading(page)
        cut = not page.whole or len(found.text) > LONGEST_TEXT
        part = "only the beginning" if cut else ""
        document = Document(title=found.title, contents=found.text[:LONGEST_TEXT], metadata=part, url=page.url)
        return ToolOutput(documents=(document,))

    async def web_search(query: str, count: int = 5) -> str | ToolOutput:
        """Searches the web and tells titles, addresses and passages of what it found.

        Args:
            query: a few words to search for.
            count: how many results, from 1 to 10.
        """
        found = await engine.search(query, max(1, min(count, MOST_RESULTS)))
        return ToolOutput(documents=tuple(found)) if found else "Nothing was found."

    return (
        tool_of(
            open_url,
            category=Category.SAFE,
            timeout_s=_OPENED_WITHIN_S,
            idempotent=True,
            evidence=_ADDRESS,
            baseline=Baseline.LARGE,
            untrusted=True,
            outbound=True,
        ),
        tool_of(
            web_search,
            category=Category.SAFE,
            idempotent=True,
            evidence=_SEARCH,
            baseline=Baseline.LARGE,
            available=lambda: engine.available(),
            untrusted=True,
            outbound=True,
            searches=True,
        ),
    )
