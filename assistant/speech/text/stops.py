"""Whether a full stop, question mark or line break ends a sentence; pure rules for Korean and English.

The rules look ahead. While the text that they need has not arrived, they return ``None``, and the caller asks again
later. A decision never changes, however the text is divided into deltas.
"""

import re
from typing import Final

from assistant.speech.text.language import is_hangul
from assistant.speech.text.vocabulary import words

STOPS: Final = frozenset(".?!…。！？")
WIDE_STOPS: Final = frozenset("。！？")
"""Full-width stops, which end a sentence without a following space."""

_NEVER_LAST: Final = words(
    """mr mrs ms mx dr prof st gen sen rep gov lt col capt sgt rev hon fig vol vs e.g i.e cf approx eg ie dept ext ave
    blvd mt"""
)
"""Abbreviations that are always followed by another word of the sentence."""
_RARELY_LAST: Final = words(
    """etc inc ltd co corp jr sr al ph.d a.m p.m est min max pp jan feb mar apr jun jul aug sep sept oct nov dec"""
)
"""Abbreviations that end a sentence only before a word that begins one."""
_STARTERS: Final = words(
    """the a an it he she i we they you this that these those there here in on at if when what how why who where but and
    so then however my your his her its our their let please do is are can would as for"""
)
"""Words that begin sentences. After an abbreviation they distinguish a new sentence from a name."""
_KOREAN_ENDS: Final = frozenset("요다까죠네")
_ABBREVIATION: Final = re.compile(r"[A-Za-z][A-Za-z.]*$")
_NUMBER: Final = re.compile(r"(?:^|(?<=\s)|(?<=[*_(]))\d{1,3}$")
_DATE: Final = re.compile(r"\d{2,4}\.\s?\d{1,2}\.\s?\d{1,2}$")
_MARKER_ONLY: Final = re.compile(r"[\s\-*•+#>_]*(?:\d{1,3}|[A-Za-z가나다라마바사아자차카타파하])$")
"""A line that consists only of a list marker so far: ``1``, ``a``, ``가``."""
_BLOCK: Final = frozenset("-*•+#>|`~<")
"""Signs at the beginning of a line that start a block."""
_BLOCK_LINE: Final = re.compile(r"\s*(?:[-*•+>|]|#{1,6}\s|```|\d{1,3}[.)]\s)")
_CLOSERS: Final = frozenset(")]}”’\"'»」』）】》〉*_~`")


def after_closers(text: str, index: int) -> int:
    """Index after the quotes, brackets, emphasis and emoji that follow ``index``."""
    while index < len(text) and (text[index] in _CLOSERS or _is_symbol(text[index])):
        index += 1
    return index


def _is_symbol(letter: str) -> bool:
    """Whether a character is an emoji or an emoji joiner or modifier."""
    return (
        ord(letter) >= 0x2190
        and not letter.isalnum()
        and not letter.isspace()
        and letter not in "「『【《〈（“‘…。！？、，"
    )


def ends_sentence(line: str, stop: str, rest: str, *, closed: bool, final: bool) -> bool | None:
    """Whether a stop ends a sentence.

    Args:
        line: the line up to the stop.
        stop: the run of stop characters, such as ``.``, ``?!`` or ``...``.
        rest: the text after the stop and its closing quotes and brackets.
        closed: whether closing quotes or brackets follow the stop.
        final: whether the stream has ended after ``rest``.

    Returns:
        The decision, or ``None`` while ``rest`` is too short to decide.
    """
    if not rest:
        return True if final else None
    if stop[-1] in WIDE_STOPS:
        return True
    if not rest[0].isspace():
        return not closed and stop in {".", "?", "!"} and is_hangul(line[-1:] or " ") and is_hangul(rest[0])
    following = rest.lstrip(" \t")
    if not following:
        return True if final else None
    if stop == ".":
        return _full_stop_ends(line, following, final=final)
    if following[0] == "\n":
        return True
    if "…" in stop or stop.startswith(".."):
        return line[-1:] in _KOREAN_ENDS or following[0].isupper()
    return not _continues_in_latin(line, following)


def _full_stop_ends(line: str, following: str, *, final: bool) -> bool | None:
    if _MARKER_ONLY.fullmatch(line):
        return False
    if following[0] == "\n":
        return True
    if line[-1:].isdigit():
        return not (following[0].isdigit() or _DATE.search(line) or _is_inline_marker(line))
    found = _ABBREVIATION.search(line)
    if found:
        verdict = _abbreviation_ends(found.group().lower(), following, final=final)
        if verdict is not True:
            return verdict
    return not _continues_in_latin(line, following)


def _is_inline_marker(line: str) -> bool:
    """Whether a number is a list marker within one line: 1. apples 2. pears."""
    number = _NUMBER.search(line)
    if number is None:
        return False
    value = int(number.group())
    return value == 1 or re.search(rf"(?:^|\s){value - 1}\.\s", line) is not None


def _abbreviation_ends(word: str, following: str, *, final: bool) -> bool | None:
    """Whether a full stop after this word ends a sentence; it does after words that are not abbreviations."""
    if word in _NEVER_LAST:
        return False
    initials = len(word) == 1 or re.fullmatch(r"(?:[a-z]\.)+[a-z]", word) is not None
    if word == "no":
        return not following[0].isdigit()
    if not initials and word not in _RARELY_LAST:
        return True
    if is_hangul(following[0]):
        return not initials
    after = re.match(r"[^\s]+", following)
    if after is None or (after.end() == len(following) and not final):
        return None
    return following[0].isupper() and after.group().strip("\"'“”‘’,.!?").lower().partition("'")[0] in _STARTERS


def _continues_in_latin(line: str, following: str) -> bool:
    """Whether a lower-case letter follows a Latin word, so that the sentence continues."""
    before = line.rstrip("\"'”’)*_")[-1:]
    return before.isascii() and before.isalnum() and following[0].isascii() and following[0].islower()


def breaks_line(line: str, following: str, *, final: bool) -> bool | None:
    """Whether a line break separates two sentences; otherwise the sentence continues in the next line.

    Args:
        line: the line before the break.
        following: the text after it.
        final: whether the stream has ended after ``following``.

    Returns:
        The decision, or ``None`` while ``following`` is too short to decide.
    """
    rest = following.lstrip(" \t")
    if not rest:
        return True if final else None
    if rest[0] == "\n" or rest[0] in _BLOCK:
        return True
    if rest[0].isdigit():
        item = re.match(r"\d{1,3}(.?)", rest)
        if item and not item.group(1) and not final:
            return None
        if item and item.group(1) in {".", ")"}:
            return True
    if _BLOCK_LINE.match(line):
        return True
    return line.rstrip().endswith((":", "：", *STOPS))
