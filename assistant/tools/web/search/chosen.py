"""Searches with the provider of ``[search]``, and explains what goes wrong."""

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from assistant.core.documents import Document
from assistant.core.settings import SearchSettings
from assistant.tools.tool import ToolError
from assistant.tools.web.pages import ServerError, Web
from assistant.tools.web.search.api import SearchApi
from assistant.tools.web.search.brave import BRAVE
from assistant.tools.web.search.searxng import SEARXNG

SEARCH_APIS: Final[Mapping[str, SearchApi]] = MappingProxyType({each.name: each for each in (SEARXNG, BRAVE)})
"""The search providers by name."""
KEYED: Final = tuple(name for name, api in SEARCH_APIS.items() if api.wants_key)
"""Names of the search providers with keys."""


class ChosenSearch:
    """Implements ``SearchEngine`` of ``tools/builtin/online/web.py``.

    Args:
        web: reaches the web.
        settings: gives the settings.
        key_of: gives the key of a search provider by the provider's name; empty for none. It blocks.
        apis: the search providers by name.
    """

    def __init__(
        self,
        web: Web,
        settings: Callable[[], SearchSettings],
        key_of: Callable[[str], str],
        apis: Mapping[str, SearchApi] = SEARCH_APIS,
    ) -> None:
        self._web = web
        self._settings = settings
        self._key_of = key_of
        self._apis = apis

    def available(self) -> bool:
        """Whether a server is set."""
        return bool(self._root(self._api))

    @property
    def _api(self) -> SearchApi:
        return self._apis[self._settings().provider]

    def _root(self, api: SearchApi) -> str:
        # The address of a SearXNG server never gets the key of another provider.
        return api.root or self._settings().url.strip()

    async def search(self, query: str, count: int) -> list[Document]:
        """Search the web; see ``SearchEngine``.

        Raises:
            ToolError: the search failed, with the reason and a remedy.
            StorageError: the request cannot be recorded, and is not made.
        """
        api = self._api
        root = self._root(api)
        if not root:
            raise ToolError("tool_reason.search_unset")
        request = api.request(root, await self._key(api), query, count)
        provider = api.name if api.wants_key else ""
        try:
            answer = await self._web.json(
                request.url, request.parameters, headers=request.headers, purpose="web_search", provider=provider
            )
        except ServerError as error:
            raise _explained(api, root, error) from None
        found = api.documents(answer)
        if found is None:
            raise _no_results(api, root)
        return found[:count]

    async def _key(self, api: SearchApi) -> str:
        if not api.wants_key:
            return ""
        key = (await asyncio.to_thread(self._key_of, api.name)).strip()
        if not key:
            raise ToolError("tool_reason.search_key_missing", name=api.name)
        if not (key.isascii() and key.isprintable()):
            raise ToolError("tool_reason.search_key_wrong", name=api.name)
        return key


def _explained(api: SearchApi, root: str, error: ServerError) -> ToolError:
    """What an error of the server means, and what helps."""
    if api.wants_key and api.refused_key(error.status, error.text):
        return ToolError("tool_reason.search_key_wrong", name=api.name)
    if api.spent(error.status, error.text):
        return ToolError("tool_reason.search_spent", name=api.name)
    if error.status == HTTPStatus.TOO_MANY_REQUESTS:
        if error.retry_after.isdecimal():
            return ToolError("tool_reason.search_wait", name=api.name, seconds=error.retry_after)
        return ToolError("tool_reason.search_later", name=api.name)
    if error.status == HTTPStatus.OK:
        return _no_results(api, root)
    return error


def _no_results(api: SearchApi, root: str) -> ToolError:
    return ToolError("tool_reason.search_intercepted" if api.root else "tool_reason.search_no_json", url=root)
