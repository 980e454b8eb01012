"""Recognises requests for alarms and reminders, in Korean and English, without a model (X-13). Pure.

The words of the time are taken out of the sentence first. The rest must be a request as a whole: ``내일 날씨 알려 줘``
asks something, and ``내일 9시에 우산 챙기라고 알려 줘`` wants a reminder.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from assistant.chat.alarms.korean_nouns import reminder_noun
from assistant.core.settings import Language
from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean, starts_with_time
from assistant.core.times.said import Period, SaidTime, TimeWords
from assistant.storage.timers import TimerKind

_LONGEST = 100
"""Maximum length of a request, in characters."""


class AlarmWish(StrEnum):
    """What is asked for."""

    SET = "set"
    LIST = "list"
    CANCEL = "cancel"
    SNOOZE = "snooze"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmRequest:
    """A request for an alarm or a reminder.

    Attributes:
        wish: what is asked for.
        kind: alarm or reminder.
        language: the language of the request.
        said: the time as it was said.
        what: what the user is to be reminded of, or the name of the alarm; empty without one.
        waking: whether the user wants to be woken up.
    """

    wish: AlarmWish
    kind: TimerKind
    language: Language
    said: SaidTime
    what: str = ""
    waking: bool = False


@dataclass(frozen=True, slots=True)
class _Rule:
    """One form of a request, to which the rest of the sentence must fit.

    With ``timed`` it is a request only if an hour or a delay was said: ``내일 회의 알려 줘`` asks something.
    """

    wish: AlarmWish
    kind: TimerKind
    pattern: re.Pattern[str]
    waking: bool = False
    timed: bool = False


_GIVE = r"(?:\s*(?:줘요?|줄래요?|주세요|주실래요|주십시오|주겠어요?|줄 수 있어요?|주라|봐|달라고))"
_SET_VERBS = "맞춰|설정해?|등록해?|만들어|걸어|켜|잡아|넣어|추가해?|해|울려|부탁해요?"
_SET_KO = rf"(?:{_SET_VERBS})(?:\s*(?:놔|둬))?{_GIVE}?"
_CANCEL_KO = rf"(?:(?:취소|삭제|해제|제거)(?:해)?|꺼|지워|없애|빼){_GIVE}?"
_ME_KO = r"(?:(?:나|저)(?:를|한테|에게|좀)?|날|내게|제게)?\s*(?:좀|꼭|다시)?\s*"
_TELL_KO = r"(?:알려|말해|얘기해|이야기해|일러|알림\s*(?:해|보내|맞춰|설정해)?|리마인드\s*해)"
_THAT_KO = "라고|다고|자고|도록|하게|먹게"
_TO_ME_KO = (
    r"(?:(?:(?:나|저)(?:를|한테|에게|좀)|날|내게|제게)\s+(?!(?:온|보낸|준|줄|한|할|된|있는|없는|필요한|중요한|맞는|남은)\s)"
    r"(?:좀\s|꼭\s|다시\s)*)?"
)
"""Whom to tell. In "나한테 온 메일" and "나 대신" it belongs to what is told."""
_ONE_KO = r"(?:을|를)?\s*(?:하나|한 개)?\s*(?:좀)?\s*"
_FILLERS_KO = "저기요?|있잖아요?|음|어|그럼|그리고|혹시|헤이|하이|자비스야?|소리야|비서야|이제|미안한데"
_FILLER_KO = re.compile(rf"^(?:(?:{_FILLERS_KO}|hey|hi|ok|okay|jarvis|나(?=,))[\s,]+)*", re.IGNORECASE)


_APPOINTMENTS_KO = (
    "회의|미팅|약속|수업|강의|병원|진료|예약|면접|시험|운동|출근|퇴근|약|모임|발표|기차|비행기|회식|상담|레슨|마감|통화"
)


def _ko(wish: AlarmWish, kind: TimerKind, pattern: str, *, waking: bool = False, timed: bool = False) -> _Rule:
    return _Rule(wish, kind, re.compile(pattern), waking, timed)


_KOREAN = (
    _ko(AlarmWish.SET, TimerKind.ALARM, rf"{_ME_KO}(?:좀|꼭)?\s*깨워{_GIVE}?", waking=True),
    _ko(AlarmWish.SET, TimerKind.ALARM, rf"(?:기상\s*알람|모닝콜){_ONE_KO}(?:{_SET_KO})?", waking=True),
    _ko(
        AlarmWish.SET,
        TimerKind.REMINDER,
        rf"(?P<what>\S.*?)\s*(?:까먹지|잊지|잊어버리지)\s*않(?:게|도록)\s*{_ME_KO}{_TELL_KO}{_GIVE}?",
    ),
    _ko(AlarmWish.SET, TimerKind.REMINDER, rf"{_TO_ME_KO}(?P<what>\S.*?(?:{_THAT_KO}))\s*{_ME_KO}{_TELL_KO}{_GIVE}"),
    _ko(AlarmWish.SET, TimerKind.REMINDER, rf"{_ME_KO}(?:알려|불러|알림\s*(?:해|보내)|리마인드\s*해){_GIVE}"),
    _ko(
        AlarmWish.SET,
        TimerKind.REMINDER,
        rf"{_TO_ME_KO}(?P<what>(?:\S{{1,8}}\s)?(?:{_APPOINTMENTS_KO}))(?:을|를)?\s*(?:좀|꼭)?\s*{_TELL_KO}{_GIVE}",
        timed=True,
    ),
    _ko(
        AlarmWish.SET,
        TimerKind.ALARM,
        rf"(?:(?P<what>(?!울리)\S.{{0,29}}?)\s*)?(?:울리(?:게|도록|는)\s*)?알람{_ONE_KO}(?:{_SET_KO})?",
    ),
    _ko(AlarmWish.SET, TimerKind.REMINDER, rf"(?:(?P<what>\S.{{0,39}}?)\s*)?(?:알림|리마인더){_ONE_KO}(?:{_SET_KO})?"),
    _ko(
        AlarmWish.CANCEL,
        TimerKind.ALARM,
        rf"(?:(?P<what>\S.{{0,29}}?)\s*)?(?:알람|알림|리마인더)(?:을|를|은)?\s*(?:좀|이제)?\s*{_CANCEL_KO}",
    ),
)
_ASKING_EN = "can you|could you|would you|will you|i want you to|i need you to|i'd like you to|i would like you to"
_POLITE_EN = rf"(?:(?:hey|hi|ok|okay|so|well|um|and|jarvis|sori|computer|please|just|{_ASKING_EN})[\s,]+)*"
_SET_EN = r"(?:(?:set|make|create|add|put|start|give me|schedule|i need|i want) )?(?:an?|the|my|another|a new)? ?"
_CANCEL_EN = "(?:cancel|delete|remove|clear|turn off|switch off|stop) (?:the |my |that )?"
_END_EN = r"(?:[\s,]+(?:please|thanks|thank you|for me))*"


def _en(wish: AlarmWish, kind: TimerKind, pattern: str, *, waking: bool = False) -> _Rule:
    return _Rule(wish, kind, re.compile(f"{_POLITE_EN}{pattern}{_END_EN}", re.IGNORECASE), waking)


_ENGLISH = (
    _en(AlarmWish.SET, TimerKind.ALARM, "(?:wake me|get me up)(?: up)?", waking=True),
    _en(
        AlarmWish.CANCEL,
        TimerKind.ALARM,
        rf"{_CANCEL_EN}(?:(?P<what>\S.{{0,30}}?) )?(?:alarm|reminder)(?: for| at)?",
    ),
    _en(
        AlarmWish.SET,
        TimerKind.ALARM,
        rf"{_SET_EN}(?:(?P<before>\w+(?: \w+)?) )?alarm(?: (?:called|named|to|for) (?P<what>\S.{{0,40}}?)| for| at)?",
    ),
    _en(AlarmWish.SET, TimerKind.REMINDER, r"remind me(?:,? (?:to|that|about|of) (?P<what>\S.*?))?"),
    _en(
        AlarmWish.SET,
        TimerKind.REMINDER,
        rf"{_SET_EN}reminder(?: for| at)?(?: (?:called|named|to|that|about|for) (?P<what>\S.*?))?",
    ),
)
_QUOTES = "\"'“”‘’ "
_ENDINGS = re.compile(r"[\s.,!?~…。]+$")


def alarm_request(text: str, language_hint: Language) -> AlarmRequest | None:
    """The request in ``text``; ``None`` if it is none."""
    if len(text) > _LONGEST:
        return None
    readers = (_korean, _english) if language_hint == "ko" else (_english, _korean)
    return next((found for read in readers if (found := read(text))), None)


_ASKED_KO = re.compile("깨워|알람|모닝콜|알려|말해|얘기|이야기|일러|알림|리마인|불러")
_ASKED_EN = re.compile("wake|get me up|alarm|remind", re.IGNORECASE)
"""Every request has one of these. Without one there is no time to look for, which takes a millisecond."""


def _korean(text: str) -> AlarmRequest | None:
    if not _ASKED_KO.search(text):
        return None
    text = _FILLER_KO.sub("", text)
    # In "나 내일 9시에 …" the first word calls; in "나 대신 …" it belongs to what is told.
    called = text.removeprefix("나 ").lstrip()
    found = find_korean(called if starts_with_time(called) else text)
    if found is None:
        return None
    rest = _ENDINGS.sub("", found.rest)
    for rule in _KOREAN:
        if (match := rule.pattern.fullmatch(rest)) is not None:
            what = reminder_noun(match.groupdict().get("what") or "").strip(_QUOTES)
            if (
                _placed_korean(rest, found.runs, match)
                and _reads(what, found.said)
                and (_has_moment(found.said) or not rule.timed)
            ):
                return _request(rule, "ko", found.said, what)
    return None


def _english(text: str) -> AlarmRequest | None:
    if not _ASKED_EN.search(text):
        return None
    found = find_english(text)
    if found is None:
        return None
    rest = _ENDINGS.sub("", found.rest)
    for rule in _ENGLISH:
        if (match := rule.pattern.fullmatch(rest)) is not None:
            groups = match.groupdict()
            what = (groups.get("what") or _ARTICLE.sub("", groups.get("before") or "")).strip(" ,")
            reads = _placed_english(found.runs, match) and _reads(what, found.said)
            return _request(rule, "en", found.said, what) if reads else None
    return None


def _request(rule: _Rule, language: Language, said: SaidTime, what: str) -> AlarmRequest:
    return AlarmRequest(wish=rule.wish, kind=rule.kind, language=language, said=said, what=what, waking=rule.waking)


_ADVERB_KO = re.compile(r"(?:에|엔|쯤|경|뒤|후|다가?|마다)\s*$")
_CASE_KO = re.compile(r"(?:한테|에게|께|에서|에|으로|로|을|를|랑|하고|고|러|대신|꼭|좀|다시|같이|먼저|혼자)\s*$")
"""How a word before the time must end. A mere noun may name a day: "엄마 칠순 9시에 전화하라고"."""
_EVENT_KO = re.compile(
    r"(?:\S{1,6}\s)?(?:회의|미팅|약속|수업|강의|병원|진료|예약|면접|시험|모임|발표|기차|열차|버스|배|비행기|회식|상담|레슨|마감|영화"
    r"|공연|경기|콘서트|방송|드라마|뉴스|세미나|행사|예배|미사|결혼식|체크인|출발|도착)\s+(?!있)"
)
"""Something that has a time of its own, and words about it."""
_QUOTED_KO = re.compile(rf"(?:{_THAT_KO}|거|것|걸)$")


def _placed_korean(rest: str, runs: Sequence[TimeWords], match: re.Match[str]) -> bool:
    """Whether the time stands where it is the time of the request, not a part of what is told.

    "3시 회의 준비하라고" tells of a meeting at three, "9시에 내일 회의 준비하라고" of one tomorrow.
    """
    what, start, end = _what_in(match)
    if not what:
        return True
    quoted = _QUOTED_KO.search(what) is not None
    inside = [run for run in runs if start < run.at < end]
    if not all(run.hour and _ADVERB_KO.search(run.words) and _CASE_KO.search(rest[: run.at]) for run in inside):
        return False
    if quoted and _EVENT_KO.match(what) and any(run.hour and not _ADVERB_KO.search(run.words) for run in runs):
        return False
    if any(run.day_last for run in runs):
        return False
    return len(runs) == 1 or (_day_and_hour(runs) and not (quoted and runs[1].at >= end))


def _placed_english(runs: Sequence[TimeWords], match: re.Match[str]) -> bool:
    """Whether the time stands where it is the time of the request: "the 5 pm meeting with Bob" is at five."""
    what, start, end = _what_in(match)
    if not what:
        return True
    if any(start < run.at < end for run in runs):
        return False
    return len(runs) == 1 or _day_and_hour(runs)


def _what_in(match: re.Match[str]) -> tuple[str, int, int]:
    what = match.groupdict().get("what") or ""
    return what, *(match.span("what") if what else (0, 0))


def _day_and_hour(runs: Sequence[TimeWords]) -> bool:
    """Whether these are the day and, later in the sentence, the hour, perhaps with more of the day."""
    return len(runs) == len(("day", "hour")) and not runs[0].hour and runs[1].hour


_ARTICLE = re.compile(r"^(?:set|an?|the|my)(?: |$)", re.IGNORECASE)
_QUESTION = re.compile(
    r"날씨|몇|뭐|언제|어디|누가|왜|어떻게|시간|뉴스|\b(?:what|when|how|why|who|is|are|does)\b", re.IGNORECASE
)


def _reads(what: str, said: SaidTime) -> bool:
    """Whether this is a request: an hour or a delay was said, or it asks nothing else."""
    if _has_moment(said):
        return True
    names_day = replace(said, part=None) != SaidTime()
    return names_day and not _QUESTION.search(what)


def _has_moment(said: SaidTime) -> bool:
    often = said.cycle is not None and said.cycle.unit in (Period.MINUTE, Period.HOUR)
    return said.hour is not None or said.after_s is not None or often
