"""Requests to remember, to forget and to tell what is remembered, recognised without a model. Pure.

A small model seldom calls a tool for these. The fact keeps the user's words.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.free_words import INFINITIVE_ENDS, is_name, is_one_clause, is_quoted
from assistant.core.hangul import final_of
from assistant.core.records.memory import Scope
from assistant.core.settings import Language
from assistant.core.times.left_over import korean_time_word

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


_GIVEN = r"\s*(?:줘요?|주세요|줄래요?|둬요?|두세요|놔요?|놓아\s*줘)"
_GIVE = rf"(?:{_GIVEN})?"
_PLACED_KO = r"(?:^{0}\s+(?=기억|.*?[가-힣](?:은|는|이|가|를|을)\s)|\s{0}\s+(?=(?:꼭\s+)?기억))"
"""A memory that is named: before a whole sentence or right before the verb. 이 프로젝트에 참여한다 names none."""
_WHERE_KO = (
    (
        Scope.WORKSPACE,
        re.compile(
            _PLACED_KO.format(
                r"(?:이|현재|지금)\s*(?:작업\s*공간|워크스페이스|프로젝트)(?:의?\s*기억)?에(?:다가|다|만)?"
            )
        ),
    ),
    (
        Scope.AGENT,
        re.compile(_PLACED_KO.format(r"(?:이\s*(?:에이전트|역할)(?:의?\s*기억)?에(?:다가|다|만)?|너만)")),
    ),
    (Scope.PERSONAL, re.compile(_PLACED_KO.format(r"(?:내|제)?\s*개인\s*기억에(?:다가|다|만)?"))),
)
_WHERE_EN = tuple(
    (scope, re.compile(rf"\s{place}(?=\s+that\s|\s*:|\s*,)|(?P<rest>^(?:\S+\s+){{4,}}\S+)\s{place}$", re.IGNORECASE))
    for scope, place in (
        (Scope.WORKSPACE, "(?:in|for) this (?:workspace|project)"),
        (Scope.AGENT, "(?:in|for) this (?:agent|role)"),
        (Scope.PERSONAL, "in my personal memory"),
    )
)
"""At the end only after a sentence that is whole without it: not after "remember that I work"."""
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
_QUOTED_KO = re.compile(rf"^(?P<fact>.+?)(?P<end>라|다)고\s*(?:꼭\s*)?기억해{_GIVE}$")
_THAT_KO = re.compile(rf"^(?P<fact>.+?\s\S+)\s(?:거|걸|것을?|점을?|사실을?)\s*(?:꼭\s*)?기억해{_GIVEN}$")
"""What the user does, as a noun: 내가 커피 좋아하는 거."""
_COLON_KO = re.compile(rf"^(?:이거|이것|이걸|이것을|이것도)?\s*(?:꼭\s*)?기억해{_GIVE}\s*[:,.]\s*(?P<fact>.+)$")
_OF_SUBJECT_KO = re.compile(r"^(?:나|저|난|전|내|제|우리|저희)\s|[가-힣\w](?:은|는|이|가)\s")
_NOUN_KO = re.compile(r"^(?!.*[가-힣](?:을|를|에|에게|한테)\s).+$")
_VERB_KO = re.compile(r"\s\S*[하가오보내쓰끄시우나자켜주타차되지리기추꾸르두사서]$")
"""What may be a verb after its object: 세탁기 돌리(라고). One word alone, such as the name 보리, is a noun here."""
_WHICH_KO = re.compile(r"^\S+가\s(?P<how>(?:\S+\s)*)\S+$")
_SUPERLATIVE_KO = re.compile(r"(?:제일|가장)\s")
"""내가 (제일) 좋아하는 (거), 내가 어제 산 (거): a thing of which the sentence does not tell the name."""
_DUTY_KO = re.compile(r"야\s?(?:하|되|할|될|한|된)\S*$")
_SAID_KO = re.compile(
    r"^(?P<fact>(?!(?:이|그|저)(?:건|거|게|것)\b)(?:(?:나|저|내|제|우리|저희)\b|.*?[가-힣](?:은|는|이|가)\b)"
    rf"[^,.!?]*\s[^,.!?]*(?:[{INFINITIVE_ENDS}야다요지네돼]|거든))(?<!야 해)(?<!야 돼)(?<!야 해요)(?<!야 돼요)"
    r"(?:\s*[,.!]+\s*|(?<=[야요다])\s+)(?:(?:이거|이걸|이것|그거|그걸|그것)(?:을|를|도)?\s*)?(?:꼭|좀|잘)?\s*"
    rf"기억해{_GIVE}$"
)
"""A sentence about somebody or something that is no duty, and then the request to remember it."""
_SAID_EN = re.compile(
    r"^(?P<fact>(?:my|our|the|i|we|i'm|we're|i've|he|she|his|her|they|their)\s"
    r"(?!have to\b|need to\b|must\b|should\b)[^.!?;]+?)\s*[.,;!]+\s*(?:so\s+|and\s+)?(?:please\s+)?"
    r"(?:(?:remember|don't forget|do not forget) (?:that|this|it)|keep (?:that|this|it) in mind)"
    r"(?:\s*,?\s*please)?$",
    re.IGNORECASE,
)
_WISH = re.compile(r"[가-힣](?<!가)\s?달$")
"""The end of 답해 달(라고): a wish, not the word 달."""
_REMEMBER_EN = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+)?(?:(?:remember|don't forget|do not forget|keep in mind)"
    r"(?:\s+that\s+|\s*:\s*|,\s*)|note\s+that\s+)(?P<fact>.+)$",
    re.IGNORECASE,
)
_STATES_EN = re.compile(
    r"^(?!(?!today|tomorrow|yesterday|sometimes|usually|now)\w+ (?:i|we|you|he|she|they|that|which|who|where|when)\b)"
    r"(?:(?:i|i'm|i've|i'd|my|mine|we|we're|we've|our|you|you're|your|he|she|he's|she's|his|her|they|they're|their|its"
    r"|the|an?|there|there's|all|every|no|some|most|people|\d\S*)\s|.*\s(?:is|are|am|was|were|has|have|had|isn't|aren't)\s)",
    re.IGNORECASE,
)
"""A statement: no order such as "call mom", which is a reminder, and nothing recalled, such as "time we had lunch"."""
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
_ABOUT_ME_KO = r"(?:(?:나|저)(?:에?\s*(?:대해서?|관해서?)|한테서)|내\s*(?:얘기|이야기)(?:를|는)?)"
_ASKED_KO = r"(?:어요?|니|지요?|나요?|습니까|는지\s*(?:말해|알려)\s*(?:줘요?|주세요))"
_TELL_KO = re.compile(
    r"^(?:(?:너는?|넌|네가|지금|지금까지|여태|여태까지|그동안)\s+)*"
    rf"(?:{_ABOUT_ME_KO}\s*(?:지금까지\s*)?(?:뭐를?|뭘|무엇을|어떤\s*(?:걸|것을))\s*"
    rf"(?:알고\s*있{_ASKED_KO}|기억(?:하|하고\s*있|했){_ASKED_KO}|알아요?|기억해요?)"
    rf"|(?:뭘|뭐를?|무엇을)\s*기억(?:하고\s*있|했){_ASKED_KO}"
    rf"|{_ABOUT_ME_KO}\s*(?:기억하는|기억한|아는|알고\s*있는)\s*(?:거|것|게|것이)(?:은|는)?\s*"
    r"(?:뭐(?:야|예요|가\s*있어요?)|있어요?|(?:다\s*)?(?:말해|알려|보여)\s*(?:줘요?|주세요))"
    r"|기억(?:해\s*둔|하고\s*있는)\s*(?:것|거|걸)(?:을|를)?\s*(?:(?:좀|다)\s*)*(?:말해|알려|보여)\s*(?:줘요?|주세요|줄래요?))$"
)
_TELL_EN = re.compile(
    r"^(?:(?:what do you (?:know|remember)|what have you (?:remembered|learn(?:ed|t)|noted)) about me"
    r"|what (?:do you remember|have you remembered)|(?:tell|show) me what you (?:remember|(?:know|remember) about me))"
    r"(?: so far| until now| now| right now)?$",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"^(?:소리야|자비스|hey jarvis|sori|ok|okay|그럼|그리고|아|음)[,\s]+", re.IGNORECASE)
_POLITE_END = re.compile(
    r"(?:,\s*|\s+)(?:please|thanks|thank you|sori|jarvis|소리야|자비스야?|고마워요?)$", re.IGNORECASE
)
_ORDER = re.compile(r"(?:(?:으|하|보내|챙기|깨우)|(?:^|\s)(?:사|가|오|자|쓰|보|나가))라고\s*(?:꼭\s*)?기억해")
"""Reported orders such as 사라고: the user wants a reminder, which is no fact."""
_QUESTION = re.compile(r"[?？]\s*$")
_VAGUE = re.compile(
    r"(?:이|그|저)(?:거|것|걸|건|게)(?:\s|$)|(?:(?:내|이|그)\s말|이|그)$|(?:that|this|these|those|it|me)(?:'s)?"
    r"(?:$|\s(?:is|are|was|were|has|will|means|one)\b)|the (?:following|above)\b",
    re.IGNORECASE,
)
"""Words that point at something outside the sentence."""
_NO_FACT = re.compile(
    r"(?:(?:내가|제가|네가|아까|방금|전에)\s)*(?:말한|얘기한|이야기한|했던|하던|한|그런|이런|저런|다른|모든|모두|전부|다)"
    r"|.*(?:타이머|알람|알림|일정)|.*\b(?:timers?|alarms?|reminders?|appointments?)"
    r"|(?:everything|anything|all|nothing|what|whatever|past|us|them)\b.*",
    re.IGNORECASE,
)

_TELLING: tuple[tuple[re.Pattern[str], Language], ...] = ((_TELL_KO, "ko"), (_TELL_EN, "en"))
_SAID: tuple[tuple[re.Pattern[str], Language], ...] = ((_SAID_KO, "ko"), (_SAID_EN, "en"))
_CHANGING: tuple[tuple[re.Pattern[str], Language], ...] = ((_CHANGE_KO, "ko"), (_CHANGE_EN, "en"))
_FINAL_N, _FINAL_L = 4, 8
"""Final consonants of verbs before a noun: 산, 살."""
_NEWEST: tuple[tuple[re.Pattern[str], Language], ...] = ((_NEWEST_KO, "ko"), (_NEWEST_EN, "en"))
_FORGETTING: tuple[tuple[re.Pattern[str], Language], ...] = ((_FORGET_KO, "ko"), (_FORGET_EN, "en"))


def memory_request(text: str) -> MemoryRequest | None:
    """The request in a text; ``None`` when it is something else, such as a question or a reminder."""
    said = _ADDRESS.sub("", " ".join(unicodedata.normalize("NFC", text).replace("’", "'").split()))
    words = _POLITE_END.sub("", said.rstrip(" .!~?？"))
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
    for scope, pattern in _WHERE_KO:
        shorter, found = pattern.subn(" ", words, count=1)
        if found:
            return " ".join(shorter.split()), scope
    for scope, pattern in _WHERE_EN:
        shorter, found = pattern.subn(lambda match: match["rest"] or " ", words, count=1)
        if found:
            return " ".join(shorter.replace(" :", ":").replace(" ,", ",").split()), scope
    return words, None


def _to_change(words: str) -> MemoryRequest | None:
    for pattern, language in _CHANGING:
        if found := pattern.match(words):
            parts = [each for each in found.groups() if each]
            about, value = parts
            if not (is_name(about) and is_one_clause(value)):
                return None
            link = " is" if language == "en" else "은" if final_of(about) else "는"
            return MemoryRequest(wish=Wish.REMEMBER, language=language, text=f"{about}{link} {value}", changed=True)
    return None


def _to_remember(words: str, scope: Scope | None) -> MemoryRequest | None:
    if _ORDER.search(words):
        return None
    for pattern, language in _SAID:
        if found := pattern.match(words):
            return _fact(language, found["fact"], scope)
    if (found := _REMEMBER_EN.match(words)) and _STATES_EN.search(found["fact"]):
        return _fact("en", found["fact"], scope)
    if (found := _COLON_KO.match(words)) and _OF_SUBJECT_KO.search(found["fact"]):
        return _fact("ko", found["fact"], scope)
    if found := _THAT_KO.match(words):
        return _fact("ko", _statement(found["fact"]), scope)
    if found := _QUOTED_KO.match(words):
        return _fact("ko", _quoted(found["fact"], found["end"]), scope)
    return None


def _to_forget(words: str) -> MemoryRequest | None:
    for pattern, language in _FORGETTING:
        if found := pattern.match(words):
            text = _unquoted(found["words"])
            if not is_name(text) or _VAGUE.match(text) or _NO_FACT.fullmatch(text):
                return None
            return MemoryRequest(wish=Wish.FORGET, language=language, text=text)
    return None


def _fact(language: Language, text: str, scope: Scope | None) -> MemoryRequest | None:
    text = _unquoted(text)
    if not text or _VAGUE.match(text) or not is_one_clause(text):
        return None
    return MemoryRequest(wish=Wish.REMEMBER, language=language, text=text, scope=scope)


def _unquoted(text: str) -> str:
    text = text.strip(" ,:")
    return text[1:-1].strip() if is_quoted(text) else text


def _quoted(fact: str, end: str) -> str:
    """What is quoted with ``-라고`` or ``-다고``, as a sentence; empty when it could be an order: 물을 마시라고."""
    if end == "다":
        return f"{fact}다"
    if fact.endswith("아니"):
        return f"{fact}다"
    if _WISH.search(fact) and not final_of(fact[:-1].rstrip()[-1]):
        return f"{fact}라"
    subjects = [found.end() for found in _OF_SUBJECT_KO.finditer(fact)]
    if not subjects or not _NOUN_KO.match(fact[subjects[-1] :]) or _VERB_KO.search(fact[subjects[-1] :]):
        return ""
    # The 이 may be a part of the noun (왼손잡이) or of the ending (3일이), and with 다 both are a whole sentence.
    return f"{fact}다" if fact.endswith("이") else fact


def _tells_no_thing(how: str) -> bool:
    """Whether words between a subject and its verb tell only how much or when."""
    return all(korean_time_word(word) for word in _SUPERLATIVE_KO.sub("", how).split())


def _statement(clause: str) -> str:
    """A clause before 것 as a sentence: 커피 좋아하는 becomes 커피 좋아한다; empty for a noun before it.

    The past (산 것) and adjectives keep their form, because several stems share it.
    """
    last = clause[-1]
    if clause.endswith(("라는", "다는")):
        return _quoted(clause[:-2], clause[-2])
    if not _OF_SUBJECT_KO.search(clause) or _DUTY_KO.search(clause):
        return ""  # 우유 사는 (거), 내가 전화해야 하는 (거): something to do, of which the user is to be reminded
    if (which := _WHICH_KO.match(clause)) and _tells_no_thing(which["how"]):
        return ""
    if last == "는":
        stem = clause[:-1]
        if stem.endswith(("있", "없")):
            return f"{stem}다"
        return f"{stem}는다" if final_of(stem) else f"{stem[:-1]}{chr(ord(stem[-1]) + _FINAL_N)}다"
    if last == "인":
        return f"{clause[:-1]}이다"
    return f"{clause} 것" if final_of(last) in (_FINAL_N, _FINAL_L) else ""
