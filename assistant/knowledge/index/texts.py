"""What of a passage is compared by its meaning, and the key of its vector. Pure."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

HEADINGS: Final = "\n"
"""Stands between headings that are stored together."""
_DIGEST_BYTES: Final = 16


def meaning_text(headings: Iterable[str], text: str) -> str:
    """What a vector is computed from: the headings say what a passage is about that does not name it."""
    return HEADINGS.join([*headings, text])


def digest_of(text: str) -> bytes:
    """The key of a text's vector."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def plain(text: str) -> str:
    """The text without what no database stores: the letter 0, and halves of letters."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
