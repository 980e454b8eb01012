"""Names on the server, and the statements that make its tables and functions (``resources/sync/``)."""

from importlib import resources
from typing import Final

SCHEMA: Final = "sori_sync"
CHANNEL: Final = "sori_sync"
"""The channel of NOTIFY. Its payload is the account's id in hexadecimal digits."""
REVOKED: Final = "SR001"
STALE: Final = "SR002"
NO_INVITATION: Final = "SR003"
"""SQLSTATEs of the functions' refusals."""
LATEST: Final = 3
"""The newest version."""


def statements_of(version: int) -> bytes:
    """The statements that bring a server from the version before to this one."""
    return resources.files("assistant.resources").joinpath(f"sync/server-{version}.sql").read_bytes()
