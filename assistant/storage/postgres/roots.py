"""Whom a server's certificate may be signed by, where its address asks for a check and does not say so.

The libpq that comes with psycopg looks in folders that no system has, so ``sslmode=verify-full`` alone, and
``sslrootcert=system`` too, would let no server in.
"""

import os
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import certifi

_SYSTEM: Final = "system"
_VARIABLE: Final = "PGSSLROOTCERT"
_MODE: Final = "PGSSLMODE"
_OF_USER: Final = Path(".postgresql", "root.crt")
"""Where libpq looks, below the user's folder."""


def roots_for(parts: Mapping[str, Any]) -> dict[str, str]:
    """The option that names the system's certificate authorities; nothing where the user names others.

    Args:
        parts: the options of the address.
    """
    mode = str(parts.get("sslmode") or os.environ.get(_MODE, ""))
    named = str(parts.get("sslrootcert") or os.environ.get(_VARIABLE, ""))
    if named == _SYSTEM or (not named and mode.startswith("verify-") and not (Path.home() / _OF_USER).exists()):
        # "system" alone stands for the strictest check, and libpq refuses any other mode with it.
        return {
            "sslrootcert": ssl.get_default_verify_paths().cafile or certifi.where(),
            "sslmode": mode or "verify-full",
        }
    return {}
