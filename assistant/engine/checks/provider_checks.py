"""Checks of ``sori doctor`` for the configured providers: key, last exchange and, on request, the server."""

import asyncio
import stat
import sys
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.records.usage import INTERRUPTED, Exchange
from assistant.core.settings import Provider, Settings
from assistant.host.clock import SystemClock
from assistant.host.keys import FoundKey, Keys
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.router import BackendRegistry
from assistant.llm.transport.endpoint import wants_key
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.usage import UsageStore

_REMEMBERED_DAYS = 30
_OTHERS_READ_OR_WRITE = stat.S_IRWXG | stat.S_IRWXO
_ANSWER_LIMIT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderState:
    """Results of the checks of a provider.

    Attributes:
        provider: the provider.
        key: its key and the key's source.
        needs_key: whether it is known to need a key.
        last_failure: its last exchange, if an error ended it; ``outcome`` is the error's code.
        models: number of models that its server listed; ``None`` if it was not asked or cannot list models.
        trouble: the error of its server; ``None`` if it answered or was not asked.
    """

    provider: Provider
    key: FoundKey
    needs_key: bool
    last_failure: Exchange | None = None
    models: int | None = None
    trouble: SoriError | None = None


def provider_states(places: Places, settings: Settings, *, online: bool) -> tuple[ProviderState, ...]:
    """Check all configured providers, in their order.

    Args:
        places: the user's files.
        settings: all settings.
        online: whether to ask each server for its list of models; these requests are recorded like any other.

    Raises:
        StorageError: the database cannot be read.
    """
    if not settings.providers:
        return ()
    return asyncio.run(_states(places, settings, online=online))


def others_can_read(config: Path, settings: Settings) -> bool:
    """Whether the settings file contains keys and other users of this machine may read it."""
    if sys.platform == "win32" or not any(each.api_key for each in settings.providers):
        return False
    return bool(config.stat().st_mode & _OTHERS_READ_OR_WRITE)


async def _states(places: Places, settings: Settings, *, online: bool) -> tuple[ProviderState, ...]:
    clock, keys = SystemClock(), Keys()
    database = await Database.open(places.database, clock)
    try:
        exchanges = await UsageStore(database, clock).exchanges(clock.now() - timedelta(days=_REMEMBERED_DAYS))
        needs = BackendNeeds(
            key_of=keys.of,
            ledger=EgressStore(database, clock),
            embedded_model=open_store(places.home).folder / PLACEHOLDER_MODEL,
        )
        router = BackendRegistry.discovered(needs)
        try:
            asking = (_state(each, keys, exchanges, router if online else None) for each in settings.providers)
            return tuple(await asyncio.gather(*asking))
        finally:
            await router.close()
    finally:
        await database.close()


async def _state(
    provider: Provider, keys: Keys, exchanges: tuple[Exchange, ...], router: BackendRegistry | None
) -> ProviderState:
    embedded = provider.kind == "local" and not provider.base_url
    found = ProviderState(
        provider=provider,
        key=FoundKey() if embedded else await asyncio.to_thread(keys.find, provider),
        needs_key=not embedded and wants_key(provider),
        last_failure=_last_failure(provider, exchanges),
    )
    if router is None or embedded:
        return found
    models, trouble = await _ask(provider, router)
    return replace(found, models=models, trouble=trouble)


def _last_failure(provider: Provider, exchanges: tuple[Exchange, ...]) -> Exchange | None:
    """The provider's newest exchange, if an error ended it. Exchanges that the end of Sori cut off are ignored."""
    ended = (each for each in reversed(exchanges) if each.provider == provider.name and each.outcome != INTERRUPTED)
    last = next(ended, None)
    return last if last is not None and last.failed else None


async def _ask(provider: Provider, router: BackendRegistry) -> tuple[int | None, SoriError | None]:
    try:
        backend = router.backend_for(provider)
        async with asyncio.timeout(_ANSWER_LIMIT_S):
            return len(await backend.models(provider)), None
    except SoriError as error:
        return None, error
    except TimeoutError as error:
        detail = f"the server did not answer within {_ANSWER_LIMIT_S:g} s"
        return None, ProviderError(ErrorCode.TIMEOUT, detail, provider=provider.name, cause=error)
