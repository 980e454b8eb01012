"""The web: opening an address, and searching with the server that the user has chosen."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from assistant.core.documents import Document, documents_json
from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError
from assistant.tools.web.pages import Web
from assistant.tools.web.reading import readable

LONGEST_TEXT = 20_000
"""Characters of a page that a model is sent."""
MOST_RESULTS = 10
_LONGEST_SNIPPET = 500
_ADDRESS = Evidence(words=("http://", "https://", "www.", ".com", ".kr", ".org", ".net", "링크", "주소", "link"))
_SEARCH = Evidence(words=("검색", "찾아", "인터넷", "뉴스", "search", "look up", "news", "online", "web"))


def web_tools(web: Web, search_url: Callable[[], str]) -> tuple[Tool, ...]:
    """The tools that open an address and search the web.

    Args:
        web: reaches the web.
        search_url: gives the address of the user's SearXNG server; empty for none.
    """

    async def open_url(url: str) -> str:
        """Opens a web page and tells its readable text.

        Args:
            url: the whole address, with https:// or http://.
        """
        page = await web.page(url.strip())
        found = await asyncio.to_thread(readable, page)
        if not found.text:
            raise ToolError(f"{page.url} has no readable text. It may need a browser.")
        cut = not page.whole or len(found.text) > LONGEST_TEXT
        part = "only the beginning" if cut else ""
        document = Document(title=found.title, contents=found.text[:LONGEST_TEXT], metadata=part, url=page.url)
        return documents_json([document])

    async def web_search(query: str, count: int = 5) -> str:
        """Searches the web and tells titles, addresses and passages of what it found.

        Args:
            query: a few words to search for.
            count: how many results, from 1 to 10.
        """
        address = search_url().strip().rstrip("/")
        if not address:
            raise ToolError("No search server is set. The user can set one as [search] url in the settings.")
        parameters = {"q": query, "format": "json"}
        answer = await web.json(f"{address}/search", parameters, purpose="web_search")
        found = _results(answer)[: max(1, min(count, MOST_RESULTS))]
        return documents_json(found) if found else "Nothing was found."

    return (
        tool_of(
            open_url,
            category=Category.SAFE,
            idempotent=True,
            evidence=_ADDRESS,
            for_small_models=False,
            untrusted=True,
            outbound=True,
        ),
        tool_of(
            web_search,
            category=Category.SAFE,
            idempotent=True,
            evidence=_SEARCH,
            for_small_models=False,
            available=lambda: bool(search_url().strip()),
            untrusted=True,
            outbound=True,
            searches=True,
        ),
    )


def _results(answer: Any) -> list[Document]:
    entries = answer.get("results") if isinstance(answer, Mapping) else None
    if not isinstance(entries, list):
        raise ToolError("The search server did not answer with results. Its JSON format may be switched off.")
    return [
        Document(
            title=str(entry.get("title") or ""),
            contents=str(entry.get("content") or "")[:_LONGEST_SNIPPET],
            url=str(entry.get("url") or ""),
        )
        for entry in entries
        if isinstance(entry, Mapping)
    ]
