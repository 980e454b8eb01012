"""Korean words for units, currencies and percent: 60km/h is 시속 60킬로미터, $3.50 is 3달러 50센트.

The numbers are read afterwards.
"""

import re
from typing import Final

from assistant.speech.text.korean.marks import word

_UNITS: Final = {
    "km²": "제곱킬로미터",
    "km2": "제곱킬로미터",
    "m²": "제곱미터",
    "m2": "제곱미터",
    "cm²": "제곱센티미터",
    "cm2": "제곱센티미터",
    "mm²": "제곱밀리미터",
    "m³": "세제곱미터",
    "m3": "세제곱미터",
    "cm³": "세제곱센티미터",
    "km": "킬로미터",
    "m": "미터",
    "cm": "센티미터",
    "mm": "밀리미터",
    "μm": "마이크로미터",
    "nm": "나노미터",
    "kg": "킬로그램",
    "Kg": "킬로그램",
    "KG": "킬로그램",
    "g": "그램",
    "mg": "밀리그램",
    "μg": "마이크로그램",
    "mcg": "마이크로그램",
    "t": "톤",
    "L": "리터",
    "l": "리터",
    "mL": "밀리리터",
    "ml": "밀리리터",
    "ML": "밀리리터",
    "dL": "데시리터",
    "cc": "씨씨",
    "TB": "테라바이트",
    "GB": "기가바이트",
    "MB": "메가바이트",
    "KB": "킬로바이트",
    "kB": "킬로바이트",
    "PB": "페타바이트",
    "GiB": "기비바이트",
    "MiB": "메비바이트",
    "KiB": "키비바이트",
    "Gbps": "기가비피에스",
    "Mbps": "메가비피에스",
    "kbps": "킬로비피에스",
    "Kbps": "킬로비피에스",
    "bps": "비피에스",
    "Hz": "헤르츠",
    "kHz": "킬로헤르츠",
    "KHz": "킬로헤르츠",
    "MHz": "메가헤르츠",
    "GHz": "기가헤르츠",
    "W": "와트",
    "kW": "킬로와트",
    "KW": "킬로와트",
    "MW": "메가와트",
    "GW": "기가와트",
    "Wh": "와트시",
    "kWh": "킬로와트시",
    "KWh": "킬로와트시",
    "V": "볼트",
    "kV": "킬로볼트",
    "A": "암페어",
    "mA": "밀리암페어",
    "mAh": "밀리암페어시",
    "Ah": "암페어시",
    "Ω": "옴",
    "dB": "데시벨",
    "hPa": "헥토파스칼",
    "kPa": "킬로파스칼",
    "Pa": "파스칼",
    "kcal": "킬로칼로리",
    "Kcal": "킬로칼로리",
    "cal": "칼로리",
    "kJ": "킬로줄",
    "J": "줄",
    "N": "뉴턴",
    "ppm": "피피엠",
    "ppb": "피피비",
    "pH": "피에이치",
    "px": "픽셀",
    "fps": "에프피에스",
    "FPS": "에프피에스",
    "rpm": "알피엠",
    "RPM": "알피엠",
    "dpi": "디피아이",
    "MP": "메가픽셀",
    "ms": "밀리초",
    "μs": "마이크로초",
    "ns": "나노초",
    "s": "초",
    "sec": "초",
    "secs": "초",
    "min": "분",
    "mins": "분",
    "h": "시간",
    "hr": "시간",
    "hrs": "시간",
    "in": "인치",
    "inch": "인치",
    "inches": "인치",
    "ft": "피트",
    "feet": "피트",
    "yd": "야드",
    "mi": "마일",
    "mile": "마일",
    "miles": "마일",
    "lb": "파운드",
    "lbs": "파운드",
    "oz": "온스",
    "ha": "헥타르",
    "atm": "기압",
    "mmHg": "밀리미터 수은주",
    "mg/dL": "밀리그램 퍼 데시리터",
    "mg/dl": "밀리그램 퍼 데시리터",
    "kg/m²": "킬로그램 퍼 제곱미터",
    "μg/m³": "마이크로그램 퍼 세제곱미터",
    "g/L": "그램 퍼 리터",
    "USD": "달러",
    "KRW": "원",
    "EUR": "유로",
    "JPY": "엔",
    "CNY": "위안",
    "GBP": "파운드",
    "won": "원",
    "%p": "퍼센트포인트",
    "%P": "퍼센트포인트",
    "%": "퍼센트",
    "％": "퍼센트",
    "‰": "퍼밀",
    "″": "인치",
    "′": "분",
}
_RATES: Final = {
    "km/h": ("시속", "킬로미터"),
    "kmh": ("시속", "킬로미터"),
    "kph": ("시속", "킬로미터"),
    "KM/H": ("시속", "킬로미터"),
    "Km/h": ("시속", "킬로미터"),
    "m/s": ("초속", "미터"),
    "km/s": ("초속", "킬로미터"),
    "m/min": ("분속", "미터"),
    "mph": ("시속", "마일"),
    "MB/s": ("초당", "메가바이트"),
    "GB/s": ("초당", "기가바이트"),
    "KB/s": ("초당", "킬로바이트"),
    "tokens/s": ("초당", "토큰"),
    "km/L": ("리터당", "킬로미터"),
    "km/l": ("리터당", "킬로미터"),
    "m/s²": ("초당 초속", "미터"),
    "원/kg": ("킬로그램당", "원"),
}
_LETTERS_ONLY_TOUCHING: Final = frozenset({"t", "A", "V", "s", "h", "in", "N", "J", "m", "l", "MP", "mi", "ha"})
"""Unit signs that are also words or names. They count as units only directly after the digits."""


def _alternatives(signs: dict[str, str] | dict[str, tuple[str, str]]) -> str:
    return "|".join(re.escape(sign) for sign in sorted(signs, key=len, reverse=True))


_FIGURE: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,20})?"
_AMOUNT: Final = rf"{_FIGURE}(?:\s?[~–-]\s?{_FIGURE})?(?:[십백천]?[만억조]|[백천])?"
_RATE: Final = re.compile(
    rf"(시속|초속|분속|초당|리터당|"
    rf"킬로그램당)?(\s?)(?<![\d.,])({_AMOUNT})\s?({_alternatives(_RATES)})(?![A-Za-z0-9²³/])"
)
_UNIT: Final = re.compile(rf"(?<=[\d만억조천백])(\s?)({_alternatives(_UNITS)})(?![A-Za-z0-9²³/'&]|-[A-Za-z])")
_IN_BRACKETS: Final = re.compile(rf"\(\s?({_alternatives(_UNITS)})\s?\)")
_PER: Final = re.compile(rf"({_AMOUNT}\s?원)\s?/\s?(월|년|일|주|인|명|개|박|회|kg|시간|분)(?![가-힣A-Za-z])")
_TIMES_OF: Final = frozenset("월년일주")
_TEMPERATURE: Final = re.compile(
    rf"(섭씨|화씨)?(\s?)(?<![\d.,])({_FIGURE}\s?(?:°\s?[CF]?)?\s?[~–-]\s?)?([-+])?({_FIGURE})\s?°\s?([CF](?![A-Za-z]))?"
)
_TEMPERATURE_SIGN: Final = re.compile(
    rf"(?<![\w가-힣.)~])(?<!영하 )(?<!영상 )([-+])(?=({_FIGURE})(?:\s?[~–]\s?[-+]?{_FIGURE})?"
    rf"(?:\s?(?:도|°)(?:\s?[CF](?![A-Za-z]))?)(?!\s?단위|서))"
)
_TO_BELOW_ZERO: Final = re.compile(rf"(?<=\d)(?:\s?도)?\s?[~–]\s?-(?={_FIGURE}\s?도)")
_MAGNITUDE: Final = (
    r"(?:\s?(?:십|백|천|만|억|조|[천백십]만|[천백십]억|thousand|million|billion|trillion|[KMBkmb](?![A-Za-z])))?"
)
_CURRENCIES: Final = {
    "$": ("달러", "센트"),
    "€": ("유로", "센트"),
    "£": ("파운드", "펜스"),
    "₩": ("원", ""),
    "￦": ("원", ""),
    "¥": ("엔", ""),
    "元": ("위안", ""),
    "₫": ("동", ""),
    "₹": ("루피", ""),
    "₽": ("루블", ""),
    "฿": ("바트", ""),
    "₿": ("비트코인", ""),
}
_MONEY: Final = re.compile(
    rf"(?<![\w])(-)?(?:US|NT|HK|A|C)?([$€£₩￦¥₫₹₽฿₿])\s?(-)?(\d{{1,3}}(?:,\d{{3}})+|"
    rf"\d+)(?:\.(\d{{1,10}}))?({_MAGNITUDE})"
    rf"(\s?[~–-]\s?[$€£₩￦¥]?(?:\d{{1,3}}(?:,\d{{3}})+|"
    rf"\d+)(?:\.\d{{1,10}})?{_MAGNITUDE})?(\s?(?:달러|원|유로|엔|파운드))?"
)
_MONEY_AFTER: Final = re.compile(r"(?<=\d)\s?([€£₩元₫₹₽฿])")
_WORDS: Final = {
    "thousand": "천",
    "million": "백만",
    "billion": "십억",
    "trillion": "조",
    "k": "천",
    "m": "백만",
    "b": "십억",
}
_SCALES: Final = {"천": 1_000, "백만": 1_000_000, "십억": 1_000_000_000, "조": 1_000_000_000_000}
_CENTS: Final = 2
_HOURS_AND_MINUTES: Final = re.compile(r"(?<![\w.])(\d{1,3})\s?h\s?(\d{1,2})\s?m(?![A-Za-z0-9])")
"""In which m stands for minutes: 1h 30m."""
_MULTIPLE: Final = re.compile(r"(?<=\d)[xX](?=\s[가-힣]|[가-힣]|$|[.,!?])")


def with_units_in_words(text: str) -> str:
    """``text`` with words instead of the signs of units and currencies."""
    text = _HOURS_AND_MINUTES.sub(r"\1시간 \2분", text)
    text = _IN_BRACKETS.sub(lambda found: f"({word(_UNITS[found.group(1)])})", text)
    text = _PER.sub(_per, text)
    text = _MONEY.sub(_money, text)
    text = _MONEY_AFTER.sub(lambda found: word(_CURRENCIES[found.group(1)][0]), text)
    text = _TO_BELOW_ZERO.sub("도에서 영하 ", text)
    text = _TEMPERATURE_SIGN.sub(lambda found: "영하 " if found.group(1) == "-" else "영상 ", text)
    text = _TEMPERATURE.sub(_temperature, text) if "°" in text else text
    text = _RATE.sub(_rate, text)
    text = _UNIT.sub(_unit, text)
    return _MULTIPLE.sub("배", text)


def _per(found: re.Match[str]) -> str:
    amount, each = found.groups()
    return f"{each} {amount}" if each in _TIMES_OF else f"{_UNITS.get(each, each)}당 {amount}"


def _unit(found: re.Match[str]) -> str:
    space, sign = found.groups()
    if space and sign in _LETTERS_ONLY_TOUCHING and not _stands_alone(found):
        return found.group()
    return word(_UNITS[sign])


def _stands_alone(found: re.Match[str]) -> bool:
    """Whether a unit after a space is meant as one: ``5 m`` at the end of a phrase is a length, ``5 A사`` is a name."""
    following = found.string[found.end() : found.end() + 1]
    return found.group(2) in {"m", "t", "V", "s", "h", "l"} and following != "'"


def _rate(found: re.Match[str]) -> str:
    given, space, amount, sign = found.groups()
    before, unit = _RATES[sign]
    return f"{given or ''}{space}{amount}{word(unit)}" if given else f"{space or ' '}{before} {amount}{word(unit)}"


def _temperature(found: re.Match[str]) -> str:
    scale, space, start, sign, figure, letter = found.groups()
    scale = scale or ("화씨" if letter == "F" else "")
    first = re.sub(r"\s?°\s?[CF]?", "", start).strip(" ~–-") + "도에서 " if start else ""
    signed = {"-": "영하 ", "+": "영상 ", None: ""}[sign]
    lead = f" {scale} " if scale else space
    return f"{lead}{first}{signed}{figure}도"


def _money(found: re.Match[str]) -> str:
    minus, sign, second_minus, whole, fraction, scale, range_end, unit = found.groups()
    currency, small = _CURRENCIES[sign]
    text = "마이너스 " if minus or second_minus else ""
    if range_end:
        start = whole + (f".{fraction}" if fraction else "") + scale
        end = re.sub(r"^\s?[~–-]\s?[$€£₩￦¥]?", "", range_end)
        return f" {text}{_scaled(start)}{currency}에서 {_scaled(end)}{word(currency)}"
    if fraction and len(fraction) == _CENTS and small and not scale and not unit:
        cents = int(fraction)
        units = "" if whole == "0" and cents else f"{whole}{word(currency)}"
        return f" {text}{units}{f' {cents}{word(small)}' if cents else ''}"
    amount = _scaled(whole + (f".{fraction}" if fraction else "") + scale)
    return f" {text}{amount}{word(unit.strip() if unit else currency)}"


def _scaled(amount: str) -> str:
    """Convert an English magnitude: ``2.5 million`` is 250만; ``3만`` stays."""
    found = re.fullmatch(r"([\d,]+(?:\.\d+)?)\s?(.*)", amount)
    if found is None:
        return amount
    figure, name = found.groups()
    word = _WORDS.get(name.lower(), name)
    if word not in _SCALES or word == name:
        return figure + word
    whole, _, fraction = figure.replace(",", "").partition(".")
    places = len(str(_SCALES[word])) - 1
    if len(fraction) > places or len(whole) > places + 3:
        return figure + word
    return str(int(whole + fraction.ljust(places, "0")))
