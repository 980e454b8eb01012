"""A line to a server, on which a program ends as if it was killed at a chosen moment of what it asks."""

import asyncio
from contextlib import suppress
from pathlib import Path

from tests.fakes.sync.silent_line import SilentLine


class DeadlyLine(SilentLine):
    """Passes on what comes for a server's socket, until it kills who asks.

    Attributes:
        killed: whether it has.
    """

    def __init__(self, folder: Path, address: str) -> None:
        super().__init__(folder, address)
        self._words: list[bytes] = []
        self._victim: asyncio.subprocess.Process | None = None
        self.killed = False

    def kill(self, *words: str) -> None:
        """Kill once the server has carried out statements with these words, one after another. No answer comes."""
        self._words, self.killed = [each.encode() for each in words], False

    def carry_for(self, process: asyncio.subprocess.Process) -> None:
        """Name the process that is to be killed."""
        self._victim = process

    async def _carry(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        server, to_server = await asyncio.open_unix_connection(self._target)
        last = asyncio.Event()
        for work in (self._ask(client, to_server, last), self._answer(server, to_client, last)):
            self._carrying.add(asyncio.create_task(work))

    async def _ask(self, client: asyncio.StreamReader, server: asyncio.StreamWriter, last: asyncio.Event) -> None:
        with suppress(OSError):
            while asked := await client.read(65536):
                if self._words and self._words[0] in asked:
                    del self._words[0]
                    if not self._words:
                        last.set()
                server.write(asked)
        server.close()

    async def _answer(self, server: asyncio.StreamReader, client: asyncio.StreamWriter, last: asyncio.Event) -> None:
        with suppress(OSError):
            while answer := await server.read(65536):
                if last.is_set() and self._victim is not None:
                    self._victim.kill()
                    self.killed = True
                    break
                client.write(answer)
        client.close()
