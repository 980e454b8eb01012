"""Guesses the phonemes of a Latin word that no dictionary has: brands, names, romanised Korean."""

import re
from typing import Final

_RULES: Final = (
    ("tion", "SH AH1 N"),
    ("sion", "SH AH1 N"),
    ("ough", "AO1"),
    ("igh", "AY1"),
    ("eau", "OW1"),
    ("tch", "CH"),
    ("sch", "SH"),
    ("dge", "JH"),
    ("eo", "AH1"),
    ("ae", "AE1"),
    ("ai", "EY1"),
    ("ay", "EY1"),
    ("ei", "EY1"),
    ("ey", "IY1"),
    ("ea", "IY1"),
    ("ee", "IY1"),
    ("ie", "IY1"),
    ("oa", "OW1"),
    ("oe", "OW1"),
    ("oi", "OY1"),
    ("oy", "OY1"),
    ("oo", "UW1"),
    ("ou", "AW1"),
    ("ow", "AW1"),
    ("au", "AO1"),
    ("aw", "AO1"),
    ("ue", "UW1"),
    ("ui", "UW1"),
    ("ya", "Y AA1"),
    ("yo", "Y OW1"),
    ("yu", "Y UW1"),
    ("ye", "Y EH1"),
    ("ar", "AA1 R"),
    ("er", "ER1"),
    ("ir", "ER1"),
    ("ur", "ER1"),
    ("ch", "CH"),
    ("ck", "K"),
    ("gh", "G"),
    ("kh", "K"),
    ("kn", "N"),
    ("ng", "NG"),
    ("nk", "NG K"),
    ("ph", "F"),
    ("qu", "K W"),
    ("sh", "SH"),
    ("th", "TH"),
    ("ts", "T S"),
    ("wh", "W"),
    ("wr", "R"),
    ("zz", "Z"),
    ("a", "AA1"),
    ("e", "EH1"),
    ("i", "IH1"),
    ("o", "OW1"),
    ("u", "UW1"),
    ("b", "B"),
    ("c", "K"),
    ("d", "D"),
    ("f", "F"),
    ("g", "G"),
    ("h", "HH"),
    ("j", "JH"),
    ("k", "K"),
    ("l", "L"),
    ("m", "M"),
    ("n", "N"),
    ("p", "P"),
    ("q", "K"),
    ("r", "R"),
    ("s", "S"),
    ("t", "T"),
    ("v", "V"),
    ("w", "W"),
    ("x", "K S"),
    ("y", "IY1"),
    ("z", "Z"),
)
_TABLE: Final = dict(_RULES)
_PART: Final = re.compile("|".join(letters for letters, _ in _RULES))
_DOUBLED: Final = re.compile(r"([bcdfgklmnprst])\1")
_SOFT_C: Final = re.compile(r"c(?=[eiy])")
_MAGIC_E: Final = re.compile(r"([aiou])([bcdfgklmnprstvz])e(s?)$")
_LONG: Final = {"a": "ay", "i": "igh", "o": "oa", "u": "oo"}


def guessed_phonemes(word: str) -> tuple[str, ...]:
    """ARPABET phonemes of a lower-case Latin word."""
    plain = _SOFT_C.sub("s", _DOUBLED.sub(r"\1", word))
    plain = _MAGIC_E.sub(lambda found: _LONG[found.group(1)] + found.group(2) + found.group(3), plain)
    sounds: list[str] = []
    for part in _PART.findall(plain):
        sounds.extend(_TABLE[part].split())
    return tuple(sounds)
