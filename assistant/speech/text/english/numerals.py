"""English numerals in words: cardinals, ordinals, years, decimals and single digits."""

from typing import Final

from assistant.speech.text.vocabulary import listed

_SMALL: Final = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS: Final = listed("zero ten twenty thirty forty fifty sixty seventy eighty ninety")
_SCALES: Final = ("", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion")
_ORDINALS: Final = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
LONGEST: Final = 20
"""Most digits of a number that is read as one number; a longer one is read digit by digit."""
_TWENTY: Final = 20
_HUNDRED: Final = 100
_THOUSAND: Final = 1_000
_MILLENNIA: Final = (1_000, 2_000)


def cardinal(number: int) -> str:
    """The cardinal of a number of up to 20 digits: 1234 is one thousand two hundred thirty-four."""
    if number == 0:
        return _SMALL[0]
    groups: list[str] = []
    scale = 0
    while number:
        number, group = divmod(number, _THOUSAND)
        if group:
            groups.append(_group(group) + _SCALES[min(scale, len(_SCALES) - 1)])
        scale += 1
    return " ".join(reversed(groups))


def _group(number: int) -> str:
    hundreds, rest = divmod(number, _HUNDRED)
    words = [f"{_SMALL[hundreds]} hundred"] if hundreds else []
    if rest:
        words.append(_below_hundred(rest))
    return " ".join(words)


def _below_hundred(number: int) -> str:
    if number < _TWENTY:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{_SMALL[ones]}" if ones else _TENS[tens]


def ordinal(number: int) -> str:
    """The ordinal of a number: first, twenty-second, one hundredth."""
    words = cardinal(number)
    start = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[start:]
    if last in _ORDINALS:
        return words[:start] + _ORDINALS[last]
    return words[:start] + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def plural(words: str) -> str:
    """The plural of a numeral: nineties, two thousands, sixes."""
    if words.endswith("y"):
        return f"{words[:-1]}ies"
    return words + ("es" if words.endswith("x") else "s")


def year(number: int) -> str:
    """The words of a year from 1000 to 9999: nineteen ninety-nine, twenty twenty-six, two thousand five."""
    century, rest = divmod(number, _HUNDRED)
    if number % _THOUSAND < 10 or number in _MILLENNIA:
        return cardinal(number)
    if rest == 0:
        return f"{_below_hundred(century)} hundred"
    return f"{_below_hundred(century)} {_below_hundred(rest) if rest >= 10 else 'oh ' + _SMALL[rest]}"


def digits(figures: str) -> str:
    """Digits one by one; other characters are dropped."""
    return " ".join(_SMALL[int(figure)] for figure in figures if figure in "0123456789")


def decimal(whole: str, fraction: str = "") -> str:
    """An unsigned number in words. A number with a leading zero or too many digits is read digit by digit."""
    if not whole:
        start = ""
    elif len(whole) > LONGEST or (len(whole) > 1 and whole[0] == "0"):
        start = digits(whole)
    else:
        start = cardinal(int(whole))
    return f"{start} point {digits(fraction)}".strip() if fraction else start
