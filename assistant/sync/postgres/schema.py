"""Names on the server, and the statements that make its tables and functions (``resources/sync/``)."""

from importlib import resources
from typing import Final

SCHEMA: Final = "sori_sync"
CHANNEL: Final = "sori_sync"
"""The channel of NOTIFY of servers before ``OWN_CHANNELS``. Its payload is the account's id in hexadecimal digits."""
LEASES_TOLD: Final = 2
NEWER_KEYS: Final = 3
OWN_CHANNELS: Final = 4
"""Versions from which on the server tells who leads, has codes and newer keys, has a channel for each account."""
REVOKED: Final = "SR001"
STALE: Final = "SR002"
NO_INVITATION: Final = "SR003"
"""SQLSTATEs of the functions' refusals."""
UNKNOWN: Final = "42883"
"""SQLSTATE where the server does not have a function."""
EMPTIED: Final = ("3F000", "42P01")
"""SQLSTATEs where it has no such schema, or no such table."""
LATEST: Final = 5
"""The newest version."""


def channel_of(account: bytes) -> str:
    """The channel of NOTIFY of an account."""
    return f"{CHANNEL}_{account.hex()}"


def statements_of(version: int) -> bytes:
    """The statements that bring a server from the version before to this one."""
    return resources.files("assistant.resources").joinpath(f"sync/server-{version}.sql").read_bytes()
