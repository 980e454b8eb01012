"""Numbers in English words: telephone numbers, versions, ranges, fractions, ordinals and plain numbers."""

import re
from typing import Final

from assistant.speech.text.english.numerals import cardinal, decimal, digits, ordinal, plural, year

_FIGURE: Final = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_PHONE: Final = re.compile(
    r"(?<![\w.,-])(?:(\+\d{1,3})[-. ]?)?(?:\((\d{2,4})\)\s?|(\d{2,4})[-. ])(\d{3,4})[-. ](\d{4})(?![\w-]|[.,]\d)"
    r"|(?<![\w.,-])(\d{3})-(\d{4})(?![\w-]|[.,]\d)",
    re.ASCII,
)
_EMERGENCY: Final = re.compile(
    r"(?i)(?<=\bcall )(911|999|112|119|411|311|988)(?!\d|,\d|\s[a-z]+s\b)|(?<=\bdial )(911|999|"
    r"112|119|411|311|988)(?!\d)"
)
_CODE: Final = re.compile(
    r"(?i)(\b(?:code|zip|pin|otp|password|passcode|(?:order|confirmation|account|tracking|reference|booking|reservation|"
    r"ticket|serial|phone|card) number)(?: is)?:? )(\d{4,12})(?![\w-]|[.,]\d)"
)
_SHORT_CODE: Final = re.compile(
    r"(?i)(\b(?:(?:area|country|dialing|postal|zip|security) code(?: is)?:? |(?:cvv|cvc):? ))(\d{2,3})(?![\w-]|[.,]\d)"
)
_POSTCODE: Final = re.compile(r"(?<=, [A-Z]{2} )(\d{5})(?:-(\d{4}))?(?![\w-]|[.,]\d)")
_PLACE: Final = re.compile(
    r"((?:\b(?:[Rr]ooms?|[Ss]uite|[Aa]partment|[Aa]pt\.?|[Uu]nit|[Ff]light(?: [A-Z]{2})?|[Bb]us|[Rr]oute|[Hh]ighway|"
    r"Interstate|[Gg]ate|[Ee]xtension|[Ee]xt\.?|HTTP|[Ee]rror|"
    r"(?:[Ee]rror|[Ee]xit|[Ss]tatus) code) #?[A-Z]?|\b[A-Z]{2}))"
    r"(\d{3,4}(?:(?:, | or | and )\d{3,4}){0,3})(?![\w-]|[.,:/]\d|\s(?:times|people|percent|of|met(?:er|re)s|miles|"
    r"feet|minutes|hours|days|years|yards|users|items|errors|pages|rooms|seats|dollars|points|steps|lines)\b)"
    r"|(?<![\w.,$-])()([1-5]\d{2})(?=\s(?:error|page|response|[Nn]ot [Ff]ound|status)\b)"
)
"""Rooms, flights, lines, roads and errors, whose digits are said in pairs: two oh four, fifteen oh two."""
_SOFTWARE: Final = re.compile(
    r"(\b(?:[Vv]ersion|Python|Node|Java|Ruby|Ubuntu|macOS|iOS|Android|PyTorch|Linux|kernel|Go|PHP|Django) )"
    r"(\d{1,3}\.[1-9]\d)(?![\d%]|\.\d)"
)
_VERSION: Final = re.compile(r"(?<![\w.])(?:[vV]|ver\.?\s?)(\d{1,4}(?:\.\d{1,5}){0,4})(?![\w]|\.\d)", re.ASCII)
_DOTTED: Final = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,5}){2,4}(?![\d]|\.\d)", re.ASCII)
_ADDRESS_PARTS: Final = 4
_LONG_ID: Final = re.compile(r"(?<![\w.,-])\d{1,7}(?:-\d{1,7}){2,5}(?![\w-]|[.,]\d)", re.ASCII)
_ORDINAL: Final = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,15})(st|nd|rd|th)\b", re.IGNORECASE)
_MIXED: Final = re.compile(r"(?<![\d.,/])(?:(\d{1,3})(?:\s|-|\sand\s))?(\d{1,5})/(\d{1,5})(?![\d/]|[.,]\d)")
_RATIO: Final = re.compile(r"(?<![\d.,/:])(\d{1,6}(?:\.\d{1,3})?)((?:\s?:\s?\d{1,6}(?:\.\d{1,3})?){1,4})(?![\d:])")
_RANGE: Final = re.compile(rf"(?<![\w.,/:-])({_FIGURE})(?:\s?–\s?|-|\s?~\s?)(?={_FIGURE}(?![\w/:-]))")
_AMOUNT: Final = re.compile(rf"(?:(?<![\w.)\]%])([-+±])\s?(?=[\d.]))?({_FIGURE}|(?<!\w)\.\d+)('?s\b)?")
_SIGNS: Final = {"-": "minus ", "+": "plus ", "±": "plus or minus ", None: ""}
_HALVES: Final = {2: ("half", "halves"), 4: ("quarter", "quarters")}
_LARGEST_PART: Final = 100


def with_amounts_in_words(text: str) -> str:
    """``text`` with all its numbers in words."""
    text = _PHONE.sub(_phone, text)
    text = _EMERGENCY.sub(lambda found: digits(found.group()), text)
    text = _CODE.sub(lambda found: found.group(1) + digits(found.group(2)), text)
    text = _SHORT_CODE.sub(lambda found: found.group(1) + digits(found.group(2)), text)
    text = _POSTCODE.sub(lambda found: ", ".join(digits(part) for part in found.groups() if part), text)
    text = _PLACE.sub(_place, text)
    text = _SOFTWARE.sub(lambda found: found.group(1) + _version(found.group(2)), text)
    text = _VERSION.sub(lambda found: f"version {_version(found.group(1))}", text)
    text = _DOTTED.sub(lambda found: _version(found.group()), text)
    text = _LONG_ID.sub(lambda found: ", ".join(digits(part) for part in found.group().split("-")), text)
    text = _ORDINAL.sub(_ordinal, text)
    text = _MIXED.sub(_fraction, text) if "/" in text else text
    text = _RATIO.sub(_ratio, text) if ":" in text else text
    text = _RANGE.sub(r"\1 to ", text)
    return _AMOUNT.sub(_amount, text)


def _phone(found: re.Match[str]) -> str:
    groups = [group for group in found.groups() if group]
    plus = f"plus {digits(groups.pop(0))}, " if groups[0].startswith("+") else ""
    return plus + ", ".join(digits(group) for group in groups)


def _place(found: re.Match[str]) -> str:
    before, figures = (group for group in found.groups() if group is not None)
    before += " " if before[-1:].isalpha() else ""
    return before + re.sub(r"\d+", lambda each: _paired(each.group()), figures)


def _paired(figures: str) -> str:
    """Three or four digits in pairs: two oh four, three seventy, fifteen oh two."""
    if figures[0] == "0":
        return digits(figures)
    if len(figures) > 3 or figures.endswith("00"):
        return year(int(figures)) if len(figures) > 3 else cardinal(int(figures))
    rest = cardinal(int(figures[1:])) if figures[1] != "0" else f"oh {cardinal(int(figures[2]))}"
    return f"{digits(figures[0])} {rest}"


def _version(text: str) -> str:
    parts = text.split(".")
    return " point ".join(decimal(part) for part in parts).replace(
        " point ", " dot " if len(parts) == _ADDRESS_PARTS else " point "
    )


def _ordinal(found: re.Match[str]) -> str:
    figures = found.group(1).replace(",", "")
    return ordinal(int(figures))


def _fraction(found: re.Match[str]) -> str:
    whole, upper, lower = found.groups()
    top, bottom = int(upper), int(lower)
    if bottom == 0 or (len(upper) > 1 and upper[0] == "0"):
        return found.group()
    if 1 < bottom <= _LARGEST_PART and 0 < top < bottom:
        one, many = _HALVES.get(bottom) or (ordinal(bottom), plural(ordinal(bottom)))
        words = f"{'a' if whole and top == 1 else cardinal(top)} {one if top == 1 else many}"
    else:
        words = (
            f"{cardinal(top)} over {cardinal(bottom)}"
            if bottom > _LARGEST_PART
            else f"{cardinal(top)} out of {cardinal(bottom)}"
        )
    return f"{cardinal(int(whole))} and {words}" if whole else words


def _ratio(found: re.Match[str]) -> str:
    parts = [found.group(1), *re.findall(r"[\d.]+", found.group(2))]
    return " to ".join(_number(part) for part in parts)


def _number(figure: str) -> str:
    whole, _, fraction = figure.replace(",", "").partition(".")
    return decimal(whole, fraction)


def _amount(found: re.Match[str]) -> str:
    sign, figure, many = found.groups()
    words = _number(figure)
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    gap = " " if before.isalnum() else ""
    after = found.string[found.end() : found.end() + 1]
    return gap + _SIGNS[sign] + (plural(words) if many else words) + (" " if after.isalpha() else "")
