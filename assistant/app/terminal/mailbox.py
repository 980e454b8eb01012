"""Sends controls to the engine and waits for the updates that reply."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from assistant.core import controls as ct
from assistant.core import updates as up

Expected = TypeVar("Expected", bound=up.Update)


class NoReplyError(Exception):
    """The engine has ended, or has told an error instead of a reply."""


class Line(Protocol):
    """The line in which the user types."""

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        """Wait without a prompt until ``busy`` is false."""
        ...

    async def reply(self, prompt: str, over: Callable[[], bool]) -> str:
        """Read an answer to a question."""
        ...


class Mailbox:
    """Keeps the first update that is waited for. ``put`` is called on the engine's thread, the rest on the console's.

    Args:
        engine: takes the controls.
        line: waits, and lets the user give up.
        stopped: whether the engine has ended.
    """

    def __init__(self, engine: ct.Controls, line: Line, stopped: Callable[[], bool]) -> None:
        self._engine, self._line, self._stopped = engine, line, stopped
        self._wanted: Callable[[up.Update], bool] | None = None
        self._found: up.Update | None = None

    def put(self, update: up.Update) -> None:
        """Keep the update if it is the wanted one, or tells an error."""
        troubled = isinstance(update, up.NoticePosted) and update.severity is not up.Severity.INFO
        if self._waiting and self._wanted is not None and (troubled or self._wanted(update)):
            self._found = update

    def send(self, control: ct.Control) -> None:
        """Send a control that has no reply."""
        self._engine.send(control)

    async def request(
        self, control: ct.Control, kind: type[Expected], wanted: Callable[[Expected], bool] = lambda _: True
    ) -> Expected:
        """Send a control and wait for the first update of this kind that is wanted.

        Raises what ``Line.wait_while`` raises when the user gives up, and also:

        Raises:
            NoReplyError: no such update comes; the user has been told why.
        """
        self._found, self._wanted = None, lambda update: isinstance(update, kind) and wanted(update)
        self._engine.send(control)
        try:
            await self._line.wait_while(lambda: self._waiting and not self._stopped())
        finally:
            found = self._take()
        if not isinstance(found, kind):
            raise NoReplyError
        return found

    def _take(self) -> up.Update | None:
        found, self._found, self._wanted = self._found, None, None
        return found

    @property
    def _waiting(self) -> bool:
        return self._wanted is not None and self._found is None
