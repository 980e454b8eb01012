"""Korean numbers, with native or Sino-Korean numerals depending on the counter after them."""

import re
from typing import Final

from assistant.speech.text.korean import numerals
from assistant.speech.text.korean.counters import (
    NATIVE,
    are_greatest,
    are_persons,
    is_counted,
    is_decade,
    takes_native,
)
from assistant.speech.text.korean.labels import is_label, names_item
from assistant.speech.text.korean.marks import number

_FIGURE: Final = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
_DECIMAL: Final = r"(?:\.\d+)?"
_MAGNITUDE: Final = (
    r"(?:[십백천]?(?:만(?!화|남|들|료)|억(?!울|지|양)|조(?!각|별|건|합|직|금|차)|경(?!기|우|험|로|찰|주|쟁|력|계))"
    r"|십(?!자|대)|백(?!신|업|화점|엔드)|천(?!사|막|연|재|장|국|둥|체))"
)
_AMOUNT: Final = re.compile(
    rf"(?:(?<![\w가-힣.)\]%])([-+±])\s?)?(?:"
    rf"({_FIGURE}{_DECIMAL}{_MAGNITUDE}(?:\s?\d[\d,]{{0,6}}{_MAGNITUDE})*(?:\s?\d,\d{{3}}(?!\d)|"
    rf"\s\d{{3,4}}(?![\d,.]|\s?년)|\d{{1,4}}(?![\d,.]))?)"
    rf"|({_FIGURE})(\.\d+)?)"
)
_PART: Final = re.compile(rf"({_FIGURE})(\.\d+)?({_MAGNITUDE})?")
_VALUES: Final = {"십": 10, "백": 100, "천": 1_000, "만": 10**4, "억": 10**8, "조": 10**12, "경": 10**16}
_SIGNS: Final = {"-": "마이너스", "+": "플러스", "±": "플러스마이너스", None: ""}
_MONTHS: Final = ("", "일", "이", "삼", "사", "오", "유", "칠", "팔", "구", "시", "십일", "십이")
_MONTH: Final = re.compile(r"월(?!드|급|세|간|평|광|계|등)")
_CLOCK: Final = re.compile(r"\s?(?:월|일|시|분|초|년|개|명|번|층|호)")
_ORDINAL: Final = re.compile(r"(?<![가-힣])제\s?$")
_STREET: Final = re.compile(r"(?:로|동|가)\s?$")
_MORE: Final = re.compile(r"여(?=\s?[가-힣])(?!러|행|자|름|기|성|유|왕|권|부|배우|론|전)")
_AFTER_COUNTER: Final = re.compile(
    r"(?![가-힣])|이|가|은|는|을|를|의|에|도|만|과|와|로|으|까|부|보|처|마|씩|짜|째|당|쯤|정|안|"
    r"밖|뿐|입|인|일|였|동|전|후|간|내|중|반|경|무렵|즈음|넘|가량|남|아|"
    r"야|예|죠|라|란|나|든|조|하|되|들|분|치|어치|여|기준|단위|규|모|한|요|였|네|지|고|며|면|다|"
    r"정도|넣|추|더|이상|이하|미만|초과|대|표|값|용|수|째|팀"
)
_AGAINST: Final = re.compile(r"대\s?\d")
"""대 between two sides (2대 1), which does not count machines."""
_LETTER: Final = re.compile("[A-Za-z]$")
_LONG_YEAR: Final = 1_000
_DAY_AFTER_MONTH: Final = re.compile(r"월\s?(?:\d{1,2}일(?:에서|,|부터|과)\s?){0,3}$")
_BEFORE: Final = 24


def with_amounts_in_words(text: str) -> str:
    """``text`` with its numbers in words."""
    return _AMOUNT.sub(_amount, text)


def _amount(found: re.Match[str]) -> str:
    sign, scaled, whole, fraction = found.groups()
    before = found.string[max(0, found.start() - _BEFORE) : found.start()]
    after = found.string[found.end() : found.end() + _BEFORE]
    lead = f" {_SIGNS[sign]}" if sign else ""
    if fraction:
        return lead + number(numerals.decimal(whole.replace(",", ""), fraction[1:]))
    value = _value(scaled) if scaled else _plain_value(whole.replace(",", ""), after)
    if value is None:
        reading = _scaled(scaled) if scaled else numerals.digits(whole)
        return f"{lead} {reading}" if _MORE.match(after) else lead + number(reading)
    return lead + _with_counter(value, before, after)


def _plain_value(figures: str, after: str) -> int | None:
    """The number, or ``None`` for digits that are read one by one."""
    is_padded = len(figures) > 1 and figures[0] == "0"
    if len(figures) > numerals.LONGEST or (is_padded and not (len(figures) == 2 and _CLOCK.match(after))):
        return None
    return int(figures)


def _value(scaled: str) -> int | None:
    """The value of digits and magnitude words together; ``None`` with decimals or with magnitudes out of order."""
    total, group, least = 0, 0, 10**numerals.LONGEST
    for figures, fraction, scale in _PART.findall(scaled):
        plain = figures.replace(",", "")
        large = _VALUES[scale[-1]] if scale and scale[-1] in "만억조경" else 1
        if fraction or large > least or len(plain) > numerals.LONGEST - 4:
            return None
        group += int(plain) * (_VALUES[scale[0]] if scale and scale[0] in "십백천" else 1)
        if large > 1:
            total, group, least = total + group * large, 0, large
    total += group
    return total if total < 10**numerals.LONGEST else None


def _scaled(scaled: str) -> str:
    """Read the parts one after the other: 1.5억 is 일 점 오억."""
    parts = []
    for figures, fraction, scale in _PART.findall(scaled):
        parts.append(numerals.decimal(figures.replace(",", ""), fraction[1:]) + scale)
    return " ".join(parts)


def _with_counter(value: int, before: str, after: str) -> str:
    glued = _glued(value, before, after)
    if glued:
        return glued
    if _LETTER.search(before):
        return number(numerals.sino(value))  # the number belongs to a name: KE901편
    counted = after.removeprefix(" ")
    counter = NATIVE.match(counted)
    name = counter.group() if counter and _AFTER_COUNTER.match(counted, counter.end()) else ""
    if name and _is_native(name, value, before, counted):
        return number("첫" if name == "번째" and value == 1 else numerals.native(value))
    if counted[:1] in {"번", "분", "쪽", "주", "자"} and _is_native_by_context(value, before, counted):
        return number(numerals.native(value))
    return number(numerals.sino(value))


def _is_native(counter: str, value: int, before: str, counted: str) -> bool:
    if counter == "대" and (is_decade(value, before) or are_greatest(before, counted) or _AGAINST.match(counted)):
        return False
    return takes_native(counter, value) and not names_item(counter, before, counted)


def _is_native_by_context(value: int, before: str, counted: str) -> bool:
    if value == 0 or not re.match(r".(?![가-힣])|분|번|쪽|주|자", counted):
        return False
    if counted[0] == "번":
        return not re.match("번(?:호|지|길|가|역|식)", counted) and not is_label(value, before, counted)
    if counted[0] == "분":
        return not re.match("분(?:기|류|의|석|야|당)", counted) and are_persons(before, counted)
    return is_counted(counted[0], before, counted)


def _glued(value: int, before: str, after: str) -> str:
    """The reading of a number that joins the word beside it; empty for all other numbers."""
    if _ORDINAL.search(before):
        return numerals.sino(value)
    if _MORE.match(after):
        return f" {numerals.sino(value)}"
    if _MONTH.match(after) and 0 < value < len(_MONTHS):
        return f" {_MONTHS[value]}"
    if after.startswith("일") and _DAY_AFTER_MONTH.search(before):
        return f" {numerals.sino(value)}"
    if (after.startswith("년") and value >= _LONG_YEAR) or after.startswith("분의 "):
        return f" {numerals.sino(value)}"
    if after.startswith("주일") and value == 1:
        return " 일"
    if re.match("가(?![가-힣])|가에|가의|가역", after) and _STREET.search(before):
        return f" {numerals.sino(value)}"
    return ""
