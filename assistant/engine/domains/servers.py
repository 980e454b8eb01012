"""The domain of servers of language models: asks them, adds and removes them."""

import asyncio
from contextlib import suppress
from itertools import chain, count
from urllib.parse import urlsplit

from assistant.agent.ending import message_of
from assistant.agent.model_choice import stays_here
from assistant.core.addresses import is_local_host
from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.service.requests import servers as rq
from assistant.core.settings import Provider
from assistant.engine.chat_wiring import Chat
from assistant.engine.domains.keys import ApiKeys
from assistant.engine.domains.models import Models
from assistant.engine.models.offers import LIST_LIMIT_S
from assistant.engine.serving.table import Domain, serves
from assistant.host.added_provider import add_entry, remove_entry
from assistant.llm.facts.discovery import NAMES, PORTS

_LANE = "servers"


class ModelServers(Domain):
    """Owns the requests for servers.

    Args:
        chat: has the settings, the backends and the offers.
        keys: stores keys.
        models: searches models anew after a change.
    """

    def __init__(self, chat: Chat, keys: ApiKeys, models: Models) -> None:
        self._chat, self._keys, self._models = chat, keys, models

    @serves()
    async def _list_servers(self, _: rq.ListServers) -> tuple[rq.ModelServer, ...]:
        await self._models.found()
        providers = [each for each in self._chat.basis.live.current.providers if each.base_url]
        shown = await asyncio.to_thread(lambda: [self._shown(each) for each in providers])
        return (*shown, *self._locked())

    @serves()
    async def _check_provider(self, request: rq.CheckProvider) -> tuple[str, ...]:
        providers = self._chat.basis.live.current.providers
        provider = next((each for each in providers if each.name == request.provider), None)
        if provider is None:
            raise _unusable("server_unknown", request.provider)
        self._chat.models.keys.forget(provider.name)
        return await self._asked(provider)

    @serves(lane=_LANE)
    async def _add_server(self, request: rq.AddServer) -> rq.ModelServer:
        """Add a server.

        Raises:
            SoriError: the address is none, the server does not tell its models, or the key cannot be stored.
            SettingsError: the settings file cannot be changed.
        """
        addresses = server_addresses(request.address)
        name = request.name.strip() or self._free_name(addresses[0])
        key = request.key.strip()
        found, models = addresses[0], tuple[str, ...]()
        if not request.unasked:
            found, models = await self._first_that_answers(addresses, key)
        provider = Provider(name=name, kind=_kind(found), base_url=found)
        if key:
            await self._keys.keep(name, key, in_file=request.in_file)
        await self._chat.settings.edit(lambda config: add_entry(config, provider))
        await self._models.key_changed(name)
        return rq.ModelServer(
            name=name, address=found, local=stays_here(provider), models=models, has_key=bool(key), configured=True
        )

    @serves(lane=_LANE)
    async def _remove_server(self, request: rq.RemoveServer) -> None:
        await self._chat.settings.edit(lambda config: remove_entry(config, request.name))
        with suppress(SoriError):  # There may be neither a key nor a keyring.
            await self._keys.drop(request.name)

    def _shown(self, provider: Provider) -> rq.ModelServer:
        models, basis = self._chat.models, self._chat.basis
        error = models.offers.unlisted.get(provider.name)
        return rq.ModelServer(
            name=provider.name,
            address=provider.base_url,
            local=stays_here(provider),
            models=models.offers.models_of(provider.name),
            configured=provider in basis.live.written.providers,
            has_key=bool(models.keys.of(provider)),
            code="" if error is None else error.code.value,
            trouble="" if error is None else message_of(error, basis.texts),
        )

    def _locked(self) -> list[rq.ModelServer]:
        """Servers on this machine that want a key which the user has not given."""
        texts = self._chat.basis.texts
        return [
            rq.ModelServer(
                name=each.name,
                address=each.base_url,
                local=True,
                configured=False,
                code=ErrorCode.AUTHENTICATION.value,
                trouble=texts("error.server_wants_key", server=each.title),
            )
            for each in self._chat.models.offers.locked
        ]

    def _free_name(self, address: str) -> str:
        """A name that no provider has: the program's by its usual port, else the host's."""
        parts = urlsplit(address)
        host = (parts.hostname or "").replace(":", "-")
        local = is_local_host(parts.hostname or "")
        name = NAMES[PORTS.index(parts.port)] if local and parts.port in PORTS else host
        taken = {each.name for each in self._chat.basis.live.written.providers}
        others = (f"{name}-{number}" for number in count(2))
        return next(each for each in chain([name], others) if each not in taken)

    async def _first_that_answers(self, addresses: tuple[str, ...], key: str) -> tuple[str, tuple[str, ...]]:
        """The address at which the server tells its models, and these.

        Raises:
            SoriError: why it does not; that it refuses the key says more than that it has nothing at an address.
        """
        troubles: list[SoriError] = []
        for address in addresses:
            place = urlsplit(address).netloc
            try:
                models = await self._asked(Provider(name=place, kind=_kind(address), base_url=address, api_key=key))
            except SoriError as error:
                troubles.append(error)
            else:
                return address, models
        raise next((each for each in troubles if each.code is ErrorCode.AUTHENTICATION), troubles[0])

    async def _asked(self, provider: Provider) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(LIST_LIMIT_S):
                return await self._chat.models.router.backend_for(provider).models(provider)
        except TimeoutError as error:
            detail = f"no list of models within {LIST_LIMIT_S:.0f} s"
            raise ProviderError(ErrorCode.TIMEOUT, detail, provider=provider.name, cause=error) from error


def server_addresses(typed: str) -> tuple[str, ...]:
    """The addresses that a typed one may mean, in the order in which they are tried.

    Raises:
        SoriError: it is no address of a server.
    """
    words = typed.strip()
    whole = words if "://" in words else f"http://{words}"
    try:
        parts = urlsplit(whole)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.scheme not in {"http", "https"} or " " in words or parts.username or parts.query:
        raise _unusable("server_address", words)
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/models")
    root = f"{parts.scheme}://{parts.netloc}"
    return (f"{root}{path}",) if path else (f"{root}/v1", root)


def _kind(address: str) -> str:
    return "local" if is_local_host(urlsplit(address).hostname or "") else "openai"


def _unusable(key: str, value: str) -> SoriError:
    detail = f"{key}: {value}"
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key=key, values={"value": value})
