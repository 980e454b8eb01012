"""The way of a request to a provider, for models that are asked beside the conversation."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Provider
from assistant.llm.backend import ProviderBackend
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.router import BackendRegistry
from tests.fakes.ledger import MemoryLedger

BackendFor = Callable[[Provider], ProviderBackend]
Backends = Callable[[LiveSettings, str], BackendFor]


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
async def backends(ledger: MemoryLedger, tmp_path: Path) -> AsyncIterator[Backends]:
    """Makes the function that gives the backend of a provider, with an API key."""
    registries: list[BackendRegistry] = []

    def made(live: LiveSettings, key: str) -> BackendFor:
        needs = BackendNeeds(key_of=lambda _: key, ledger=ledger, embedded_model=tmp_path, settings=live)
        registries.append(BackendRegistry.discovered(needs))
        return registries[-1].backend_for

    yield made
    for registry in registries:
        await registry.close()
