"""Recognises requests to do something at a time, in Korean and English, without a model (F-09). Pure.

"매일 아침 8시에 뉴스 요약해 줘" is a time and an order that could be given now. A reminder tells the user to do
something (``chat/alarms``), and "내일 9시에 가는 기차 찾아 줘" asks now about a time. So the time has to stand where it
can only be the time of the order, and the rest has to be one order that changes nothing. All else is left to a model.
"""

import re
from collections.abc import Iterator

from assistant.chat.scheduled.managing import managing_request
from assistant.chat.scheduled.wish import ScheduleRequest, ScheduleWish
from assistant.core.settings import Language
from assistant.core.times.english import whole_english
from assistant.core.times.korean import starts_with_time, whole_korean
from assistant.core.times.said import Period, SaidTime

_LONGEST = 160
"""Maximum length of a request, in characters."""


_END = re.compile(r"[\s.,!?~…。]+$")
_STOP = re.compile(r"[\s.,。]+$")
"""How a recogniser may end a sentence after the time: "매일 아침 8시에. 뉴스 읽어 줘"."""

# Korean

_FILLER_KO = re.compile(
    r"^(?:(?:저기요?|있잖아요?|음|어|그럼|소리야|비서야|자비스야?|앞으로|이제부터|지금부터)[\s,]+)*"
)
_GIVE_KO = r"(?:줘요?|줄래요?|주세요|주실래요|주십시오|주겠어요?|줄 수 있어요?|주라|달라고)"
_ACTS_KO = (
    r"요약(?:을|를)?\s?해|정리(?:을|를)?\s?해|브리핑(?:을|를)?\s?해|번역(?:을|를)?\s?해|검색(?:을|를)?\s?해|추천(?:을|를)?\s?해"
    r"|분석(?:을|를)?\s?해|비교(?:을|를)?\s?해|설명(?:을|를)?\s?해|조사(?:을|를)?\s?해|읽어|찾아|골라|뽑아|들려"
)
"""What Sori does by itself, so that the time is that of the deed."""
_TELLS_KO = r"알려|말해|얘기해|이야기해|보여|확인(?:을|를)?\s?해|체크(?:을|를)?\s?해|가르쳐"
"""What may be a reminder or a question as well, so that the rest has to show that it is information."""
_ORDER_KO = re.compile(
    rf"(?P<what>.*?)\s*(?P<verb>(?:{_ACTS_KO})|(?P<tells>{_TELLS_KO}))\s?{_GIVE_KO}"
    r"|(?P<asked>.+?)\s*(?:요약|정리|브리핑|번역|검색|추천)(?:을|를|\s좀)?\s?부탁(?:해요?|드려요)"
)
_ASKED_KO = re.compile(rf"(?:{_ACTS_KO}|{_TELLS_KO})\s?{_GIVE_KO}[\s.,!?~…。]*$|부탁(?:해요?|드려요)[\s.,!?~…。]*$")
_NEWS_KO = (
    "날씨|기온|미세먼지|비 소식|뉴스|소식|헤드라인|일정|스케줄|할 ?일|마감|환율|주가|시세|지수|명언|격언|속담|사자성어"
    "|단어|표현|문장|운세|메모|노트|요약|브리핑|교통 상황|상식|농담|퀴즈|메뉴"
)
_TOLD_KO = re.compile(
    rf"(?:.*\s)?(?:{_NEWS_KO})(?:을|를|도)?|.*(?:는지|은지|인지|한지|할지|뭔지|될지|올지|된지|쁜지|운지)(?:를|도)?"
)
_ADVERB_KO = re.compile(r"(?:에|에는|엔|쯤|경|뒤|후|마다)$")
_OWN_TIME_KO = re.compile(
    r"(?:회의|미팅|약속|수업|강의|진료|예약|면접|시험|모임|발표|기차|열차|버스|배|비행기|회식|영화|공연|경기|방송|드라마|뉴스|행사)(?:[을를이가]|\s|$)"
)
"""What can have a time of its own: "8시 뉴스"."""
_CHANGES_KO = re.compile(
    r"보내|저장|지우|지워|삭제|틀어|틀고|켜|꺼|끄고|주문|결제|송금|이체|예약|등록|기록|적어|써서|쓰고|올려|내려|바꿔|만들|추가|공유|전송"
    r"|메일로|문자로|전화"
)
"""A second act, which changes something."""
_QUOTES_KO = re.compile(r"(?:라고|다고|자고|냐고|도록|하게|먹게)(?=\s|$)|잊지|까먹|그리고|그런데|[.!?;]\s")
_MODIFIES_KO = re.compile(
    r"(?:^|\s)\S*(?:(?<!오늘)는(?!지)|있을|있던|열릴|시작할|출발할|떠날|도착할|갈|탈|올|볼)(?=\s)"
    r"|^(?:온|간|본|한|된|나온|받은|읽은|먹은|먹을|입을|마실|만날)\s|^할 (?!일)"
)
"""A verb before a noun, to which the time may belong: "8시에 가는 기차"."""
_QUESTION_KO = re.compile(
    r"(?:^|\s)(?:뭐|뭘|무슨|무엇|누가|누구|언제|어디|몇|왜|어떤|어떻게)|[는은인한할]지(?:를|도)?(?:\s|$)"
)
_OWN_DAY_KO = re.compile(r"(?:오늘|내일|모레|이번|다음|지금|그날)(?:의)?\s")
"""A question may ask about the time: "매일 8시에 뭐 하는지". With a day of its own it does not."""
_MORE_TIME_KO = re.compile(
    r"\d\s*시(?!간)|(?:^|\s)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시(?!간)|매일|매주|매달|매월|매년|매시간|마다|정오|자정"
    r"|부터|까지|빼고|말고|제외|동안|격주|\d\s*번"
)
_LONGEST_TIME = 8
"""Words of a time in a sentence."""

# English

_POLITE_EN = (
    r"(?:(?:hey|hi|ok|okay|so|jarvis|sori|computer|please|from now on|can you|could you|would you|will you"
    r"|i want you to|i'd like you to)[\s,]+)*"
)
_FILLER_EN = re.compile(f"^{_POLITE_EN}", re.IGNORECASE)
_ACTS_EN = (
    r"summari[sz]e|sum up|recap|brief me(?: on)?|read(?: out| aloud)?(?: me| to me)?"
    r"|translate|review|look up|search(?: the web)? for"
)
_TELLS_EN = r"tell me|give me|show me|check|find(?: me)?|list|let me know"
_ORDER_EN = re.compile(
    rf"(?:please )?(?P<verb>(?:{_ACTS_EN})|(?P<tells>{_TELLS_EN}))(?: (?P<what>\S.*))?", re.IGNORECASE
)
_ASKED_EN = re.compile(rf"\b(?:{_ACTS_EN}|{_TELLS_EN})\b", re.IGNORECASE)
_HAS_HOUR_EN = re.compile(
    r"\d|\b(?:noon|midnight|hours?|minutes?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    re.IGNORECASE,
)
_POLITE_END_EN = re.compile(r"[\s,]*(?:please|can you|could you|would you|will you|just|then)?[\s,]*$", re.IGNORECASE)
_TIME_BEGINS_EN = re.compile(
    r"[\s,]+(?=(?:every|each|at|on|in|once|daily|weekdays|weekends|tomorrow|tonight|noon|midnight|monthly|weekly)\b)",
    re.IGNORECASE,
)
"""Before what may be a time at the end of a sentence."""
_NEWS_EN = re.compile(
    r"(?:.*\s)?(?:weather|forecast|news|headlines|agenda|schedule|to-?do list|tasks?|notes|quote|word|joke"
    r"|exchange rates?|stocks?|summary|briefing|traffic|air quality)"
    r"(?: (?:for|of|in) (?:today|tomorrow|the day|the week|[A-Z]\w+))?",
    re.IGNORECASE,
)
_CHANGES_EN = re.compile(
    r"\b(?:send|e-?mail|post|delete|save|create|add|buy|order|pay|book|play|turn|switch|open|launch|set|remind|wake|call|text|message"
    r"|schedule an?|write|put|move|upload|share|print|and then|and (?:read|tell|show|give|find|list|check))\b",
    re.IGNORECASE,
)
_REMINDS_EN = re.compile(
    r"(?:to|that|when|if|once|whether|as soon as|about the (?:meeting|call|appointment))\b", re.IGNORECASE
)
_OWN_TIME_EN = re.compile(
    r"\b(?:meeting|call|stand-?up|appointment|class|lesson|show|game|match|episode|bulletin|program(?:me)?|train|flight|bus|event)s?$"
    r"|\b(?:that|which|who|where|when|what|how)\b",
    re.IGNORECASE,
)
"""What can have a time of its own, if the time follows it."""
_MORE_TIME_EN = re.compile(
    r"\b(?:(?:daily|weekly|hourly|monthly)(?=\W*$|\W+(?:at|on|in|from|until)\b)|every|each|until|till|except|noon|midnight|starting|o'?clock"
    r"|at (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|\d+ ?[ap]\.?m)\b|[.!?;]\s",
    re.IGNORECASE,
)


def schedule_request(text: str, language_hint: Language) -> ScheduleRequest | None:
    """The request in ``text``; ``None`` if it is none, or not certainly one."""
    if len(text) > _LONGEST:
        return None
    readers = (_korean, _english) if language_hint == "ko" else (_english, _korean)
    return next((found for read in readers if (found := read(text.strip()))), None)


def _has_moment(said: SaidTime) -> bool:
    often = said.cycle is not None and said.cycle.unit is Period.HOUR
    ahead = said.days is None or said.days >= 0
    return ahead and (said.hour is not None or said.after_s is not None or often)


def _korean(text: str) -> ScheduleRequest | None:
    text = _FILLER_KO.sub("", _END.sub("", text))
    if managed := managing_request(text, "ko"):
        return managed
    if not _ASKED_KO.search(text):
        return None
    for before, when, said, rest in _times_korean(text):
        if order := _order_korean(before, when, said, rest):
            return ScheduleRequest(wish=ScheduleWish.ADD, language="ko", words=order, said=said)
    return None


def _times_korean(text: str) -> Iterator[tuple[str, str, SaidTime, str]]:
    """Each place of the sentence that is a time as a whole: what stands before it, its words, the time, the rest."""
    words = text.split()
    for start in range(len(words) - 1):
        if not starts_with_time(" ".join(words[start:])):
            continue
        for end in range(min(start + _LONGEST_TIME, len(words) - 1), start, -1):
            when = _STOP.sub("", " ".join(words[start:end]))
            found = whole_korean(when)
            if found and _has_moment(found.said):
                yield " ".join(words[:start]), when, found.said, " ".join(words[end:])
                break


def _order_korean(before: str, when: str, said: SaidTime, rest: str) -> str:
    """What Sori is to do at that time; empty if that is not certain."""
    body = f"{before} {rest}".strip()
    order = _ORDER_KO.fullmatch(body)
    if order is None or any(each.search(body) for each in (_CHANGES_KO, _QUOTES_KO, _MORE_TIME_KO)):
        return ""
    what = order["what"] or order["asked"] or ""
    adverb = _ADVERB_KO.search(when) is not None
    if before:
        # The time stands directly before the verb, and what comes before is its object.
        alone = _ORDER_KO.fullmatch(rest)
        if alone is None or alone["what"] or alone["asked"] or not adverb or before[-1] not in "을를도":
            return ""
    elif not adverb and (not said.repeats or _OWN_TIME_KO.match(rest)):
        return ""
    if _MODIFIES_KO.search(f"{what} ") or (_QUESTION_KO.search(what) and not _OWN_DAY_KO.match(what)):
        return ""
    if not said.repeats and (order["tells"] or what.startswith("할 일")):
        return ""
    if order["tells"] and not _TOLD_KO.fullmatch(what):
        return ""
    if not what and not (order["verb"] or "").startswith("브리핑"):
        return ""
    return re.sub(rf"\s?{_GIVE_KO}$", " 줘", body)


def _english(text: str) -> ScheduleRequest | None:
    text = _FILLER_EN.sub("", _END.sub("", text))
    if managed := managing_request(text, "en"):
        return managed
    if not (_ASKED_EN.search(text) and _HAS_HOUR_EN.search(text)):
        return None
    for said, body, last in _times_english(text):
        if _is_order_english(said, body, last=last):
            return ScheduleRequest(wish=ScheduleWish.ADD, language="en", words=body, said=said)
    return None


def _times_english(text: str) -> Iterator[tuple[SaidTime, str, bool]]:
    """Each way to cut a time off both ends of the sentence: the time, the rest, whether the hour stood at the end."""
    for verb in _ASKED_EN.finditer(text):
        front, body = _POLITE_END_EN.sub("", text[: verb.start()]).strip(" ,"), text[verb.start() :]
        said = _whole_english(_STOP.sub("", front)) if front else None
        if said is not None and _has_moment(said):
            yield said, body, False
        elif not front or _is_days(front):
            for end in _TIME_BEGINS_EN.finditer(body):
                said = _whole_english(f"{front} {body[end.end() :]}".strip())
                if said is not None and _has_moment(said):
                    yield said, body[: end.start()].strip(" ,"), True
                    break


def _whole_english(words: str) -> SaidTime | None:
    found = whole_english(words)
    return found.said if found else None


def _is_days(words: str) -> bool:
    """Whether words can be the days of a time whose hour stands elsewhere: "every Friday … at five"."""
    found = whole_english(f"{words} at five")
    return found is not None and found.said.repeats


def _is_order_english(said: SaidTime, body: str, *, last: bool) -> bool:
    """Whether the rest is an order to Sori that can only be meant for that time."""
    order = _ORDER_EN.fullmatch(body)
    if order is None or any(each.search(body) for each in (_CHANGES_EN, _MORE_TIME_EN)):
        return False
    what = order["what"] or ""
    if order["tells"] and _REMINDS_EN.match(what):
        return False
    if not what:
        return order["verb"].lower().startswith("brief")
    if not last:
        return True
    # "Summarise the meeting at five": the time may belong to what stands before it.
    return said.repeats and not _OWN_TIME_EN.search(what) and (not order["tells"] or bool(_NEWS_EN.fullmatch(what)))
