"""Carries out a command's requests: the engine that runs does, or the same domains in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assistant.core.service.request import Request
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.remote.local.client import connect

if TYPE_CHECKING:
    from assistant.engine.serving.table import Domain

R = TypeVar("R")


class CarryOut(Protocol):
    """Has a request carried out, and returns its result."""

    async def __call__(self, request: Request[R]) -> R:
        """Wait for the result.

        Raises:
            RefusedError: the running engine refuses it.
            SoriError: it is refused in this process.
        """
        ...


@asynccontextmanager
async def asking(places: Places, texts: Texts, domain: Callable[[], "Domain"]) -> AsyncIterator[CarryOut]:
    """Connect to the engine that runs for this home, or carry out requests here while none runs.

    Args:
        places: the user's files.
        texts: the user's words.
        domain: makes the owner of the requests, if no engine runs. It imports what it needs.

    Raises:
        RefusedError: the engine does not take this program.
    """
    connection = connect(places.home, texts, name="command")
    if connection is None:
        yield _here(domain())
        return
    try:
        yield connection.result
    finally:
        connection.close()


def carry_out(places: Places, texts: Texts, domain: Callable[[], "Domain"], request: Request[R]) -> R:
    """Carry out one request as ``asking`` does. Not within an event loop."""
    return attached(places, texts, domain, lambda ask: ask(request))


def attached(
    places: Places, texts: Texts, domain: Callable[[], "Domain"], work: Callable[[CarryOut], Coroutine[Any, Any, R]]
) -> R:
    """Do the work of a command that asks several times, with ``asking``. Not within an event loop."""

    async def do() -> R:
        async with asking(places, texts, domain) as ask:
            return await work(ask)

    return asyncio.run(do())


async def carried_out(places: Places, texts: Texts, request: Request[Any]) -> bool:
    """Have the engine that runs carry out a request; ``False`` if none runs.

    Raises:
        RefusedError: it refuses it, or does not take this program.
    """
    connection = connect(places.home, texts, name="command")
    if connection is None:
        return False
    try:
        await connection.result(request)
    finally:
        connection.close()
    return True


def _here(domain: "Domain") -> CarryOut:
    from assistant.core.service.grant import OWNER
    from assistant.core.service.request import NO_CLIENT
    from assistant.engine.serving.table import Asker, RequestTable

    table, asker = RequestTable(domain), Asker(client=NO_CLIENT, grant=OWNER)

    async def ask(request: Request[Any]) -> Any:
        owner = table.admit(request, asker)
        return await table.in_order(lambda: owner.handler(request, asker), owner.lane)

    return ask
