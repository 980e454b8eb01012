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
            raise ToolError("No search server is set. The user can set one as [search] url in the settings.")
        request = api.request(root, await self._key(api), query, count)
        provider = api.name if api.wants_key else ""
        try:
            answer = await self._web.json(
                request.url, request.parameters, headers=request.headers, purpose="web_search", provider=provider
            )
        except ServerError as error:
            raise ToolError(_explained(api, error)) from error
        found = api.documents(answer)
        if found is None:
            raise ToolError(f"The search server {root} did not answer with results. {_remedy(api)}")
        return found[:count]

    async def _key(self, api: SearchApi) -> str:
        if not api.wants_key:
            return ""
        key = (await asyncio.to_thread(self._key_of, api.name)).strip()
        if not key:
            raise ToolError(
                f"There is no API key for the search provider {api.name}. "
                f"The user can store one with: sori keys set {api.name}"
            )
        if not (key.isascii() and key.isprintable()):
            raise ToolError(f"The API key for {api.name} is malformed. The user can store it again: {_store(api)}")
        return key


def _explained(api: SearchApi, error: ServerError) -> str:
    """What an error of the server means, and what helps."""
    if api.wants_key and api.refused_key(error.status, error.text):
        return f"The search provider {api.name} refused the API key. The user can store another one: {_store(api)}"
    if api.spent(error.status, error.text):
        return f"The searches paid for at {api.name} are spent. They begin anew with the next period of the plan."
    if error.status == HTTPStatus.TOO_MANY_REQUESTS:
        wait = f"in {error.retry_after} seconds" if error.retry_after.isdecimal() else "a little later"
        return f"Too many searches at {api.name}. Search again {wait}."
    if error.status == HTTPStatus.OK:
        return f"{error} {_remedy(api)}"
    return str(error)


def _remedy(api: SearchApi) -> str:
    if api.root:
        return "Something between this computer and the server may have answered, such as a login page of the network."
    return "Its JSON format may be switched off, or [search] url may not be the address of a SearXNG server."


def _store(api: SearchApi) -> str:
    return f"sori keys set {api.name}"
