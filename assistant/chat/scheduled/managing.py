"""Recognises plain commands about what is scheduled: list, cancel, pause, resume, run, move. Pure."""

import re
from collections.abc import Mapping

from assistant.chat.scheduled.wish import ScheduleRequest, ScheduleWish
from assistant.core.settings import Language
from assistant.core.times.english import whole_english
from assistant.core.times.korean import whole_korean

_GIVE_KO = r"(?:\s?(?:줘요?|줄래요?|주세요|주실래요|주십시오|줄 수 있어요?|주라|요))?"
_NOUN_KO = r"(?:예약|정기|자동)(?:된|한|해\s?둔|해\s?놓은)?\s?(?:요청|작업)들?"
_ONE_KO = rf"(?:(?P<words>\S.*?)\s)?{_NOUN_KO}(?:을|를)?\s*"
_KOREAN = {
    ScheduleWish.LIST: rf"(?:내|지금|현재)?\s*{_NOUN_KO}(?:이|은|을|를|에)?\s*"
    rf"(?:목록|뭐가|뭐|무엇이|어떤 게|몇 개나?)?(?:을|를)?\s*"
    rf"(?:있어요?|있니|있나요|있지|(?:알려|보여|읽어|말해){_GIVE_KO})",
    ScheduleWish.CATCH_UP: rf"(?:놓친|못 한|못한|밀린|끊긴)\s?(?:{_NOUN_KO}|요청들?)(?:을|를)?\s*"
    rf"(?:모두|전부|다)?\s*(?:지금|다시|바로)?\s*(?:해|실행해|돌려){_GIVE_KO}",
    ScheduleWish.RESUME: rf"{_ONE_KO}(?:다시\s(?:시작해|켜|해|돌려)|재개해){_GIVE_KO}",
    ScheduleWish.RUN: rf"{_ONE_KO}(?:지금 바로|지금|바로)\s(?:실행해|해|돌려|시작해){_GIVE_KO}",
    ScheduleWish.PAUSE: rf"{_ONE_KO}(?:잠깐|잠시|당분간)?\s*"
    rf"(?:멈춰|(?:중지|정지|일시\s?정지|일시\s?중지)해|쉬어|꺼){_GIVE_KO}",
    ScheduleWish.CANCEL: rf"{_ONE_KO}(?:취소해?|삭제해?|지워|없애|그만해|그만둬){_GIVE_KO}",
    ScheduleWish.MOVE: rf"{_ONE_KO}(?:시간|시각)?(?:을|를)?\s*(?P<when>\S.*?)(?:으로|로)\s*"
    rf"(?:바꿔|옮겨|변경해|미뤄|당겨){_GIVE_KO}",
}
_NOUN_EN = "(?:scheduled|recurring) (?:requests?|tasks?)"
_THE_EN = "(?:(?:the|my|that|all|of) )*"
_ONE_EN = rf"{_THE_EN}(?:(?P<words>\S.*?) )?{_NOUN_EN}"
_ASKS_EN = "(?:list|show|show me|tell me|read me|check|what are)"
_LIST_EN = f"(?:what|which) {_NOUN_EN} (?:are there|do i have|are set)|do i have any {_NOUN_EN}"
_ENGLISH = {
    ScheduleWish.LIST: f"(?:{_ASKS_EN} {_THE_EN}{_NOUN_EN}|{_LIST_EN})",
    ScheduleWish.CATCH_UP: "(?:run|do) (?:all |the |my )*(?:missed|interrupted) (?:scheduled )?requests?(?: now)?",
    ScheduleWish.CANCEL: f"(?:cancel|delete|remove|stop) {_ONE_EN}",
    ScheduleWish.PAUSE: f"(?:pause|suspend|hold) {_ONE_EN}",
    ScheduleWish.RESUME: f"(?:resume|unpause|restart|continue) {_ONE_EN}",
    ScheduleWish.RUN: f"(?:run|do|start) {_ONE_EN}(?: right)? now",
    ScheduleWish.MOVE: rf"(?:change|move|reschedule|set) (?:the time of )?{_ONE_EN} to (?P<when>\S.*)",
}


def _compiled(forms: Mapping[ScheduleWish, str], end: str = "") -> dict[ScheduleWish, re.Pattern[str]]:
    return {wish: re.compile(f"{form}{end}", re.IGNORECASE) for wish, form in forms.items()}


_FORMS: dict[Language, dict[ScheduleWish, re.Pattern[str]]] = {
    "ko": _compiled(_KOREAN),
    "en": _compiled(_ENGLISH, "(?: please)?"),
}
_NAMED = re.compile("요청|작업|request|task", re.IGNORECASE)


def managing_request(text: str, language: Language) -> ScheduleRequest | None:
    """The command in a text without polite words around it; ``None`` if it is none as a whole."""
    if not _NAMED.search(text):
        return None
    for wish, pattern in _FORMS[language].items():
        if (match := pattern.fullmatch(text)) is not None:
            groups = match.groupdict()
            words, when = (groups.get("words") or "").strip(" ,'\"“”"), groups.get("when")
            if not when:
                return ScheduleRequest(wish=wish, language=language, words=words)
            found = whole_korean(when) if language == "ko" else whole_english(when)
            if found and found.said.hour is not None:
                return ScheduleRequest(wish=wish, language=language, words=words, said=found.said)
    return None
