"""The terminal's requests to the engine."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from assistant.core.machine.states import TurnId
from assistant.core.service.connection import Connection
from assistant.core.service.request import Refusal, RefusedError, Request
from assistant.core.service.requests.turns import AS_SET, AnswerAgain, BeginTurn, EditMessage, TurnOptions
from assistant.terminal.screen import Screen

R = TypeVar("R")


class Line(Protocol):
    """The line in which the user types."""

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        """Wait without a prompt until ``busy`` is false."""
        ...

    async def reply(self, prompt: str, over: Callable[[], bool]) -> str:
        """Read an answer to a question."""
        ...

    def wake(self) -> None:
        """Look again whether to wait; may be called on any thread."""
        ...


def words_of(refusal: Refusal) -> str:
    """What the user reads of a refusal."""
    return f"! {refusal.words}"


class TerminalRequests:
    """Sends requests.

    Args:
        connection: the connection to the engine.
        line: waits, and lets the user give up.
        screen: shows what was refused.
        options: choices for all turns, in place of the settings.
    """

    def __init__(self, connection: Connection, line: Line, screen: Screen, options: TurnOptions = AS_SET) -> None:
        self._connection, self._line, self._screen, self._options = connection, line, screen, options

    def new_turn(self) -> TurnId:
        """A new id for a turn."""
        return self._connection.new_turn()

    def send(self, request: Request[R], then: Callable[[R], None] = lambda _: None) -> None:
        """Send a request and go on. Its result goes to ``then``, on another thread; a refusal is shown."""

        def take(reply: Any) -> None:
            if isinstance(reply, Refusal):
                self._screen.say(words_of(reply))
            else:
                then(reply)
            self._line.wake()

        self._connection.ask(request, take)

    def begin(self, request: BeginTurn | AnswerAgain | EditMessage) -> None:
        """Begin a turn, whose answer the screen awaits."""
        self._screen.expect_answer(request.turn)

        def take(reply: object) -> None:
            if isinstance(reply, Refusal):
                self._screen.say(words_of(reply))
                self._screen.expect_no_answer(request.turn)
            self._line.wake()

        self._connection.ask(replace(request, options=self._options), take)

    async def result(self, request: Request[R]) -> R:
        """Send a request and wait for its result. Whoever gives up, gives the request up as well.

        Raises what ``Line.wait_while`` raises when the user gives up, and also:

        Raises:
            RefusedError: the engine refused it.
        """
        replies: list[Any] = []

        def take(reply: Any) -> None:
            replies.append(reply)
            self._line.wake()

        asked = self._connection.ask(request, take)
        try:
            await self._line.wait_while(lambda: not replies)
        finally:
            if not replies:
                self._connection.cancel(asked)
        reply = replies[0]
        if isinstance(reply, Refusal):
            raise RefusedError(reply)
        return reply  # type: ignore[no-any-return]
