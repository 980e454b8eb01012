"""Carries out a command's requests: the engine that runs does, or the same domains in this process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assistant.core.service.request import Request
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.remote.local.client import connect

if TYPE_CHECKING:
    from assistant.engine.serving.table import Domain

R = TypeVar("R")
MakeDomain = Callable[[], "Domain | AbstractAsyncContextManager[Domain]"]


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
async def asking(places: Places, texts: Texts, domain: MakeDomain) -> AsyncIterator[CarryOut]:
    """Connect to the engine that runs for this home, or carry out requests here while none runs.

    Args:
        places: the user's files.
        texts: the user's words.
        domain: makes the owner of the requests, if no engine runs, also one that has to be closed. It
            imports what it needs.

    Raises:
        RefusedError: the engine does not take this program.
    """
    connection = connect(places.home, texts, name="command")
    if connection is None:
        made = domain()
        async with made if isinstance(made, AbstractAsyncContextManager) else nullcontext(made) as own:
            yield _here(own)
        return
    try:
        yield connection.result
    finally:
        connection.close()


def carry_out(places: Places, texts: Texts, domain: MakeDomain, request: Request[R]) -> R:
    """Carry out one request as ``asking`` does. Not within an event loop."""
    return attached(places, texts, domain, lambda ask: ask(request))


def attached(places: Places, texts: Texts, domain: MakeDomain, work: Callable[[CarryOut], Coroutine[Any, Any, R]]) -> R:
    """Do the work of a command that asks several times, with ``asking``. Not within an event loop."""

    async def do() -> R:
        async with asking(places, texts, domain) as ask:
            return await work(ask)

    return asyncio.run(do())


def _here(domain: "Domain") -> CarryOut:
    from assistant.core.service.grant import OWNER
    from assistant.core.service.request import NO_CLIENT
    from assistant.engine.serving.table import Asker, RequestTable

    table, asker = RequestTable(domain), Asker(client=NO_CLIENT, grant=OWNER)

    async def ask(request: Request[Any]) -> Any:
        owner = table.admit(request, asker)
        return await table.in_order(lambda: owner.handler(request, asker), owner.lane)

    return ask
