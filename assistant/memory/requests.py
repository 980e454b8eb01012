"""Requests to remember, to forget and to tell what is remembered, recognised without a model. Pure.

A small model seldom calls a tool for these. The fact keeps the user's words.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.hangul import final_of
from assistant.core.records.memory import Scope
from assistant.core.settings import Language

_LONGEST = 300
"""Maximum length of a request in characters."""


class Wish(StrEnum):
    """What the user wants of the memory."""

    REMEMBER = "remember"
    FORGET = "forget"
    FORGET_NEWEST = "forget_newest"
    TELL = "tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRequest:
    """A recognised request.

    Attributes:
        wish: what the user wants.
        language: the language of the request.
        text: the fact to remember, or the words of the facts to forget; empty for the others.
        scope: the memory that the user names; ``None`` for none.
        changed: whether the user asks to change a fact.
    """

    wish: Wish
    language: Language
    text: str = ""
    scope: Scope | None = None
    changed: bool = False


_GIVE = r"(?:\s*(?:줘요?|주세요|줄래요?|둬요?|두세요|놔요?|놓아\s*줘))?"
_WHERE_KO = (
    (
        Scope.WORKSPACE,
        re.compile(
            r"(?:^|\s)(?:이|현재|지금)\s*(?:작업\s*공간|워크스페이스|프로젝트)(?:의?\s*기억)?에(?:다가|다|만)?\s+"
        ),
    ),
    (Scope.AGENT, re.compile(r"(?:^|\s)(?:이\s*(?:에이전트|역할)(?:의?\s*기억)?에(?:다가|다|만)?|너만)\s+")),
    (Scope.PERSONAL, re.compile(r"(?:^|\s)(?:내|제)?\s*개인\s*기억에(?:다가|다|만)?\s+")),
)
_WHERE_EN = (
    (Scope.WORKSPACE, re.compile(r"\s(?:in|for) this (?:workspace|project)(?=\s+that\s|\s*:|\s*,|$)", re.IGNORECASE)),
    (Scope.AGENT, re.compile(r"\s(?:in|for) this (?:agent|role)(?=\s+that\s|\s*:|\s*,|$)", re.IGNORECASE)),
    (Scope.PERSONAL, re.compile(r"\sin my personal memory(?=\s+that\s|\s*:|\s*,|$)", re.IGNORECASE)),
)
_CHANGE_KO = re.compile(
    rf"^(?:기억에서\s+(?P<one>.+?)(?:을|를|은|는)|(?P<other>.+?)\s*(?:에\s*대한)?\s*기억(?:을|은)?)\s+(?P<value>.+?)(?:으로|로)\s*"
    rf"(?:고쳐|바꿔|바꾸어|수정해|정정해){_GIVE}$"
    rf"|^(?P<said>.+?)(?:을|를|은|는)\s+(?P<new>.+?)(?:으로|로)\s*(?:고쳐서?|바꿔서?|수정해서?|정정해서?)\s*기억해{_GIVE}$"
)
_CHANGE_EN = re.compile(
    r"^(?:please\s+)?(?:change|correct|update) (?P<one>.+?) to (?P<value>.+?) in your memory$"
    r"|^(?:please\s+)?in your memory,? (?:change|correct|update) (?P<said>.+?) to (?P<new>.+)$",
    re.IGNORECASE,
)
_REMEMBER_KO = (
    re.compile(rf"^(?P<fact>.+?)(?:라|다|자|냐)고\s*(?:꼭\s*)?기억해{_GIVE}$"),
    re.compile(rf"^(?P<fact>.+?)(?:\s*(?:는|은|ㄴ|던)?\s*(?:거|걸|것을?|점을?|사실을?))\s*(?:꼭\s*)?기억해{_GIVE}$"),
    re.compile(rf"^(?:이거|이것|이걸|이것을|이것도)?\s*(?:꼭\s*)?기억해{_GIVE}\s*[:,.]\s*(?P<fact>.+)$"),
)
_SAID_KO = re.compile(
    r"^(?P<fact>(?!(?:이|그|저)(?:건|거|게|것)\b)(?:(?:나|저|내|제|우리|저희)\b|.*?[가-힣](?:은|는|이|가)\b)"
    r"[^,.!?]*\s[^,.!?]*(?:야|어|아|여|해|다|요|지|네|돼|거든))(?<!야 해)(?<!야 돼)(?<!야 해요)(?<!야 돼요)"
    r"\s*[,.!]+\s*(?:(?:이거|이걸|이것|그거|그걸|그것)(?:을|를|도)?\s*)?(?:꼭|좀|잘)?\s*"
    rf"기억해{_GIVE}$"
)
"""A sentence about somebody or something that is no duty, and then the request to remember it."""
_SAID_EN = re.compile(
    r"^(?P<fact>(?:my|our|the|i|we|i'm|we're|i've|he|she|his|her|they|their)\s"
    r"(?!have to\b|need to\b|must\b|should\b)[^.!?;]+?)\s*[.,;!]+\s*(?:so\s+|and\s+)?(?:please\s+)?"
    r"(?:remember|don't forget|do not forget|keep)(?:\s+(?:that|this|it))?(?:\s+in mind)?(?:\s*,?\s*please)?$",
    re.IGNORECASE,
)
_WISH = re.compile(r"[가-힣](?<!가)\s?달$")
"""The end of 답해 달(라고): a wish, not the word 달."""
_REMEMBER_EN = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+)?(?:remember|don't forget|do not forget|keep in mind|note)"
    r"(?:\s+that\s+|\s*:\s*|,\s*)(?P<fact>.+)$",
    re.IGNORECASE,
)
_NEWEST_KO = re.compile(
    rf"^(?:방금|아까|지금|마지막으로)\s*(?:기억한|말한|외운)\s*(?:거|것|걸|내용)(?:은|을|는)?\s*(?:잊어|지워|취소해){_GIVE}$"
)
_NEWEST_EN = re.compile(
    r"^(?:please\s+)?forget (?:(?:that|the) last (?:one|thing|fact)|what (?:i|you) just (?:said|remembered))$",
    re.IGNORECASE,
)
_FORGET_KO = re.compile(
    rf"^(?P<words>.+?)(?:에\s*(?:대한|대해|관한)|(?:라|다)는|던|은|는|ㄴ)?\s*(?:거|것|걸|건|기억|사실|내용)(?:은|는|을|를)?\s*잊어{_GIVE}$"
)
_FORGET_EN = re.compile(
    r"^(?:please\s+)?forget\s+(?:that\s+|about\s+|what i (?:said|told you) about\s+)(?P<words>.+)$", re.IGNORECASE
)
_TELL_KO = re.compile(
    r"^(?:나에?\s*(?:대해서?|관해서?)|내\s*(?:얘기|이야기)(?:를|는)?|저에?\s*(?:대해서?|관해서?))\s*"
    r"(?:뭐를?|뭘|무엇을|어떤\s*(?:걸|것을))\s*(?:알고\s*있|기억하|기억하고\s*있)(?:어요?|니|지요?|나요?|습니까|는지\s*(?:말해|알려)\s*(?:줘요?|주세요))$"
    r"|^(?:뭘|뭐를?|무엇을)\s*기억하고\s*있(?:어요?|니|지요?|나요?|습니까)$"
)
_TELL_EN = re.compile(
    r"^(?:what do you (?:know|remember) about me|what do you remember|what have you remembered(?: about me)?)$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^(?:소리야|자비스|hey jarvis|sori|ok|okay|그럼|그리고|아|음)[,\s]+", re.IGNORECASE)
_ORDER = re.compile(r"(?:(?:으|하|보내|챙기|깨우)|(?:^|\s)(?:사|가|오|자|쓰|보|나가))라고\s*(?:꼭\s*)?기억해")
"""Reported orders such as 사라고: the user wants a reminder, which is no fact."""
_QUESTION = re.compile(r"[?？]\s*$")
_VAGUE = frozenset({"이거", "이것", "그거", "그것", "저거", "이", "그", "내 말", "이 말", "that", "this", "it", "me"})


_TELLING: tuple[tuple[re.Pattern[str], Language], ...] = ((_TELL_KO, "ko"), (_TELL_EN, "en"))
_SAID: tuple[tuple[re.Pattern[str], Language], ...] = ((_SAID_KO, "ko"), (_REMEMBER_EN, "en"), (_SAID_EN, "en"))
_NEWEST: tuple[tuple[re.Pattern[str], Language], ...] = ((_NEWEST_KO, "ko"), (_NEWEST_EN, "en"))
_FORGETTING: tuple[tuple[re.Pattern[str], Language], ...] = ((_FORGET_KO, "ko"), (_FORGET_EN, "en"))


def memory_request(text: str) -> MemoryRequest | None:
    """The request in a text; ``None`` when it is something else, such as a question or a reminder."""
    said = _ADDRESS.sub("", " ".join(unicodedata.normalize("NFC", text).replace("’", "'").split()))
    words = said.rstrip(" .!~?？")
    if not words or len(words) > _LONGEST:
        return None
    for pattern, language in _TELLING:
        if pattern.match(words):
            return MemoryRequest(wish=Wish.TELL, language=language)
    if _QUESTION.search(said) and "줄래" not in said and not said.casefold().startswith(("can you", "could you")):
        return None
    for pattern, language in _NEWEST:
        if pattern.match(words):
            return MemoryRequest(wish=Wish.FORGET_NEWEST, language=language)
    return _to_change(words) or _to_remember(*_placed(words)) or _to_forget(words)


def _placed(words: str) -> tuple[str, Scope | None]:
    """A request to remember without the memory that it names, and this memory."""
    for scope, pattern in (*_WHERE_KO, *_WHERE_EN):
        shorter, found = pattern.subn(" ", words, count=1)
        if found:
            return " ".join(shorter.replace(" :", ":").replace(" ,", ",").split()), scope
    return words, None


def _to_change(words: str) -> MemoryRequest | None:
    if found := _CHANGE_KO.match(words):
        about, value = found["one"] or found["other"] or found["said"], found["value"] or found["new"]
        particle = "은" if final_of(about) else "는"
        return MemoryRequest(wish=Wish.REMEMBER, language="ko", text=f"{about}{particle} {value}", changed=True)
    if found := _CHANGE_EN.match(words):
        about, value = found["one"] or found["said"], found["value"] or found["new"]
        return MemoryRequest(wish=Wish.REMEMBER, language="en", text=f"{about} is {value}", changed=True)
    return None


def _to_remember(words: str, scope: Scope | None) -> MemoryRequest | None:
    if _ORDER.search(words):
        return None
    for pattern, language in _SAID:
        if found := pattern.match(words):
            return _request(Wish.REMEMBER, language, found["fact"], scope)
    for pattern in _REMEMBER_KO:
        if found := pattern.match(words):
            return _request(Wish.REMEMBER, "ko", _as_fact(words, found), scope)
    return None


def _to_forget(words: str) -> MemoryRequest | None:
    for pattern, language in _FORGETTING:
        if found := pattern.match(words):
            return _request(Wish.FORGET, language, found["words"])
    return None


def _request(wish: Wish, language: Language, text: str, scope: Scope | None = None) -> MemoryRequest | None:
    text = text.strip(" ,:\"'“”‘’")
    if not text or text.casefold() in _VAGUE:
        return None
    return MemoryRequest(wish=wish, language=language, text=text, scope=scope)


def _as_fact(words: str, found: re.Match[str]) -> str:
    """The fact as a sentence: the quoting ending is removed, 다 of a reported statement stays."""
    fact, end = found["fact"], found.end("fact")
    if words[end : end + 2] == "다고":
        return f"{fact}다"
    if words[end : end + 2] == "라고" and _WISH.search(fact) and not final_of(fact[:-1].rstrip()[-1]):
        return f"{fact}라"
    if words[end : end + 2] == "라고" and fact.endswith("이") and final_of(fact[-2:-1]):
        return fact[:-1]
    return fact
