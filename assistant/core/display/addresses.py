"""Where a link of a text leads, for a person who decides whether to open it. Pure.

A browser reads an address in ways that its letters hide: ``https://a.example@b.example`` leads to ``b.example``, and
``аpple.com`` with a Cyrillic letter to ``xn--pple-43d.com``. So the host is told as the network knows it.
"""

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote, urlsplit

_LOOKS_LIKE_ADDRESS = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z가-힣]{2,}(?:[/?#:]\S*)?", re.IGNORECASE)
_UNFIT: Final = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028-\u202e\u2066-\u2069]")
"""What no address has: a browser drops it, or reads it as something else."""
_NUMERIC = re.compile(r"(?:0x[0-9a-f]+|[0-9]+)(?:\.(?:0x[0-9a-f]+|[0-9]+))*\.?", re.IGNORECASE)
_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "HANGUL", "CJK", "HIRAGANA", "KATAKANA")
_OF_KOREA_AND_JAPAN: Final = frozenset({"HANGUL", "CJK", "HIRAGANA", "KATAKANA"})


class Doubt(StrEnum):
    """Why a person should look twice."""

    OTHER_HOST = "other_host"
    """The words of the link name another host."""
    SIGN_IN = "sign_in"
    """A name stands before the host, as if it were the host."""
    MIXED_LETTERS = "mixed_letters"
    """The host has letters of several scripts, or of one whose letters look like Latin ones."""
    FOREIGN_LETTERS = "foreign_letters"
    """The host has letters that are not Latin."""
    NUMBER = "number"
    """The host is a number instead of a name."""
    OWN_NETWORK = "own_network"
    """The address leads into the user's own computer or network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebTarget:
    """Where a link leads.

    Attributes:
        address: the address as it is opened.
        host: the host as the network knows it, in ASCII, with the port if it is no usual one.
        written: the host in the letters of its language, where they are others; else empty.
        doubts: why a person should look twice.
    """

    address: str
    host: str
    written: str
    doubts: tuple[Doubt, ...]


def target_of(address: str, words: str = "") -> WebTarget | None:
    """Where an address leads.

    Args:
        address: the address.
        words: the words of the link that the user sees.

    Returns:
        ``None`` for everything but a web page: another kind of address, or one that a browser would read otherwise.
    """
    if _UNFIT.search(address):
        return None
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
        ascii_host = host if host.isascii() else host.encode("idna").decode("ascii")
    except ValueError:  # also ``UnicodeError``: no host has these letters
        return None
    if parts.scheme.casefold() not in {"http", "https"} or not host or "%" in host:
        return None
    letters = _letters(ascii_host)
    doubts = [
        *([Doubt.OTHER_HOST] if _names_other_host(words, ascii_host) else []),
        *([Doubt.SIGN_IN] if "@" in parts.netloc else []),
        *_doubts_of_letters(letters),
        *_doubts_of_place(ascii_host),
    ]
    usual = port is None or port == {"http": 80, "https": 443}[parts.scheme.casefold()]
    told = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    return WebTarget(
        address=address,
        host=told if usual else f"{told}:{port}",
        written=letters if letters != ascii_host else "",
        doubts=tuple(dict.fromkeys(doubts)),
    )


def shows_itself(target: WebTarget, words: str) -> bool:
    """Whether the words of a link are its whole address, so that the user has seen where it leads."""
    return not target.doubts and _bare(words) == _bare(target.address)


def _bare(address: str) -> str:
    return unquote(address.strip()).casefold().removeprefix("https://").removeprefix("http://").rstrip("/")


def _letters(host: str) -> str:
    """The host in the letters of its language."""
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return host


def _names_other_host(words: str, host: str) -> bool:
    plain = "".join(each for each in words if each.isprintable()).strip()
    if not _LOOKS_LIKE_ADDRESS.fullmatch(plain):
        return False
    try:
        named = urlsplit(plain if "://" in plain else f"https://{plain}").hostname or ""
        named = named if named.isascii() else named.encode("idna").decode("ascii")
    except ValueError:
        return True
    return named.removeprefix("www.") != host.removeprefix("www.")


def _doubts_of_letters(host: str) -> list[Doubt]:
    foreign = [label for label in host.split(".") if not label.isascii() or label.startswith("xn--")]
    if any(not {*map(_script, label)} - {""} <= _OF_KOREA_AND_JAPAN for label in foreign):
        return [Doubt.MIXED_LETTERS]
    return [Doubt.FOREIGN_LETTERS] if foreign else []


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "OTHER" if letter.isalpha() else "")


def _doubts_of_place(host: str) -> list[Doubt]:
    name = host.rstrip(".")
    if name == "localhost" or name.endswith((".localhost", ".local", ".lan", ".internal")):
        return [Doubt.OWN_NETWORK]
    try:
        place = ipaddress.ip_address(name)
    except ValueError:
        return [Doubt.NUMBER, Doubt.OWN_NETWORK] if _NUMERIC.fullmatch(name) else []
    own = place.is_private or place.is_loopback or place.is_link_local
    return [Doubt.NUMBER, *([Doubt.OWN_NETWORK] if own else [])]
