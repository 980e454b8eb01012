"""The version of Sori: its one place."""

from typing import Final

VERSION: Final = "0.1.0"
USER_AGENT: Final = f"Sori/{VERSION}"
"""How Sori names itself to servers."""
