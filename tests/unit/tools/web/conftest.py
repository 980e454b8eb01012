import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.fakes.ledger import MemoryLedger
from tests.fakes.site import Site


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    it = Site()
    server = await asyncio.start_server(it.serve, "127.0.0.1", 0)
    it.port = server.sockets[0].getsockname()[1]
    async with server:
        yield it


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()
