"""Gathers the models to choose from: those in the settings, of providers' lists and of servers on this machine.

No server is asked before the user opens the list, because a request for models tells the provider about the user.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from urllib.parse import urlsplit

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import EgressLedger
from assistant.core.settings import ModelFacts, Provider, Settings
from assistant.core.updates import ModelOffer
from assistant.llm.backend import ProviderBackend
from assistant.llm.facts import discovery
from assistant.llm.facts.discovery import NAMES, PORTS, FoundModel, FoundServer, find_servers
from assistant.llm.facts.model_facts import known_model

_log = logging.getLogger(__name__)

LIST_LIMIT_S = 8.0
"""Longest wait for a provider's list, in seconds; the user is waiting with an open menu."""
_KEEP_LIST_S = 600.0
"""Seconds for which a list is reused: vendors add a model every few weeks, and a menu is opened several times in a
row."""

_RECALL_LIMIT_S = 3.0
"""Longest wait for a server that a conversation has chosen, in seconds. A starting program answers slowly; a port
without a server refuses at once."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

Show = Callable[[tuple[ModelOffer, ...]], None]


class ModelOffers:
    """Gathers the models to choose from, and makes a provider for every server found.

    Args:
        live: the settings, to which found servers are added.
        named: returns the models in the settings.
        backend_for: returns the backend of a provider.
        ledger: records every request of the search for servers.
        clock: measures the age of a list.
        ports: the ports to search for servers.
        limit_s: time limit for one port in seconds; ``None`` for the default.

    Attributes:
        live: the settings, with the servers found.
        locked: the servers on this machine that tell no models without a key which the settings do not have.
        unlisted: why the models of a provider could not be listed at the last search, by its name.
    """

    def __init__(
        self,
        live: LiveSettings,
        *,
        named: Callable[[Settings], tuple[ModelOffer, ...]],
        backend_for: Callable[[Provider], ProviderBackend],
        ledger: EgressLedger,
        clock: Clock,
        ports: tuple[int, ...] = PORTS,
        limit_s: float | None = None,
    ) -> None:
        self.live = live
        self._named = named
        self._backend_for = backend_for
        self._ledger = ledger
        self._clock = clock
        self._ports = ports
        self._limit_s = limit_s
        self._found: dict[str, Provider] = {}
        self._facts: dict[str, tuple[ModelFacts, ...]] = {}
        self._told: dict[str, tuple[str, ...]] = {}
        self._lists: dict[str, tuple[str, ...]] = {}
        self._listed_at: dict[str, float] = {}
        self.locked: tuple[FoundServer, ...] = ()
        self.unlisted: dict[str, SoriError] = {}
        self._looking = asyncio.Lock()

    def _found_more(self) -> None:
        """Add a provider for every server found to the settings, and the facts about its models."""
        self.live.find([*self._found.values()], [facts for each in self._facts.values() for facts in each])

    @property
    def offers(self) -> tuple[ModelOffer, ...]:
        """All offers known so far; the models of a provider are adjacent."""
        offers = {offer.reference: offer for offer in self._named(self.live.written)}
        settings = self.live.current
        for provider in settings.providers:
            # A server on this machine reports which of its models can chat, so its report is preferred to its list.
            models = self.models_of(provider.name)
            if models and provider.name != settings.llm.provider:
                # The provider's name alone stands for an unknown model. Now the models are known.
                offers.pop(provider.name, None)
            for model in models:
                reference = f"{provider.name}/{model}"
                offers.setdefault(reference, _offer(settings, provider, reference, model))
        order = list(dict.fromkeys(offer.provider for offer in offers.values()))
        return tuple(sorted(offers.values(), key=lambda offer: order.index(offer.provider)))

    def models_of(self, provider: str) -> tuple[str, ...]:
        """The models that a provider has told so far."""
        return self._told.get(provider) or self._lists.get(provider, ())

    async def look(self, show: Show) -> None:
        """Search all providers and ports for models at the same time.

        Args:
            show: called with all offers known so far, at once and after every addition.

        Raises:
            StorageError: a request cannot be recorded, so it is not sent.
        """
        async with self._looking:
            # What the last search found stays until this one knows better: others may read it meanwhile.
            names = {provider.name for provider in self.live.written.providers}
            self.unlisted = {name: error for name, error in self.unlisted.items() if name in names}
            show(self.offers)
            ended = await asyncio.gather(
                self._find(show, limit_s=self._limit_s),
                *(self._list(provider, show) for provider in self.live.written.providers),
                return_exceptions=True,
            )
        for error in ended:
            if error is not None:
                raise error

    async def recall(self, reference: str) -> None:
        """Find the server of a conversation's earlier choice again, if the settings do not name it.

        A server that does not answer is assumed to be at its default port. A conversation with a model on this machine
        must not go to another provider.

        Raises:
            StorageError: a request cannot be recorded.
        """
        name = reference.partition("/")[0]
        program = name.rstrip("0123456789")
        if program not in NAMES or any(each.name == name for each in self.live.current.providers):
            return
        async with self._looking:
            await self._find(lambda _: None, limit_s=max(self._limit_s or discovery.LIMIT_S, _RECALL_LIMIT_S))
        if name not in self._found:
            usual = f"http://127.0.0.1:{PORTS[NAMES.index(program)]}/v1"
            self._found[name] = Provider(name=name, kind="local", base_url=usual)
            self._found_more()

    async def _find(self, show: Show, *, limit_s: float | None) -> None:
        try:
            servers = await find_servers(self._ledger, ports=self._ports, limit_s=limit_s)
        except OSError as error:
            _log.warning("no servers can be looked for: %s", error)
            return
        self._told.clear()
        self.locked = tuple(
            each
            for each in servers
            if each.needs_key
            and not any(same_place(provider.base_url, each.base_url) for provider in self.live.written.providers)
        )
        for server in servers:
            provider = self._provider_of(server)
            if provider is not None and server.models:
                self._told[provider.name] = tuple(model.name for model in server.models)
                self._facts[provider.name] = tuple(self._facts_of(provider, model) for model in server.models)
        self._found_more()
        show(self.offers)

    def _provider_of(self, server: FoundServer) -> Provider | None:
        """The user's entry for this server, or a new one; ``None`` for a server that needs a key or has no models."""
        for provider in self.live.written.providers:
            if same_place(provider.base_url, server.base_url):
                return provider
        if server.needs_key or not server.models:
            return None
        for provider in self._found.values():
            if provider.base_url == server.base_url:
                return provider
        taken = {each.name for each in self.live.current.providers}
        name = next(name for name in _names_like(server.name) if name not in taken)
        self._found[name] = Provider(name=name, kind="local", base_url=server.base_url)
        self._found_more()
        return self._found[name]

    def _facts_of(self, provider: Provider, model: FoundModel) -> ModelFacts:
        """The server's facts about a model; facts in the settings take precedence."""
        facts = ModelFacts(
            model=model.name,
            provider=provider.name,
            context_tokens=model.context_tokens,
            images=model.images,
            tools=model.tools,
        )
        for written in self.live.written.models:
            if written.model.casefold() == model.name.casefold() and written.provider in ("", provider.name):
                known = {name: value for name, value in asdict(written).items() if value is not None}
                facts = replace(facts, **{**known, "model": model.name, "provider": provider.name})
        return facts

    async def _list(self, provider: Provider, show: Show) -> None:
        age_s = self._clock.monotonic() - self._listed_at.get(provider.name, float("-inf"))
        if age_s < _KEEP_LIST_S and provider.kind != "local":
            return
        try:
            backend = self._backend_for(provider)
            async with asyncio.timeout(LIST_LIMIT_S):
                models = await backend.models(provider)
        except StorageError:
            raise
        except TimeoutError as error:
            detail = f"no list of models within {LIST_LIMIT_S:.0f} s"
            late = ProviderError(ErrorCode.TIMEOUT, detail, provider=provider.name, cause=error)
            self._leave_unlisted(provider, late)
            return
        except SoriError as error:
            self._leave_unlisted(provider, error)
            return
        self.unlisted.pop(provider.name, None)
        self._lists[provider.name] = models
        self._listed_at[provider.name] = self._clock.monotonic()
        show(self.offers)

    def _leave_unlisted(self, provider: Provider, error: SoriError) -> None:
        _log.info("%s does not list its models: %s", provider.name, error)
        if error.reason != "no_model_list":  # Such a backend has no list at all, and its models stand in the settings.
            self.unlisted[provider.name] = error


def _offer(settings: Settings, provider: Provider, reference: str, model: str) -> ModelOffer:
    return ModelOffer(
        reference=reference,
        provider=provider.name,
        model=model,
        images=known_model(provider, model, settings.models).sees,
        local=provider.kind == "local",
    )


def _names_like(name: str) -> Mapping[str, None]:
    """The name, and names for further servers of the same program."""
    return dict.fromkeys([name, *(f"{name}{number}" for number in range(2, 100))])


def same_place(written: str, found: str) -> bool:
    """Whether two addresses mean the same port of this machine, whatever name they use for it."""
    try:
        ports = {urlsplit(address).port for address in (written, found) if urlsplit(address).hostname in _LOOPBACK}
    except ValueError:
        return False
    return len(ports) == 1 and urlsplit(written).hostname in _LOOPBACK
