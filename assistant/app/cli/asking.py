"""Carries out a command's requests: the engine that runs does, or the part of one that the command needs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.request import Request
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.remote.local.endpoint import is_running

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

R = TypeVar("R")
MakePart = Callable[["Hub"], "Domain | AbstractContextManager[Domain] | AbstractAsyncContextManager[Domain]"]
"""Makes the owner of a command's requests, where no engine runs; it imports what it needs."""


class CarryOut(Protocol):
    """Has a request carried out, and returns its result."""

    async def __call__(self, request: Request[R]) -> R:
        """Wait for the result.

        Raises:
            RefusedError: it is refused.
        """
        ...


@asynccontextmanager
async def asking(
    places: Places,
    texts: Texts,
    part: MakePart,
    deliver: Callable[[Delivery], None] | None = None,
    *,
    name: str = "command",
    returns: bool = False,
) -> AsyncIterator[Connection]:
    """Connect to the engine that runs for this home, or to a part of one in this process while none runs.

    Args:
        places: the user's files.
        texts: the user's words.
        part: makes the part; it ends with the connection.
        deliver: takes the events, on a thread of the connection; ``None`` if none are wanted.
        name: what kind of client it is.
        returns: see ``connect``.

    Raises:
        RefusedError: the engine does not take this program.
        SoriError: no engine runs, and the part cannot be made.
    """
    connection: Connection | None = None
    if is_running(places.home):
        from assistant.remote.local.client import connect  # The form of frames takes a while to import.

        connection = connect(places.home, texts, deliver, name=name, returns=returns)
    if connection is not None:
        try:
            yield connection
        finally:
            connection.close()
        return
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import RequestTable

    hub = Hub(texts)
    own = hub.connect(deliver or (lambda _: None), name=name)
    async with AsyncExitStack() as ending:
        made = part(hub)
        if isinstance(made, AbstractAsyncContextManager):
            made = await ending.enter_async_context(made)
        elif isinstance(made, AbstractContextManager):
            made = ending.enter_context(made)
        hub.serve(RequestTable(made))
        try:
            yield own
        finally:
            await hub.close()
            own.close()


def carry_out(places: Places, texts: Texts, part: MakePart, request: Request[R]) -> R:
    """Carry out one request as ``asking`` does. Not within an event loop."""
    return attached(places, texts, part, lambda ask: ask(request))


def attached(
    places: Places,
    texts: Texts,
    part: MakePart,
    work: Callable[[CarryOut], Coroutine[Any, Any, R]],
    deliver: Callable[[Delivery], None] | None = None,
) -> R:
    """Do the work of a command that asks several times, with ``asking``. Not within an event loop."""

    async def do() -> R:
        async with asking(places, texts, part, deliver) as connection:
            return await work(connection.result)

    return asyncio.run(do())
