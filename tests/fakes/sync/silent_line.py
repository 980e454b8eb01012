"""A line to a server that stays connected and carries nothing while it is silent, as to a computer that hangs."""

import asyncio
from pathlib import Path
from typing import Self

from psycopg.conninfo import conninfo_to_dict


class SilentLine:
    """Passes on what comes for a server's socket, until it is silent.

    Args:
        folder: for the socket of the line.
        address: the server's, on a socket.

    Attributes:
        address: the server's by way of the line.
    """

    def __init__(self, folder: Path, address: str) -> None:
        parts = conninfo_to_dict(address)
        name = f".s.PGSQL.{parts.get('port', 5432)}"
        self._target, self._socket = Path(str(parts["host"])) / name, folder / name
        self.address = address.replace(str(parts["host"]), str(folder))
        self._speaks = asyncio.Event()
        self._speaks.set()
        self._carrying: set[asyncio.Task[None]] = set()

    def be_silent(self, silent: bool = True) -> None:
        """Carry nothing from now on, or again."""
        if silent:
            self._speaks.clear()
        else:
            self._speaks.set()

    async def __aenter__(self) -> Self:
        self._listening = await asyncio.start_unix_server(self._carry, self._socket)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        for each in self._carrying:
            each.cancel()
        await asyncio.gather(*self._carrying, return_exceptions=True)

    async def _carry(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        server, to_server = await asyncio.open_unix_connection(self._target)
        for source, target in ((client, to_server), (server, to_client)):
            self._carrying.add(asyncio.create_task(self._pass_on(source, target)))

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._speaks.wait()
                target.write(data)
                await target.drain()
        except OSError:
            pass  # One side has gone.
        finally:
            target.close()
