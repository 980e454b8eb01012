"""Sori's own server, which holds one conversation and so answers one request at a time."""

import asyncio
from typing import Self

from assistant.agent.emitter import Emitter
from assistant.core.texts import Texts


class OwnServerUse:
    """How one request uses Sori's own server; as a context manager it gives the server back at the end of the block.

    Args:
        lock: held by the request that uses the server.
        emitter: told when there is something to wait for.
        texts: the user's words.
    """

    def __init__(self, lock: asyncio.Lock, emitter: Emitter, texts: Texts) -> None:
        self._lock, self._emitter, self._texts = lock, emitter, texts
        self._wanted = self._held = False

    async def __aenter__(self) -> Self:
        """Enter the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Give the server back."""
        self.give_back()

    async def take(self) -> None:
        """Wait until no other request is answered by the server, and use it from now on."""
        self._wanted = True
        await self.resume()

    def give_back(self) -> None:
        """Let others use the server: the request waits for the user, who may take long."""
        if self._held:
            self._held = False
            self._lock.release()

    async def resume(self) -> None:
        """Use the server again if it was given back."""
        if self._held or not self._wanted:
            return
        if self._lock.locked():
            self._emitter.status("own_server_busy", self._texts("chat.own_server_busy"))
        await self._lock.acquire()
        self._held = True
