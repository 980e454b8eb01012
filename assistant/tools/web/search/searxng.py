"""The user's own SearXNG server, with its JSON format on."""

from collections.abc import Mapping
from typing import Any

from assistant.core.documents import Document
from assistant.tools.web.search.api import LONGEST_SNIPPET, SearchApi, SearchRequest, entries_in, text_in


def _request(root: str, key: str, query: str, count: int) -> SearchRequest:  # noqa: ARG001
    return SearchRequest(url=f"{root.rstrip('/')}/search", parameters={"q": query, "format": "json"})


def _documents(answer: Any) -> list[Document] | None:
    entries = entries_in(answer.get("results")) if isinstance(answer, Mapping) else None
    if entries is None:
        return None
    return [
        Document(
            title=text_in(each, "title"), contents=text_in(each, "content")[:LONGEST_SNIPPET], url=text_in(each, "url")
        )
        for each in entries
    ]


SEARXNG = SearchApi(name="searxng", root="", wants_key=False, request=_request, documents=_documents)
