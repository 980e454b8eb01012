"""English abbreviations: some are written out as words, others are spelled letter by letter.

Spelled letters are joined by hyphens (A-P-I), which every English voice reads as letter names. A voice would read a
separate ``A`` as the article.
"""

import re
from typing import Final

from assistant.speech.text.pronunciations import phonemes_of
from assistant.speech.text.roman import with_roman_numerals
from assistant.speech.text.vocabulary import words

_SHORT: Final = {
    "mr.": "Mister",
    "mrs.": "Missus",
    "ms.": "Miss",
    "dr.": "Doctor",
    "prof.": "Professor",
    "gen.": "General",
    "sen.": "Senator",
    "rep.": "Representative",
    "gov.": "Governor",
    "lt.": "Lieutenant",
    "col.": "Colonel",
    "capt.": "Captain",
    "sgt.": "Sergeant",
    "rev.": "Reverend",
    "hon.": "Honorable",
    "jr.": "Junior",
    "sr.": "Senior",
    "e.g.": "for example",
    "eg.": "for example",
    "i.e.": "that is",
    "ie.": "that is",
    "etc.": "et cetera",
    "vs.": "versus",
    "vs": "versus",
    "cf.": "compare",
    "approx.": "approximately",
    "dept.": "Department",
    "est.": "established",
    "inc.": "Incorporated",
    "ltd.": "Limited",
    "corp.": "Corporation",
    "co.": "Company",
    "ave.": "Avenue",
    "blvd.": "Boulevard",
    "rd.": "Road",
    "mt.": "Mount",
    "ft.": "Fort",  # a capital: Ft. Worth; otherwise feet or "featuring"
    "incl.": "including",
    "excl.": "excluding",
    "max.": "maximum",
    "avg.": "average",
    "et al.": "and others",
    "a.k.a.": "also known as",
    "aka": "also known as",
    "w/o": "without",
    "w/": "with",
    "b/c": "because",
    "n/a": "not applicable",
    "a.s.a.p.": "A-S-A-P",
}
_ENDS_SENTENCE: Final = words("etc. inc. ltd. corp. co. jr. sr. al.")
_ABBREVIATED: Final = re.compile(
    r"(?<![\w.&-])(?:"
    + "|".join(re.escape(short) for short in sorted(_SHORT, key=len, reverse=True))
    + r")(?![A-Za-z0-9-])",
    re.IGNORECASE,
)
_SAINT: Final = re.compile(r"\bSt\.\s(?=[A-Z])")
_DRIVE: Final = re.compile(r"(?<![\w.,])((?:\d+|on|at|along|down|off)\s(?:[A-Z][a-z]+\s){1,2})Dr\.(?!\s[A-Z])")
_STREET: Final = re.compile(r"\bSt\.(?=\s|$|,)")
_NUMBERED: Final = re.compile(r"\b(?:No|Nos|#)\.\s?(?=\d)|(?<![\w&])#\s?(?=\d)", re.IGNORECASE)
_FIGURE: Final = re.compile(r"\b(Fig|Vol|Ch|Sec|Eq|Ver|Pt|Op|Apt)s?\.\s?(?=\d)", re.IGNORECASE)
_FIGURES: Final = {
    "fig": "figure ",
    "vol": "volume ",
    "ch": "chapter ",
    "sec": "section ",
    "eq": "equation ",
    "ver": "version ",
    "pt": "part ",
    "op": "opus ",
    "apt": "apartment ",
}
_PAGES: Final = re.compile(r"\b(p|pp)\.\s?(?=\d)")
_INITIALS: Final = re.compile(r"(?<![\w.])(?:[A-Za-z]\.){2,8}(?![A-Za-z])|(?<![\w.-])([A-Z])\.(?=\s[A-Z])", re.ASCII)
_RULER: Final = (
    r"\b(?:Henry|Louis|Elizabeth|Charles|George|Edward|James|William|Richard|John|Paul|Pius|Benedict|Napoleon|Alexander|"
    r"Nicholas|Philip|Mary|Ramses|Ivan|Catherine|Leo|Gregory|Francis|Frederick|Peter)"
)
_KINGS: Final = re.compile(rf"{_RULER}\s$")
_SINGLE_KING: Final = re.compile(
    rf"({_RULER})\s([VX]|I(?=[.,;)]|$|'s|\s(?:of|was|is|ruled|reigned|died|and)\b))(?![\w'-])"
)
_SINGLE: Final = {"I": 1, "V": 5, "X": 10}
_CAPITALS: Final = re.compile(r"(?<![A-Za-z'])([A-Z]{2,})(s|'s)?(?![A-Za-z])")
_MIXED: Final = re.compile(r"(?<![A-Za-z'])[A-Za-z]*[a-z][A-Z]+[A-Za-z]*(?![A-Za-z'])")
_MIXED_PARTS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_AS_WORDS: Final = words(
    """
    NASA NATO UNESCO UNICEF OPEC FIFA ASEAN NAFTA LASER RADAR RAM ROM LAN WAN PIN SIM AIDS SARS MERS COVID ASCII
    BIOS CAD OLED YOLO GIF SWAT ZIP JSON YAML TOML NAND CAPTCHA HIPAA FEMA OSHA PETA DARPA FOMO LIDAR SCUBA SONAR NAS
    CRUD REST BASIC COBOL FORTRAN UEFA IKEA LEGO NIKE SOAP DOS MIDI WIMAX"""
)
_AS_LETTERS: Final = words(
    """
    US IT WHO AM PM ID OK UN EU UK AI API CEO CFO CTO CIA FBI ATM FAQ SQL USB URL GPS GPU CPU LED DIY ETA AWS IOS IP
    IBM BBC CNN NBA NFL USA UAE UFO VIP PDF DNA RNA MRI HIV TV PC HR PR AC DC AD BC CE LA DJ MC ISO IEEE SAML AP AR
    VR MR IV ER OS UI UX QA CI CD ICU LLM GDP APR EV SUV RSVP BTS LG SK KT KBS MBC SBS HP BMW"""
)
_AFTER_FIGURE: Final = re.compile(r"\d\s?$")
_LONGEST: Final = 5
_SHORTEST_WORD: Final = 4
_VOWEL: Final = re.compile("[AEIOUY]")


def spelled(letters: str) -> str:
    """Letters joined for spelling; digits stay as they are."""
    return "-".join(letters.upper())


def with_abbreviations_in_words(text: str) -> str:
    """``text`` with its abbreviations that are marked by a full stop or a sign written out."""
    text = _ABBREVIATED.sub(_written_out, _DRIVE.sub(r"\1Drive", text))
    text = _STREET.sub("Street", _SAINT.sub("Saint ", text))
    text = _NUMBERED.sub("number ", text)
    text = _FIGURE.sub(lambda found: _FIGURES[found.group(1).lower()], text)
    text = _PAGES.sub(lambda found: "page " if found.group(1) == "p" else "pages ", text)
    return _INITIALS.sub(_initials, text)


def _written_out(found: re.Match[str]) -> str:
    short = found.group().lower()
    rest = found.string[found.end() :]
    if found.group() == "ft.":
        return "ft" if _AFTER_FIGURE.search(found.string[: found.start()]) else "featuring"
    ends = short in _ENDS_SENTENCE and (not rest.strip() or re.match(r"\s+[A-Z]", rest) is not None)
    return _SHORT[short] + (" " if short == "w/" else "") + ("." if ends else "")


def _initials(found: re.Match[str]) -> str:
    letters = found.group().replace(".", "")
    if letters.lower() in {"am", "pm"} and _AFTER_FIGURE.search(found.string[: found.start()]):
        return found.group()  # of a time, which is read with the dates
    rest = found.string[found.end() :]
    ends = len(letters) > 1 and not rest.strip() and found.start() > 0
    return spelled(letters) + ("." if ends else "")


def with_roman_numerals_in_figures(text: str) -> str:
    """``text`` with Roman numerals as digits, and as ordinals after the names of rulers: Henry the 8th."""
    text = _SINGLE_KING.sub(lambda found: f"{found.group(1)} the {ordinal_figure(_SINGLE[found.group(2)])}", text)
    return with_roman_numerals(text, _roman_figure)


def _roman_figure(value: int, before: str, after: str) -> str:
    if after.startswith((" century", " centuries")):
        return ordinal_figure(value)
    return f"the {ordinal_figure(value)}" if _KINGS.search(before) else str(value)


def ordinal_figure(value: int) -> str:
    """A small number as an ordinal in figures: 2nd, 16th."""
    return f"{value}{('th', 'st', 'nd', 'rd')[value] if value < len('abcd') else 'th'}"


def with_acronyms_spelled(text: str) -> str:
    """Spell capitals that are not a word, ``API`` as A-P-I. Other capitals become a word in lower case."""
    text = _MIXED.sub(_mixed, text)
    return _CAPITALS.sub(_capitals, text)


def _mixed(found: re.Match[str]) -> str:
    """Separate the capitals of a mixed word: ``macOS`` becomes mac OS; ``JavaScript`` stays."""
    parts = _MIXED_PARTS.findall(found.group())
    if len(parts[-1]) == 1 and parts[-1].islower() and found.group()[:-1].isupper():
        return found.group()
    if not any(part.isupper() and len(part) > 1 for part in parts):
        return found.group()
    return " ".join(parts)


def _capitals(found: re.Match[str]) -> str:
    word, ending = found.group(1), found.group(2) or ""
    if word in _AS_WORDS:
        return found.group()
    if word not in _AS_LETTERS and is_word(word):
        return word.lower() + ending
    return spelled(word) + ("'s" if ending else "")


def is_word(capitals: str) -> bool:
    """Whether capitals are an emphasised word rather than an acronym."""
    if len(capitals) < _SHORTEST_WORD and capitals.lower() not in _SHOUTED:
        return False
    return bool(_VOWEL.search(capitals)) and (
        len(capitals) > _LONGEST or bool(phonemes_of(capitals)) or capitals.lower() in _SHOUTED
    )


_SHOUTED: Final = words(
    "not no yes all and or the but for you new do is be are now never stop go on off in if "
    "to my end get put set any way day one two out our was has had can may let too how why see "
    "say his her him use yet hot big bad red"
)
