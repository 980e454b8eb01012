"""Where a web address ends in running text: the Korean particle after it is no part of it."""

import re

from assistant.core.markup.particles import end_of_word, particles_at

_HOST = re.compile(
    r"(?:(?:https?|ftp)://(?:[A-Za-z0-9가-힣-]+\.)*[A-Za-z0-9-]+|(?<![A-Za-z0-9.@-])(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24})"
    r"(?::\d{1,5})?(?![A-Za-z0-9.-])"
)
_FILE_ENDINGS = frozenset({"cc", "md", "mk", "mov", "pl", "ps", "py", "rs", "sh", "so", "tf", "zip"})
"""Domains of countries and others that are above all endings of files."""
_GOES_ON = re.compile(r"[A-Za-z0-9_(/%=&+-]")
_PATH = re.compile(r"[^\s<>가-힣]+")


def address_ends(text: str) -> list[tuple[int, int]]:
    """Ranges of the Hangul that follows web addresses, as start and end. A path (``/wiki/서울``) belongs to one."""
    ranges: list[tuple[int, int]] = []
    at = 0
    while (host := _HOST.search(text, at)) is not None:
        at = host.end()
        if text[at : at + 1] not in {"/", "?", "#"}:
            # No host ends in Latin letters and Hangul together.
            ranges.append((at, _hangul_end(text, at)))
        else:
            at, end = _in_path(text, at)
            ranges.append((at, end))
        at = max(at, ranges[-1][1])
    return [each for each in ranges if each[0] < each[1]]


def particles_after(address: re.Match[str]) -> str:
    """The particles at the end of a match that took an address with all Hangul after it."""
    ranges = address_ends(address.group())
    return address.group()[ranges[-1][0] :] if ranges else ""


def is_file_name(name: str) -> bool:
    """Whether a bare name, without scheme and path, is rather a file than a host: ``main.py``."""
    return name.count(".") == 1 and name.rpartition(".")[2].lower() in _FILE_ENDINGS


def _in_path(text: str, at: int) -> tuple[int, int]:
    """Where a path ends, and where the Hangul after it ends."""
    while True:
        signs = _PATH.match(text, at)
        at = signs.end() if signs else at
        if at == len(text) or not "가" <= text[at] <= "힣":
            return at, at
        if text[at - 1] not in "([" and (end := particles_at(text, at)) > at and not _GOES_ON.match(text, end):
            return at, end
        word, end = end_of_word(text, at), _hangul_end(text, at)
        if word < end and not _GOES_ON.match(text, end):
            return word, end
        at = end


def _hangul_end(text: str, at: int) -> int:
    while at < len(text) and "가" <= text[at] <= "힣":
        at += 1
    return at
