"""A backend with a scripted server of its wire format, for the contract suites.

Each kind is tested against a real server on loopback. ``WIRES`` names its wire format; a new provider adds a line
there.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from assistant.core.errors import ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import (
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ProviderBackend,
    TextDelta,
    ToolSchema,
    Usage,
)
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.router import BackendRegistry
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import ModelServer, Reply
from tests.fakes.model_server.wire import Wire
from tests.fakes.model_server.wire_anthropic import AnthropicWire
from tests.fakes.model_server.wire_google import GoogleWire
from tests.fakes.model_server.wire_openai import OpenAIWire

WIRES: dict[str, Callable[[], Wire]] = {
    "openai": OpenAIWire,
    "local": OpenAIWire,
    "zai": OpenAIWire,
    "anthropic": AnthropicWire,
    "google": GoogleWire,
}

KEY = "sk-contract-0123456789"
REQUEST = ModelRequest(
    model="scripted-model",
    system="You are Sori.",
    messages=(ModelMessage(role="user", text="지금 몇 시야?"),),
    tools=(ToolSchema(name="clock", description="Tells the time.", parameters={"type": "object", "properties": {}}),),
)


def needs(ledger: MemoryLedger | None = None) -> BackendNeeds:
    return BackendNeeds(ledger=ledger or MemoryLedger(), key_of=lambda _: KEY, embedded_model=Path("absent.gguf"))


KINDS = BackendRegistry.discovered(needs()).kinds

FORMATS = ("openai", "anthropic", "google")
"""One kind for each wire format. The other kinds use the same code and SDK, with small differences."""


class Bench:
    """A backend with a scripted server."""

    def __init__(self, kind: str, backend: ProviderBackend, server: ModelServer, ledger: MemoryLedger) -> None:
        self.ledger = ledger
        self.backend = backend
        self.server = server
        self.provider = Provider(name="mine", kind=kind, base_url=server.base_url)

    def stream(self, request: ModelRequest = REQUEST) -> Any:
        return self.backend.stream(self.provider, request)

    async def all(self, request: ModelRequest = REQUEST) -> list[ModelDelta]:
        return [delta async for delta in self.stream(request)]

    async def failure(self, request: ModelRequest = REQUEST) -> tuple[ProviderError, list[ModelDelta]]:
        """The error at the end of a stream, and the deltas before it except ``Usage``."""
        deltas: list[ModelDelta] = []

        async def consume() -> None:
            async for delta in self.stream(request):
                deltas.extend((delta,))

        with pytest.raises(ProviderError) as raised:
            await consume()
        return raised.value, [delta for delta in deltas if not isinstance(delta, Usage)]


class Open(Protocol):
    """Opens a bench; ``script`` and ``options`` as for ``ModelServer``."""

    def __call__(self, *script: Reply, **options: Any) -> AbstractAsyncContextManager[Bench]:
        """The bench, open inside the block."""
        ...


def opening(kind: str) -> Open:
    """A function that opens benches of one kind."""

    @asynccontextmanager
    async def open_bench(*script: Reply, **options: Any) -> AsyncIterator[Bench]:
        ledger = MemoryLedger()
        router = BackendRegistry.discovered(needs(ledger))
        async with ModelServer(script or (Reply(),), wire=WIRES[kind](), **options) as server:
            bench = Bench(kind, router.backend_for(Provider(name="mine", kind=kind)), server, ledger)
            try:
                yield bench
            finally:
                await router.close()

    return open_bench


def text_of(deltas: list[ModelDelta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
