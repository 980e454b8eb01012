"""What a tool may touch (X-01, X-05)."""

from enum import StrEnum


class Category(StrEnum):
    """How much a tool can do."""

    SAFE = "safe"
    """Reads public or already visible things; changes nothing that lasts."""
    SENSITIVE = "sensitive"
    """Reads private things or changes something; asked about each time."""
    RESTRICTED = "restricted"
    """Can do lasting harm; asked about each time and never offered by default."""


DEFAULT_PERMITTED = frozenset({Category.SAFE})
"""What an agent may use unless it declares more."""
