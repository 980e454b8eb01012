"""The connection of one client to the engine. Every door uses this interface, in the engine's process or in another."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from assistant.core.machine.states import TurnId
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import ClientId, Refusal, Request, RequestId

GONE_NOTICE: Final = "notice.engine_gone"
"""``NoticePosted.key`` with which a connection to another process tells that the engine has gone. It then waits for the
next one. What the former one has begun is over."""

R = TypeVar("R")


class Connection(Protocol):
    """One client's way to the engine. All methods may be called from any thread and return at once."""

    @property
    def client(self) -> ClientId:
        """The client's id."""
        ...

    def new_turn(self) -> TurnId:
        """A new id for a turn that this client begins: a UUID of version 7."""
        ...

    def ask(self, request: Request[R], reply: Callable[[R | Refusal], None]) -> RequestId:
        """Send a request.

        Args:
            request: the request.
            reply: called exactly once, on a thread of the connection's choice: with the result, or with the refusal.
                A connection that ends answers what is still open with a refusal of the reason ``engine_gone``.

        Returns:
            The request's id, for ``cancel``.
        """
        ...

    async def result(self, request: Request[R]) -> R:
        """Send a request and wait for its result, on any event loop. Cancelling the task cancels the request.

        Raises:
            RefusedError: the engine refused it.
        """
        ...

    def cancel(self, request: RequestId) -> None:
        """Give a request up. Its reply still comes, a refusal of the reason ``cancelled`` if it was not over."""
        ...

    def close(self) -> None:
        """End the connection. Its turns go on; nothing more is delivered."""
        ...


class EngineService(Protocol):
    """The engine, to which clients connect."""

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client. It gets the newest states first, and follows no conversation.

        Args:
            deliver: takes the events for this client, one after another, on a thread of the connection's choice. A
                client that falls behind delays nobody: what it cannot take is dropped, and it is told so (``Missed``).
            name: what kind of client it is, for logs and for the user: ``window``, ``terminal``, ``http``.
            grant: what its requests and turns may do.
        """
        ...
