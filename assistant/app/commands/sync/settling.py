"""Waits until it is clear how the syncing stands."""

import asyncio
import sys
from typing import Final

from assistant.app.cli.asking import CarryOut
from assistant.core.records.sync import SyncStanding
from assistant.core.service.events import Delivery
from assistant.core.service.requests.sync.account import ReadSync, SyncView
from assistant.core.texts import Texts
from assistant.core.updates import SyncChanged

LOOK_S: Final = 15.0
"""How long a command that only shows the syncing waits for the server, in seconds."""
_MOVING: Final = frozenset({SyncStanding.STARTING, SyncStanding.WORKING})


class Settling:
    """Follows the events of the engine that carries the command out.

    Args:
        texts: the user's words.

    Attributes:
        alone: whether no engine runs, so that nothing is exchanged once the command has ended.
    """

    def __init__(self, texts: Texts) -> None:
        self._texts, self.alone = texts, False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changed = asyncio.Event()

    def take(self, delivery: Delivery) -> None:
        """Take an event. On any thread."""
        if self._loop is not None and isinstance(delivery.event, SyncChanged):
            self._loop.call_soon_threadsafe(self._changed.set)

    async def settled(self, ask: CarryOut, *, limit_s: float | None = None) -> SyncView:
        """How the syncing stands once this device has what the account has, or cannot have it now.

        Args:
            ask: sends requests.
            limit_s: after so many seconds what stands then; ``None`` for no limit.

        Raises:
            RefusedError: the engine ends.
        """
        self._loop = asyncio.get_running_loop()
        view = await ask(ReadSync())
        try:
            async with asyncio.timeout(limit_s):
                # Who only wants to see how it stands does not wait for a silent server.
                moving = _MOVING if limit_s is not None else _MOVING | {SyncStanding.SILENT}
                while view.state.standing in moving:
                    self._show(view)
                    await self._changed.wait()
                    self._changed.clear()
                    view = await ask(ReadSync())
        except TimeoutError:
            return view
        except asyncio.CancelledError:
            print(self._texts("sync.goes_on"), file=sys.stderr)
            raise
        return view

    def _show(self, view: SyncView) -> None:
        """A person sees how much is left."""
        if sys.stderr.isatty():
            print(view.words, file=sys.stderr)
