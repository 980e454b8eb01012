"""Ranges, ratios and fractions in Korean: 3~5개, 2~3일, 3:2, 1/2.

A range becomes words between two amounts (3개에서 5개), which are read afterwards. An approximate range of neighbouring
numbers becomes one word (두세 개, 이삼 일). A range with two exact ends does not (삼월에서 사월).
"""

import re
from typing import Final

from assistant.speech.text.korean import numerals
from assistant.speech.text.korean.counters import NATIVE, takes_native
from assistant.speech.text.korean.labels import is_label
from assistant.speech.text.korean.marks import number

_PLAIN: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,20})?"
_MAGNITUDE: Final = r"(?:[십백천]?[만억조]|[십백천])?"
_RANGE: Final = re.compile(
    rf"(?<![\d.,/:A-Za-z-])({_PLAIN})({_MAGNITUDE})\s?[~–]\s?({_PLAIN})({_MAGNITUDE})(?![\d/:]|\s?[~–]\s?\d)"
)
_HYPHEN: Final = re.compile(
    rf"(?<![\d.,/:A-Za-z-])({_PLAIN})({_MAGNITUDE})-({_PLAIN})({_MAGNITUDE})(?![\d/:A-Za-z-])(?=\s?(?:[가-힣]))"
)
_SCORE: Final = re.compile(
    r"(?<![\d.,/:A-Za-z-])(\d{1,3})\s?-\s?(\d{1,3})(?=(?:\s?(?:로|으로))?\s?(?:승리|승|패|이겼|"
    r"이긴|이기|졌|진 |앞|뒤|꺾|제압|물리|누르|눌렀|격파|리드|비겼|역전|무승부|완승|완파))"
)
_RATIO: Final = re.compile(r"(?<![\d.,/:])(\d{1,5}(?:\.\d{1,3})?)((?:\s?:\s?\d{1,5}(?:\.\d{1,3})?){1,4})(?![\d:])")
_PRESSURE: Final = re.compile(
    r"(?<![\d.,/])(\d{2,3})/(\d{2,3})(?=\s?밀리미터 수은주)|(?<=혈압은 )(\d{2,3})/(\d{2,3})(?!\d)"
)
_SCORED: Final = re.compile(r"(?<![\d.,/])(\d{1,3}(?:\.\d{1,2})?)/(\d{1,3})\s?점")
_DECIMAL_FRACTION: Final = re.compile(r"(?<![\d.,/])(\d{1,6}\.\d{1,5})/(\d{1,6}(?:\.\d{1,5})?)(?![\d/])")
_FRACTION: Final = re.compile(r"(?<![\d.,/])(?:(\d{1,3})\s)?(\d{1,6})/(\d{1,6})(?![\d/]|[.,]\d)")
_GUESSED: Final = re.compile(
    r"\s?(?:일(?!\s?월)(?=[^가-힣]|$|[간이은에을씩째동안내전후만]|정도)|주일|주간|주(?=[^가-힣]|"
    r"$|[간이은에을씩째동안내전후]|정도)|년(?!대|도|생)|개월|분|초|회|인분|인(?=[^가-힣]|$|"
    r"[이가은용실])|세(?=[^가-힣]|$|[이가은의])|차례)"
)
_REPEATED: Final = re.compile(
    r"\s?(년대|년|개월|월|일|시간|시|분|초|주일|주간|주|세기|세|층|호선|호|번|회|차|도|원|달러|"
    r"유로|엔|위안|인분|인|쪽|페이지|점|위|등급|등|학년|대|"
    r"배|단계|교시|조|장|절|박|평|과)"
)
_TILDE: Final = re.compile(
    r"(?<=[가-힣\d%)\ue001])\s?[~–]\s?(?=\d|오전|오후|영하|영상|다음|내일|모레|[월화수목금토일]요일)"
    r"|(?<=[가-힣])(?<![요다네까죠아어와자야음])[~–](?=[가-힣])"
)
_FROM: Final = re.compile(r"(?<=[시일월년분])\s?~(?=\s|$|[.,)])")
_TODAY: Final = re.compile(r"(?<![\d.,~월-])1\s?[~-]\s?2일(?=[\s.,!?]|$|[간이은에을씩째동안내전후만]|정도)")
_HOURS: Final = re.compile(r"(?<=[시분일])\s?[-–]\s{0,2}(?=\d{1,2}[시월]|오전|오후)")
_AFTER_MONTH: Final = re.compile(r"월\s?$")
_DIGITS: Final = 9


def with_ranges_in_words(text: str) -> str:
    """``text`` with words between the ends of a range, and with ratios and fractions in words."""
    text = _SCORE.sub(lambda found: f"{_sino(found.group(1))} 대{_sino(found.group(2))}", text)
    text = _RANGE.sub(_range, _TODAY.sub(" 하루 이틀", text))
    text = _FROM.sub("부터", _TILDE.sub("에서 ", _HOURS.sub("에서 ", text)))
    text = _HYPHEN.sub(_hyphen, text)
    if "/" in text:
        text = _PRESSURE.sub(r"\1에 \2", text)
        text = _SCORED.sub(r"\2점 만점에 \1점", text)
        text = _DECIMAL_FRACTION.sub(lambda found: f"{_sino(found.group(2))[:-1]}분의{_sino(found.group(1))}", text)
        text = _FRACTION.sub(_fraction, text)
    return _RATIO.sub(_ratio, text) if ":" in text else text


def _sino(figures: str) -> str:
    whole, _, fraction = figures.replace(",", "").partition(".")
    return number(numerals.decimal(whole, fraction))


def _hyphen(found: re.Match[str]) -> str:
    start, end = (float(found.group(group).replace(",", "")) for group in (1, 3))
    counter = _REPEATED.match(found.string, found.end()) or NATIVE.match(found.string, found.end())
    if start < end and counter:
        return _range(found)
    return f"{found.group(1)}{found.group(2)} 다시 {found.group(3)}{found.group(4)}"


def _range(found: re.Match[str]) -> str:
    start, scale, end, end_scale = found.groups()
    if end_scale and not scale and float(start.replace(",", "")) < float(end.replace(",", "")):
        scale = end_scale
    after = found.string[found.end() : found.end() + 12]
    before_all = found.string[max(0, found.start() - 24) : found.start()]
    before = before_all[-3:]
    if after.lstrip().startswith("번") and not scale and "." not in start + end:
        return _times(start, end, after.lstrip(), before_all)
    guess = _guess(start, end, after, before, scaled=bool(scale)) if scale == end_scale else ""
    if guess:
        return number(guess + scale)
    repeated = NATIVE.match(after.lstrip()) or _REPEATED.match(after)
    counter = repeated.group().strip() if repeated and not after.startswith("  ") else ""
    return f"{start}{scale}{counter}에서 {end}{end_scale}"


def _times(start: str, end: str, after: str, before: str) -> str:
    """Read a range with 번: of numbered items (삼 번에서 오 번) or of times (세 번에서 다섯 번)."""
    first, last = int(start.replace(",", "")), int(end.replace(",", ""))
    if max(len(start), len(end)) > numerals.LONGEST or first == 0 or is_label(last, before, after):
        return f"{_sino(start)}번에서{_sino(end)}"
    if last == first + 1 and last < _DIGITS:
        return number(numerals.approximate(first, is_native=True))
    return f"{number(numerals.native(first))}번에서{number(numerals.native(last))}"


def _guess(start: str, end: str, after: str, before: str, *, scaled: bool) -> str:
    """One word for two neighbouring numbers; empty where both ends are exact."""
    first, last = start.replace(",", ""), end.replace(",", "")
    if "." in first + last or first[0] == "0" or len(first) > numerals.LONGEST or len(first) != len(last):
        return ""
    tail = first[1:]
    if tail.strip("0") or last[1:] != tail or int(last[0]) != int(first[0]) + 1:
        return ""
    native = NATIVE.match(after.lstrip())
    counted = native is not None and native.group() != "시" and not scaled
    if tail:
        return _round(first, last) if counted or _GUESSED.match(after) or after.startswith("대") else ""
    if counted and native is not None and takes_native(native.group(), int(last)):
        return numerals.approximate(int(first), is_native=True)
    if scaled:
        return numerals.approximate(int(first), is_native=False)
    if (not counted and not _GUESSED.match(after)) or _AFTER_MONTH.search(before):
        return ""
    return numerals.approximate(int(first), is_native=False)


def _round(first: str, last: str) -> str:
    """이삼십, 삼사백: the first digit of the lower number before the higher number."""
    return numerals.DIGITS[int(first[0])] + numerals.sino(int(last)) if first[0] != "1" else ""


def _fraction(found: re.Match[str]) -> str:
    whole, upper, lower = found.groups()
    if int(lower) == 0 or upper[0] == "0":
        return found.group()
    lead = f"{_sino(whole)}과" if whole else ""
    return f"{lead} {numerals.sino(int(lower))}분의{number(numerals.sino(int(upper)))}"


def _ratio(found: re.Match[str]) -> str:
    rest = re.findall(r"[\d.]+", found.group(2))
    return "".join([_sino(found.group(1)), *(f" 대{_sino(part)}" for part in rest)])
