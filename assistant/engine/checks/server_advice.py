"""What the user is told of the server's functions and of this device's login there."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from assistant.core.texts import Texts

if TYPE_CHECKING:
    from assistant.sync.postgres.functions import ServerFunctions


def advice(functions: "ServerFunctions", address: str, texts: Texts) -> list[str]:
    """What the user can do, with the commands; empty if all is well.

    Args:
        functions: what the server has.
        address: the server's, without a password.
        texts: the user's words.
    """
    from assistant.sync.postgres.schema import LATEST

    versions = {"server": str(functions.version), "here": str(LATEST)}
    owners = by_owner(address)
    found = []
    if functions.read_only:
        found.append(texts("sync.server_read_only"))
    if functions.older:
        found.append(texts("sync.server_older", **versions, address=owners))
    if functions.newer:
        found.append(texts("sync.server_newer", **versions))
    if functions.makes_logins:
        found.append(texts("sync.broad_login", address=owners))
    return found


def by_owner(address: str) -> str:
    """An address in which the owner's name stands in place of the user's."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=f"OWNER@{parts.netloc.rpartition('@')[2]}"))
