"""Where the content of a conversation came from (X-08)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What is known of a conversation's content. Neither value ever falls.

    Attributes:
        outside: whether anything in it may be somebody else's words, or was made of such.
        told_bits: how much its calls may have told other computers unasked, in bits.
    """

    outside: bool = False
    told_bits: float = 0.0


OWN_WORDS = Provenance()
"""A conversation of the user's own words."""
