"""Money, percentages and units in English words; a unit agrees in number with its amount."""

import re
from typing import Final

from assistant.speech.text.english.numerals import decimal

_UNITS: Final = {
    "km²": "square kilometer",
    "km2": "square kilometer",
    "m²": "square meter",
    "m2": "square meter",
    "cm²": "square centimeter",
    "m³": "cubic meter",
    "m3": "cubic meter",
    "cm³": "cubic centimeter",
    "sq ft": "square foot",
    "sq m": "square meter",
    "km/h": "kilometer per hour",
    "kph": "kilometer per hour",
    "km/s": "kilometer per second",
    "m/s": "meter per second",
    "m/s²": "meter per second squared",
    "mph": "mile per hour",
    "mpg": "mile per gallon",
    "MB/s": "megabyte per second",
    "GB/s": "gigabyte per second",
    "km": "kilometer",
    "m": "meter",
    "cm": "centimeter",
    "mm": "millimeter",
    "μm": "micrometer",
    "nm": "nanometer",
    "kg": "kilogram",
    "g": "gram",
    "mg": "milligram",
    "μg": "microgram",
    "mcg": "microgram",
    "L": "liter",
    "l": "liter",
    "mL": "milliliter",
    "ml": "milliliter",
    "dL": "deciliter",
    "cc": "C-C",
    "TB": "terabyte",
    "GB": "gigabyte",
    "MB": "megabyte",
    "KB": "kilobyte",
    "kB": "kilobyte",
    "GiB": "gibibyte",
    "MiB": "mebibyte",
    "Gbps": "gigabit per second",
    "Mbps": "megabit per second",
    "kbps": "kilobit per second",
    "Hz": "hertz",
    "kHz": "kilohertz",
    "MHz": "megahertz",
    "GHz": "gigahertz",
    "W": "watt",
    "kW": "kilowatt",
    "MW": "megawatt",
    "GW": "gigawatt",
    "Wh": "watt-hour",
    "kWh": "kilowatt-hour",
    "V": "volt",
    "kV": "kilovolt",
    "A": "amp",
    "mA": "milliamp",
    "mAh": "milliamp-hour",
    "Ω": "ohm",
    "dB": "decibel",
    "hPa": "hectopascal",
    "kPa": "kilopascal",
    "Pa": "pascal",
    "psi": "P-S-I",
    "kcal": "kilocalorie",
    "cal": "calorie",
    "kJ": "kilojoule",
    "ppm": "part per million",
    "px": "pixel",
    "fps": "frame per second",
    "FPS": "frame per second",
    "rpm": "revolution per minute",
    "RPM": "revolution per minute",
    "bpm": "beat per minute",
    "BPM": "beat per minute",
    "dpi": "dot per inch",
    "MP": "megapixel",
    "ms": "millisecond",
    "μs": "microsecond",
    "ns": "nanosecond",
    "s": "second",
    "sec": "second",
    "secs": "second",
    "min": "minute",
    "mins": "minute",
    "h": "hour",
    "hr": "hour",
    "hrs": "hour",
    "in": "inch",
    "ft": "foot",
    "yd": "yard",
    "yds": "yard",
    "mi": "mile",
    "lb": "pound",
    "lbs": "pound",
    "oz": "ounce",
    "fl oz": "fluid ounce",
    "gal": "gallon",
    "qt": "quart",
    "pt": "pint",
    "tsp": "teaspoon",
    "tbsp": "tablespoon",
    "ha": "hectare",
    "mmHg": "millimeter of mercury",
    "mg/dL": "milligram per deciliter",
    "kg/m²": "kilogram per square meter",
    "USD": "dollar",
    "KRW": "won",
    "EUR": "euro",
    "JPY": "yen",
    "GBP": "pound",
    "″": "inch",
    "′": "foot",
}
_ONLY_TOUCHING: Final = frozenset({"A", "V", "in", "MP", "mi", "pt"})
"""Unit signs that are also words or names. They count as units directly after the digits, or when no word follows."""
_SAME_IN_PLURAL: Final = frozenset({"hertz", "kilohertz", "megahertz", "gigahertz", "won", "yen", "C-C", "P-S-I"})
_PLURALS: Final = {"foot": "feet", "inch": "inches", "square foot": "square feet"}
_FIGURE: Final = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_SIGNS: Final = "|".join(re.escape(sign) for sign in sorted(_UNITS, key=len, reverse=True))
_ALONE: Final = re.compile(r"(?<![\w.-])(?:kg|km|cm|mm|mL|ml|GB|MB|TB|kcal|mph|km/h|m²|km²)(?![\w-])")
_UNIT: Final = re.compile(
    rf"(?<![\w.,])(-)?({_FIGURE})(?:\s?(?:[-–]|to)\s?({_FIGURE}))?(\s|-)?({_SIGNS})"
    r"(?![A-Za-z0-9²³/'&]|-[A-Za-z])(\.(?=\s[a-z]|\s\d{1,2}\s?(?:in|oz|min|sec)\b))?"
)
_TEMPERATURE: Final = re.compile(
    rf"(?<![\w.,])([-+])?({_FIGURE})(?:\s?°\s?[CF]?)?(?:\s?(?:[-–]|to)\s?([-+]?)({_FIGURE}))?\s?°\s?([CFK])?(?![a-z])"
)
_ARTICLE: Final = re.compile(r"\ban?\s$")
_SCALES: Final = {"C": " Celsius", "F": " Fahrenheit", "K": " Kelvin", None: ""}
_PERCENT: Final = re.compile(rf"(?<![\w.,])([-+])?({_FIGURE})(?:%?\s?(?:[-–]|to)\s?({_FIGURE}))?\s?(%p|%|‰)")
_PERCENT_WORDS: Final = {"%": "percent", "%p": "percentage points", "‰": "per mille"}
_SIGNED: Final = {"-": "minus ", "+": "plus ", "": "", None: ""}
_CURRENCIES: Final = {
    "$": ("dollar", "cent"),
    "€": ("euro", "cent"),
    "£": ("pound", "penny"),
    "₩": ("won", ""),
    "￦": ("won", ""),
    "¥": ("yen", ""),
    "₹": ("rupee", ""),
    "₿": ("bitcoin", ""),
}
_MAGNITUDES: Final = {
    "k": "thousand",
    "K": "thousand",
    "M": "million",
    "m": "million",
    "B": "billion",
    "bn": "billion",
    "T": "trillion",
    "thousand": "thousand",
    "million": "million",
    "billion": "billion",
    "trillion": "trillion",
}
_MAGNITUDE: Final = r"(?:\s?(thousand|million|billion|trillion)\b|(k|K|M|m|bn|B|T)(?![A-Za-z]))?"
_MONEY: Final = re.compile(
    rf"(?<!\w)(-)?(?:US|NT|HK|A|C)?([$€£₩￦¥₹₿])\s?(-)?(\d{{1,3}}(?:,\d{{3}})+|"
    rf"\d+)(?:\.(\d{{1,10}}))?(?:\s?[-–]\s?[$€£₩¥]?(\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.(\d{{1,10}}))?)?{_MAGNITUDE}"
)
_MONEY_AFTER: Final = re.compile(rf"(?<![\w.,])({_FIGURE})\s?([€£₩₹])(?!\d)")
_MAGNITUDE_AFTER: Final = re.compile(
    rf"(?<![\w.,])({_FIGURE})(K|M|B|bn)(?![A-Za-z0-9-])(?=\s(?:users|people|views|downloads|"
    rf"followers|parameters|tokens|subscribers|rows|records|dollars|won))"
)
_CENTS: Final = 2
_HOURS_AND_MINUTES: Final = re.compile(r"(?<![\w.])(\d{1,3})\s?h\s?(\d{1,2})\s?m(?!\w)")
"""In which m stands for minutes: 1h 30m."""


def with_units_in_words(text: str) -> str:
    """``text`` with its money, temperatures, percentages and units in words."""
    text = _HOURS_AND_MINUTES.sub(r"\1 h \2 min", text)
    text = _MONEY.sub(_money, text)
    text = _MONEY_AFTER.sub(lambda found: _counted(found.group(1), _CURRENCIES[found.group(2)][0]), text)
    text = _MAGNITUDE_AFTER.sub(lambda found: f"{_said(found.group(1))} {_MAGNITUDES[found.group(2)]}", text)
    text = _TEMPERATURE.sub(_temperature, text) if "°" in text else text
    text = _PERCENT.sub(_percent, text)
    text = _UNIT.sub(_unit, text)
    return _ALONE.sub(_alone, text)


def _said(figure: str) -> str:
    whole, _, fraction = figure.replace(",", "").partition(".")
    return decimal(whole, fraction)


def plural(unit: str) -> str:
    """The plural of a unit: feet, meters per second."""
    if unit in _SAME_IN_PLURAL:
        return unit
    for one, many in _PLURALS.items():
        if unit == one:
            return many
    head, per, rest = unit.partition(" per ")
    head, of, substance = head.partition(" of ")
    return f"{_PLURALS.get(head, head + 's')}{of}{substance}{per}{rest}"


def _counted(figure: str, unit: str) -> str:
    return f"{_said(figure)} {unit if figure == '1' else plural(unit)}"


def _unit(found: re.Match[str]) -> str:
    minus, figure, last, gap, sign, stop = found.groups()
    if gap == "-" and sign.isupper() and len(sign) == 1:
        return found.group()
    if gap == " " and sign in _ONLY_TOUCHING and not stop and found.string[found.end() : found.end() + 1] == " ":
        return found.group()
    lead = "minus " if minus else ""
    if gap == "-":
        return f"{lead}{_said(figure)}-{_UNITS[sign]}"
    if _is_adjective(found) and not last:
        return f"{lead}{_said(figure)} {_UNITS[sign]}"
    if last:
        return f"{lead}{_said(figure)} to {_said(last)} {plural(_UNITS[sign])}"
    return lead + _counted(figure, _UNITS[sign])


def _alone(found: re.Match[str]) -> str:
    """A unit without a number: weight in kilograms, a pace per kilometer."""
    unit = _UNITS[found.group()]
    return unit if found.string[: found.start()].endswith("per ") else plural(unit)


def _is_adjective(found: re.Match[str]) -> bool:
    """Whether an amount stands between an article and a noun: a 256 GB disk."""
    follows = found.string[found.end() : found.end() + 1] == " "
    return follows and _ARTICLE.search(found.string[: found.start()]) is not None


def _temperature(found: re.Match[str]) -> str:
    sign, figure, last_sign, last, letter = found.groups()
    start = _SIGNED[sign] + _said(figure)
    until = f" to {_SIGNED[last_sign]}{_said(last)}" if last else ""
    if not letter and not last and _ARTICLE.search(found.string[: found.start()]):
        return f"{start}-degree"
    return f"{start}{until} {'degree' if figure == '1' and not last else 'degrees'}{_SCALES[letter]}"


def _percent(found: re.Match[str]) -> str:
    sign, figure, last, unit = found.groups()
    until = f" to {_said(last)}" if last else ""
    return f"{_SIGNED[sign]}{_said(figure)}{until} {_PERCENT_WORDS[unit]}"


def _money(found: re.Match[str]) -> str:
    minus, sign, second_minus, whole, fraction, last, last_fraction, name, letter = found.groups()
    unit, small = _CURRENCIES[sign]
    lead = "minus " if minus or second_minus else ""
    scale = _MAGNITUDES.get(name or letter or "")
    if not scale and not last and fraction and len(fraction) == _CENTS and small:
        return lead + _with_cents(whole, int(fraction), unit, small)
    amount = _said(whole + (f".{fraction}" if fraction else ""))
    if last:
        amount += " to " + _said(last + (f".{last_fraction}" if last_fraction else ""))
    if scale:
        return f"{lead}{amount} {scale} {plural(unit)}"
    return f"{lead}{amount} {unit if whole == '1' and not fraction and not last else plural(unit)}"


def _with_cents(whole: str, cents: int, unit: str, small: str) -> str:
    small_words = f"{decimal(str(cents))} {small if cents == 1 else 'pence' if small == 'penny' else small + 's'}"
    if whole == "0" and cents:
        return small_words
    return _counted(whole.replace(",", ""), unit) + (f" and {small_words}" if cents else "")
