"""Brave's web search API, which needs a key.

It refuses a wrong key with 422 and ``SUBSCRIPTION_TOKEN_INVALID``, not with 401. Without a result the answer has no
``web``.
"""

import html
import re
from collections.abc import Mapping
from typing import Any, Final

from assistant.core.documents import Document
from assistant.tools.web.search.api import LONGEST_SNIPPET, SearchApi, SearchRequest, entries_in, text_in

_MOST_WORDS: Final = 50
_MOST_CHARACTERS: Final = 400
"""Limits of a query; a longer one is refused."""
_MARK: Final = re.compile(r"</?strong>")


def _request(root: str, key: str, query: str, count: int) -> SearchRequest:
    words = " ".join(query.split()[:_MOST_WORDS])[:_MOST_CHARACTERS]
    return SearchRequest(
        url=f"{root}/res/v1/web/search",
        parameters={"q": words, "count": str(count), "result_filter": "web", "text_decorations": "false"},
        headers={"X-Subscription-Token": key, "Accept": "application/json"},
    )


def _documents(answer: Any) -> list[Document] | None:
    if not isinstance(answer, Mapping) or answer.get("type") != "search":
        return None
    web = answer.get("web")
    entries = entries_in(web.get("results")) if isinstance(web, Mapping) else []
    if entries is None:
        return None
    return [
        Document(
            title=_plain(text_in(each, "title")),
            contents=_plain(text_in(each, "description"))[:LONGEST_SNIPPET],
            metadata=text_in(each, "age"),
            url=text_in(each, "url"),
        )
        for each in entries
    ]


def _plain(text: str) -> str:
    return html.unescape(_MARK.sub("", text))


BRAVE = SearchApi(
    name="brave",
    root="https://api.search.brave.com",
    wants_key=True,
    request=_request,
    documents=_documents,
    refused_key=lambda status, text: status in (401, 403) or "SUBSCRIPTION_TOKEN_INVALID" in text,
    spent=lambda status, text: status == 402 or "QUOTA_LIMITED" in text,
)
