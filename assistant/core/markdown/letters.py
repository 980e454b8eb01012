"""Letters that a text view must not get, and those that turn others round (Trojan Source, CVE-2021-42574).

A text view takes some characters for its own marks: the ends of paragraphs and frames, and the place of a picture.
Others are never seen. The text of a model, a page or a file may hold all of them.
"""

import re

_OF_VIEWS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufdd0-\ufdef\ufff9-\uffff\U0001fffe\U0001ffff\ud800-\udfff"
_FORBIDDEN = re.compile(f"[{_OF_VIEWS}]")
_OVERRIDES = re.compile(r"[\u202d\u202e]")
"""They reorder all letters that follow, also those of a Latin or Korean text."""
_UNSEEN = re.compile(r"[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
"""What must be seen in a program: what turns the order round, joins or splits words, or is nothing at all."""


def shown(text: str) -> str:
    """Running text: what a view must not get is a replacement character, and a line break is a space."""
    if text.isascii() and text.isprintable():
        return text
    spaced = text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
    return _OVERRIDES.sub(_named, _FORBIDDEN.sub("\ufffd", spaced))


def shown_code(text: str) -> str:
    """Lines of a program: what cannot be seen stands there by its number."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(_named, _FORBIDDEN.sub("\ufffd", lines))


def _named(letter: re.Match[str]) -> str:
    return f"⟨U+{ord(letter[0]):04X}⟩"
