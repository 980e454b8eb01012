"""Finds times in Korean sentences: ``내일 아침 7시 반``, ``30분 뒤``, ``다음 달 5일 9시``, ``격주 월요일 오후 3시``."""

import re
from collections.abc import Callable
from functools import cache

from assistant.core.times.durations import (
    KOREAN_DURATION,
    NATIVE,
    NATIVE_NUMBER,
    SINO,
    SINO_NUMBER,
    any_of,
    korean_number,
    korean_seconds,
)
from assistant.core.times.left_over import MEAL_KO, korean_meal, korean_time_word
from assistant.core.times.said import EVERY_DAY, WEEKDAYS, WEEKEND, Cycle, DayPart, FoundTime, Period
from assistant.core.times.scanning import Fields, FoundPiece, Piece, Scanner, found_time, often, shifted, with_gaps

_MONTHS = {"유": 6, "시": 10}
_COUNTED_DAYS = ("하루", "이틀", "사흘", "나흘", "닷새", "엿새", "이레", "여드레", "아흐레", "열흘")
_DAYS = {word: days for days, word in enumerate(_COUNTED_DAYS, 1)} | {"보름": 15}


def _numbered(words: str, first: int = 0) -> dict[str, int]:
    """Numbers the groups of a text in which ``|`` separates groups and ``,`` words that mean the same."""
    groups = words.split("|")
    return {word: number for number, group in enumerate(groups, first) for word in group.split(",")}


_NAMED_DAYS = _numbered("그제,그저께|어제|오늘,금일|내일,낼,명일|모레,내일 모레,낼 모레|글피|그글피", -2)
_WEEKS = _numbered("지난,저번|이번,요번,금|다음,담,내,차|다다음,다음다음", -1)
_MONTHS_ON = _numbered("지난,저번|이,이번,요번|다음,담,내|다다음,다음다음", -1)
_YEARS = _numbered("작년|올해,금년|내년,다음 해|내후년", -1)
_NTH = _numbered("첫,첫째,첫 번째|둘째,두 번째|셋째,세 번째|넷째,네 번째|다섯째", 1) | {"마지막": -1}
_PARTS = {
    "오전": DayPart.AM,
    "오후": DayPart.PM,
    "새벽": DayPart.DAWN,
    "아침": DayPart.MORNING,
    "낮": DayPart.DAY,
    "한낮": DayPart.DAY,
    "점심": DayPart.DAY,
    "저녁": DayPart.EVENING,
    "밤": DayPart.NIGHT,
    "한밤": DayPart.NIGHT,
}
_WEEKDAY = "월화수목금토일"
_HOURS = {**{word: value for word, value in NATIVE.items() if value <= 12}, **SINO}

_HOUR_NUMBER = f"열(?:한|두)|다섯|여섯|일곱|여덟|아홉|열|[한두세네석넉서]|{SINO_NUMBER}"
_NUMBER = rf"\d{{1,4}}|{NATIVE_NUMBER}|{SINO_NUMBER}"
_PART = rf"(?P<part>{any_of(_PARTS)})"
_LATER = r"(?:뒤|후|있다가?|이따가?|지나서|지나면)"
_MINUTES = rf"(?:\s*(?:(?P<half>반)|(?P<minute>\d{{1,2}}|{SINO_NUMBER})\s*분|정각))?"
_DAY_NAME = rf"[{_WEEKDAY}](?:\s*요일|욜)"
_AND = r"\s*(?:,|·|과|와|하고|이랑|랑)?\s*"
_DAY_LIST = rf"(?:{_DAY_NAME}(?:{_AND}{_DAY_NAME})*|[{_WEEKDAY}](?:\s*[,·]?\s*[{_WEEKDAY}])+(?:\s*요일)?)"
_PARTICLE = re.compile(
    r"\s?(?:에는|에만|에|엔|으로|로|쯤에?|쯤으로|경에?|정도에?|의|은)(?![가-힣]|\s*(?:전|후|이후|이전|뒤|까지|부터)(?![가-힣]))"
)
_LISTED = re.compile(r"(?:와|과|하고|이랑|랑)\s+")
_RUN_ON = re.compile(r"에(?=[가-힣]{2})|(?=알람|알림|리마인더|깨워|모닝콜|기상)")
"""What may follow a time without a space: ``7시에깨워줘``, ``7시알람``."""


def _piece(pattern: str, read: Callable[[dict[str, str]], Fields | None], *, beside: bool = False) -> Piece:
    return Piece(re.compile(pattern), read, beside)


@cache
def _scanner() -> Scanner:
    """The pieces are compiled at their first use, because that takes 10 ms."""
    return Scanner((*_repetitions(), *_days(), *_dates(), *_hours()), _end, _begins)


def _repetitions() -> tuple[Piece, ...]:
    again = r"(?:\s*마다|에\s*한\s*번씩?)"
    counted = rf"(?P<count>{_NUMBER})\s*(?P<unit>주|주일|달|개월|년){again}"
    every = rf"매(?P<of>[주년해])|(?P<other>격[주월])|{counted}|(?P<each>달|해)마다|다달이"
    return (
        _piece(every, _cycle),
        _piece(
            rf"(?P<days>{any_of(_DAYS)}|(?:{_NUMBER})\s*일)(?:{again}|\s*(?P<over>걸러))|(?P<other>격일)",
            _cycle_of_days,
        ),
        _piece(rf"(?P<count>{_NUMBER})\s*(?P<unit>시간|분)\s*마다|매\s*(?P<each>시간)(?:마다)?", _cycle_often),
        _piece(r"매일매일|매일|날마다", lambda _: {"every": EVERY_DAY}),
        _piece(rf"(?:매일\s*)?{_PART}마다", lambda said: {"every": EVERY_DAY, **_part(said)}),
        _piece(r"(?:매주\s*)?평일(?:\s*마다)?", lambda _: {"every": WEEKDAYS}),
        _piece(r"매주\s*주말(?:\s*마다)?|주말\s*마다", lambda _: {"every": WEEKEND}),
        _piece(rf"(?P<list>{_DAY_LIST})\s*마다", lambda said: {"every": _days_in(said["list"])}),
    )


def _days() -> tuple[Piece, ...]:
    return (
        _piece(rf"(?P<named>{any_of(_NAMED_DAYS)})", lambda said: {"days": _known(said["named"], _NAMED_DAYS)}),
        _piece(
            rf"(?P<after>{any_of(_DAYS)}|(?P<count>{_NUMBER}|한|일)\s*(?P<unit>일|주일|주|달|개월|년|해))\s*(?:뒤|후|있다가?)",
            _after,
        ),
        _piece(rf"(?P<week>{any_of(_WEEKS)})\s*주", lambda said: {"weeks": _WEEKS[said["week"]]}),
        _piece(rf"(?P<list>{_DAY_LIST})(?:날)?", lambda said: {"weekdays": _days_in(said["list"])}),
        _piece(
            rf"(?:오는|돌아오는|이번|요번)\s*(?P<list>{_DAY_NAME})", lambda said: {"weekdays": _days_in(said["list"])}
        ),
        _piece(
            rf"다음\s*(?P<list>{_DAY_NAME})",
            lambda said: {"weekdays": _days_in(said["list"]), "weeks": 1, "following": True},
        ),
        _piece(r"이따가?(?=\s)", lambda _: {"days": 0}),
    )


def _dates() -> tuple[Piece, ...]:
    numbered = rf"\d{{1,2}}|{SINO_NUMBER}"
    # "오일" alone is oil.
    long = r"\d{1,2}|[이삼사오육칠팔구]?십[일이삼사오육칠팔구]|[이삼사오육칠팔구]십"
    of_month = rf"(?:\s*(?:의|에)?\s*(?P<day>{numbered})\s*일(?:\s*날)?)?"
    return (
        _piece(rf"(?P<month_on>{any_of(_MONTHS_ON)})\s*달{of_month}", _date),
        _piece(rf"(?P<month>\d{{1,2}}|{SINO_NUMBER}|유|시)\s*월(?:\s*달)?{of_month}", _date),
        _piece(rf"매[달월]{of_month}", lambda said: {"cycle": Cycle(Period.MONTH), **_date(said)}),
        _piece(rf"(?P<years>{any_of(_YEARS)})", lambda said: {"years": _known(said["years"], _YEARS)}),
        _piece(r"(?P<year>20\d\d)\s*년(?:도)?", lambda said: {"year": int(said["year"])}),
        _piece(rf"(?P<day>{long})\s*일(?:\s*날)?", _date),
        _piece(r"말일|마지막\s*날", lambda _: {"day": -1}),
        _piece(
            rf"(?P<nth>{any_of(_NTH)})\s*(?P<list>{_DAY_NAME})",
            lambda said: {"nth": _known(said["nth"], _NTH), "weekdays": _days_in(said["list"])},
        ),
        _piece(r"(?P<year>20\d\d)\s*\.\s*(?P<month>\d{1,2})\s*\.\s*(?P<day>\d{1,2})(?:\s*\.)?(?![\d/-])", _date),
        _piece(r"(?P<year>20\d\d)(?P<mark>[-/])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?![\d/-])", _date),
        _piece(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\d/])", _date, beside=True),
    )


def _hours() -> tuple[Piece, ...]:
    hour = rf"(?:{_PART}(?:에)?\s*)?(?P<hour>\d{{1,2}}|{_HOUR_NUMBER})\s*시(?!간|작|험|내|장|속|계|절)"
    colon = rf"(?:{_PART}(?:에)?\s*)?(?P<colon_hour>\d{{1,2}})\s*:\s*(?P<colon_minute>\d{{2}})(?![\d:.])(?:분)?"
    return (
        _piece(rf"(?:지금\s*부터|지금으로\s*부터|앞으로)?\s*(?P<duration>{KOREAN_DURATION})\s*{_LATER}", _delay),
        _piece(rf"{hour}{_MINUTES}", _hour),
        _piece(rf"{hour}{_MINUTES}\s*마다", lambda said: {**(_hour(said) or {}), "again": True}),
        _piece(rf"{hour}\s*(?P<before>\d{{1,2}}|{SINO_NUMBER})\s*분\s*전", _hour),
        _piece(colon, _colon),
        _piece(
            r"(?P<twelve>정오|자정)", lambda said: {"hour": 24 if said["twelve"] == "자정" else 12, "part": DayPart.DAY}
        ),
        _piece(rf"(?!{MEAL_KO}){_PART}\s*(?:에|때|쯤에?)(?![가-힣])", _part, beside=True),
    )


def find_korean(text: str) -> FoundTime | None:
    """The time in a Korean sentence; ``None`` when none was said, or when a word of time is left over.

    What was not read could change the time, so half a reading is none.
    """
    found = _scanner().scan(text)
    rest = with_gaps(text, found)
    if not found or korean_time_word(rest) or any(_from_something(text, piece) for piece in found):
        return None
    meal = "" if any("part" in piece.fields for piece in found) else korean_meal(rest)
    return found_time(text, found, {"part": _PARTS[meal]} if meal else None)


def _from_something(text: str, piece: FoundPiece) -> bool:
    """Whether a delay counts from what stands before it: ``밥 먹고 30분 뒤에`` is not 30 minutes from now."""
    delayed = re.search(r"(?:뒤|후)에?\s*$", text[piece.start : piece.end])
    return delayed is not None and re.search(r"[가-힣](?:고|서|면|마자|로부터)\s*$", text[: piece.start]) is not None


def whole_korean(text: str) -> FoundTime | None:
    """The time that a Korean text is as a whole; ``None`` if it has any other word."""
    found = find_korean(text)
    return found if found and not found.rest.strip(" ,.") else None


def starts_with_time(text: str) -> bool:
    """Whether a Korean text begins with a part of a time."""
    return _scanner().starts(text)


def _begins(text: str, at: int) -> bool:
    return not re.match(r"[가-힣\d.,~:/-]", text[at - 1 : at]) and text[at] not in " ,."


def _end(text: str, at: int, begins: Callable[[int], bool]) -> int | None:
    if particle := _PARTICLE.match(text, at):
        return particle.end()
    if run_on := _RUN_ON.match(text, at):
        return run_on.end()
    if (listed := _LISTED.match(text, at)) and begins(listed.end()):
        return listed.end()
    if not re.match(r"[가-힣\d~/-]", text[at : at + 1]) or begins(at):
        return at
    return None


def _known(word: str, words: dict[str, int]) -> int:
    """The value of a word that may be written without its spaces."""
    return next(value for known, value in words.items() if known.replace(" ", "") == word.replace(" ", ""))


def _days_in(words: str) -> frozenset[int]:
    return frozenset(_WEEKDAY.index(each) for each in re.sub("요일|욜", "", words) if each in _WEEKDAY)


_UNITS = {
    "주": Period.WEEK,
    "달": Period.MONTH,
    "월": Period.MONTH,
    "개": Period.MONTH,
    "년": Period.YEAR,
    "해": Period.YEAR,
}


def _cycle(said: dict[str, str]) -> Fields | None:
    if "other" in said:
        return {"cycle": Cycle(_UNITS[said["other"][1]], 2)}
    unit = _UNITS[(said.get("of") or said.get("unit") or said.get("each") or "달")[0]]
    count = korean_number(said["count"]) if "count" in said else 1
    return {"cycle": Cycle(unit, count)} if count else None


def _cycle_often(said: dict[str, str]) -> Fields | None:
    count = korean_number(said["count"]) if "count" in said else 1
    return often(count, Period.MINUTE if said.get("unit") == "분" else Period.HOUR)


def _cycle_of_days(said: dict[str, str]) -> Fields | None:
    if "other" in said:
        return {"cycle": Cycle(Period.DAY, 2)}
    word = said["days"]
    days = (_DAYS.get(word) or korean_number(word.removesuffix("일"))) + ("over" in said)
    return {"cycle": Cycle(Period.DAY, days)} if days > 1 else {"every": EVERY_DAY}


def _after(said: dict[str, str]) -> Fields:
    if said["after"] in _DAYS:
        return {"days": _DAYS[said["after"]]}
    count, unit = korean_number(said["count"]), said["unit"]
    if unit == "일":
        return {"days": count}
    if unit.startswith("주"):
        return {"in_weeks": count}
    return {"months": count * (12 if unit in "년해" else 1)}


def _date(said: dict[str, str]) -> dict[str, int]:
    read: dict[str, int] = {name: korean_number(said[name]) for name in ("year", "day") if name in said}
    if "month" in said:
        read["month"] = _MONTHS.get(said["month"]) or korean_number(said["month"])
    if "month_on" in said:
        read["months_on"] = _known(said["month_on"], _MONTHS_ON)
    return read


def _delay(said: dict[str, str]) -> Fields | None:
    seconds = korean_seconds(said["duration"])
    return {"after_s": seconds} if seconds else None


def _hour(said: dict[str, str]) -> Fields | None:
    word = said["hour"]
    hour = int(word) if word.isdigit() else _HOURS[word]
    minute = 30 if "half" in said else korean_number(said["minute"]) if "minute" in said else 0
    part = _part(said)
    if "before" in said:
        return shifted(hour, 0, -korean_number(said["before"]), part.get("part"))
    return {"hour": hour, "minute": minute, **part}


def _colon(said: dict[str, str]) -> Fields:
    part = {"part": DayPart.AM} if said["colon_hour"].startswith("0") else {}
    return {"hour": int(said["colon_hour"]), "minute": int(said["colon_minute"]), **part, **_part(said)}


def _part(said: dict[str, str]) -> dict[str, DayPart]:
    return {"part": _PARTS[said["part"]]} if "part" in said else {}
