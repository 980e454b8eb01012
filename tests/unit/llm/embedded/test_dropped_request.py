"""The embedded server closes the connection of a request without an answer, as it does when the request comes late."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.llm.backend import Finished, ModelMessage, ModelRequest
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.providers.local import LocalBackend
from tests.fakes.ledger import MemoryLedger

pytestmark = pytest.mark.models

PROVIDER = Provider(name="embedded", kind="local")
REQUEST = ModelRequest(
    model=PLACEHOLDER_MODEL, system="", messages=(ModelMessage(role="user", text="Hello!"),), max_output_tokens=2
)


@asynccontextmanager
async def dropping_first(base_url: str) -> AsyncIterator[tuple[str, list[int]]]:
    """An address that closes its first connection unanswered, and hands every other one to ``base_url``."""
    target = urlsplit(base_url)
    connections: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(len(connections))
        if len(connections) > 1:
            there, back = await asyncio.open_connection(target.hostname, target.port)
            await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}{target.path}", connections


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(1 << 14):
        writer.write(piece)
    writer.close()


async def test_a_first_request_that_is_dropped_is_answered_all_the_same(model_path: Callable[[str], Path]) -> None:
    backend = LocalBackend(
        BackendNeeds(
            ledger=MemoryLedger(),
            key_of=lambda _: "",
            embedded_model=model_path(PLACEHOLDER_MODEL),
            settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=512, threads=1))),
        )
    )
    try:
        async with dropping_first(await backend.embedded.start()) as (address, connections):
            backend.embedded._base_url = address
            deltas = [delta async for delta in backend.stream(PROVIDER, REQUEST)]
    finally:
        await backend.close()
    assert isinstance(deltas[-1], Finished)
    assert connections == [0, 1]
