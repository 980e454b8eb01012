"""A connection that records every request, and replies when it is told to."""

from collections.abc import Callable
from typing import Any, Final

from assistant.core.machine.states import TurnId
from assistant.core.service.request import ClientId, Refusal, RefusedError, Request, RequestId

DONE: Final = object()
"""The answer of a request without a result."""


class RecordedConnection:
    """Implements ``Connection``.

    Attributes:
        sent: every request, in order.
        cancelled: the requests that were given up.
        answers: gives the reply of a request at once; ``None`` to leave it open, ``DONE`` for no result.
    """

    def __init__(self, answers: Callable[[Request[Any]], Any] = lambda _: None) -> None:
        self.sent: list[Request[Any]] = []
        self.cancelled: list[Request[Any]] = []
        self.answers = answers
        self._open: dict[RequestId, tuple[Request[Any], Callable[[Any], None]]] = {}
        self._turns = self._requests = 0

    @property
    def client(self) -> ClientId:
        return ClientId("client")

    def new_turn(self) -> TurnId:
        self._turns += 1
        return TurnId(str(self._turns))

    def ask(self, request: Request[Any], reply: Callable[[Any], None]) -> RequestId:
        """Record a request."""
        self.sent.append(request)
        self._requests += 1
        identity = RequestId(str(self._requests))
        answer = self.answers(request)
        if answer is None:
            self._open[identity] = request, reply
        else:
            reply(None if answer is DONE else answer)
        return identity

    async def result(self, request: Request[Any]) -> Any:
        """The answer of ``answers``."""
        self.sent.append(request)
        answer = self.answers(request)
        if isinstance(answer, Refusal):
            raise RefusedError(answer)
        return answer

    def cancel(self, request: RequestId) -> None:
        """Record what is given up."""
        if request in self._open:
            self.cancelled.append(self._open.pop(request)[0])

    def close(self) -> None:
        """End the connection."""

    def reply(self, kind: type[Request[Any]], answer: Any) -> None:
        """Reply to the newest open request of a kind."""
        identity = next(each for each in reversed(self._open) if isinstance(self._open[each][0], kind))
        self._open.pop(identity)[1](answer)
