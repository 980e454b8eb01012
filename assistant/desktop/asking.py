"""The window's requests to the engine."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject
from shiboken6 import isValid

from assistant.core.machine.states import TurnId
from assistant.core.service.request import Refusal, Request, RequestId

R = TypeVar("R")


def _ignore(_: object) -> None:
    pass


class Asks(Protocol):
    """The part of a ``Connection`` that the window uses."""

    def new_turn(self) -> TurnId:
        """A new id for a turn."""
        ...

    def ask(self, request: Request[R], reply: Callable[[R | Refusal], None]) -> RequestId:
        """Send a request."""
        ...

    def cancel(self, request: RequestId) -> None:
        """Give a request up."""
        ...


class WindowRequests:
    """Sends requests. A refusal that nobody handles is told to the user.

    Args:
        connection: the connection to the engine; its replies come on Qt's thread.
        tell: takes the words of a refusal.
        owner: the view that asks; replies that come after its end are dropped. ``None`` for the whole window.
    """

    def __init__(self, connection: Asks, tell: Callable[[str], None], owner: QObject | None = None) -> None:
        self._connection, self._tell, self._owner = connection, tell, owner

    def within(self, owner: QObject) -> "WindowRequests":
        """Requests of a view that may be closed before their replies come."""
        return WindowRequests(self._connection, self._tell, owner)

    def __call__(
        self,
        request: Request[R],
        then: Callable[[R], None] = _ignore,
        otherwise: Callable[[Refusal], None] | None = None,
    ) -> RequestId:
        """Send a request.

        Args:
            request: the request.
            then: takes the result.
            otherwise: takes a refusal; ``None`` to tell the user.
        """

        def take(reply: Any) -> None:
            if self._owner is not None and not isValid(self._owner):
                return
            if not isinstance(reply, Refusal):
                then(reply)
            elif otherwise is not None:
                otherwise(reply)
            elif reply.reason not in {"engine_gone", "cancelled"}:  # told otherwise, or wanted
                self._tell(reply.words)

        return self._connection.ask(request, take)

    def cancel(self, request: RequestId) -> None:
        """Give a request up."""
        self._connection.cancel(request)

    def new_turn(self) -> TurnId:
        """A new id for a turn."""
        return self._connection.new_turn()
