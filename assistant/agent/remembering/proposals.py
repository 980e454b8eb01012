"""Decides what of a message may be remembered: which messages, which proposed lines, in which memory. Pure.

A model proposes; these rules decide. A line needs the words and the numbers of the user's message, so a model cannot
make the user say something.
"""

import re
import unicodedata

from assistant.core.records.memory import Scope
from assistant.memory.facts import plain
from assistant.tools.orders import gives_order, is_about_answers

MOST_LINES = 3
"""Maximum number of lines from one message."""
LONGEST_LINE = 120
"""Maximum length of a line in characters."""
_SHORTEST, _LONGEST = 6, 600
"""Bounds of a message in characters. A longer one is mostly a pasted text."""
_SUPPORTED = 0.6
"""Share of a line's words that the message must contain. The rest are endings and words such as "user"."""

_SPEAKER = re.compile(
    r"(?:^|[\s,.])(?:나|난|내|저|전|제|우리|저희)(?:는|은|가|이|의|도|를|한테|에게|\s)"
    r"|(?:^|[\s,.])(?:앞으로|다음부터|항상|이제부터)\s"
    r"|\b(?:i|i'm|i've|my|mine|we|our|from now on|always)\b",
    re.IGNORECASE,
)
_KOREAN_STATEMENT = re.compile(
    r"(?:좋아해|싫어해|못\s?먹어|안\s?먹어|살아|다녀|일해|이사했|이사\s?왔|알레르기|결혼했|태어났|키워|전공)"
)
_SECRET = re.compile(
    r"비밀번호|암호|패스워드|인증\s?번호|주민\s?등록|계좌\s?번호|카드\s?번호"
    r"|password|passcode|pin code|api key|social security"
    r"|(?<!\d)(?:\d{6}-?\d{7}|(?:\d{4}[- ]?){3}\d{4})(?!\d)",
    re.IGNORECASE,
)
_OF_WORKSPACE = re.compile(
    r"(?:우리|저희|이)\s?(?:팀|회사|프로젝트|부서|학교|가게|워크스페이스|작업\s?공간)"
    r"|\bour (?:team|company|project|office|shop|school|workspace)\b|\b(?:this|the) (?:project|workspace)\b",
    re.IGNORECASE,
)
_TOOL_NAME = re.compile(r"\b[a-z]+_[a-z_]+\b|https?://|www\.", re.IGNORECASE)
_NOTHING = re.compile(r"^(?:없음|없습니다|none|nothing)\b", re.IGNORECASE)
_FINALS = 28
"""Number of final consonants, with none."""
_OF_THE_USER = frozenset(
    {"사용자", "사용자는", "사용자의", "나는", "저는", "user", "user's", "users", "the", "a", "an", "is", "has"}
)


def may_state_fact(said: str) -> bool:
    """Whether a message may state something that lasts. It decides without a model, so that few messages need one."""
    said = unicodedata.normalize("NFC", said).strip()
    if not _SHORTEST <= len(said) <= _LONGEST or _SECRET.search(said):
        return False
    parts = re.split(r"(?<=[.!?？。])\s+|\n", said)
    statements = [each for each in parts if each and not each.rstrip().endswith(("?", "？"))]
    return any(_SPEAKER.search(each) or _KOREAN_STATEMENT.search(each) for each in statements)


def accepted(reply: str, said: str) -> tuple[str, ...]:
    """The lines of a model's reply that the message supports."""
    lines = [plain(line.strip()[1:]) for line in reply.splitlines() if line.strip().startswith(("-", "*", "•"))]
    good = [line for line in lines if line and _is_supported(line, said)]
    return tuple(dict.fromkeys(good))[:MOST_LINES]


def scope_of(line: str, said: str) -> Scope:
    """The memory that a line belongs to: of the agent, of the workspace, else of the user."""
    if is_about_answers(line) or is_about_answers(said):
        return Scope.AGENT
    return Scope.WORKSPACE if _OF_WORKSPACE.search(line) else Scope.PERSONAL


def _is_supported(line: str, said: str) -> bool:
    # A model that is told an order as a fact may carry it out.
    if _TOOL_NAME.search(line) or gives_order(line):
        return False
    if len(line) > LONGEST_LINE or line.endswith(("?", "？")) or _NOTHING.match(line) or _SECRET.search(line):
        return False
    source = "".join(unicodedata.normalize("NFC", said).casefold().split())
    if any(number not in re.findall(r"\d+", said) for number in re.findall(r"\d+", line)):
        return False
    words = [
        word
        for word in re.findall(r"[\w']+", unicodedata.normalize("NFC", line).casefold())
        if word not in _OF_THE_USER
    ]
    if not words:
        return False
    return sum(_occurs(word, source) for word in words) / len(words) >= _SUPPORTED


def _occurs(word: str, source: str) -> bool:
    """Whether a word occurs in a text, with any Korean ending or an English one of up to two letters."""
    if word in source:
        return True
    if len(word) == 2 and word[1] == "다":
        # A short verb changes its final consonant: 살아, 산다.
        return any(_without_final(word[0]) == _without_final(each) for each in source)
    if "가" <= word[0] <= "힣":
        return any(word[:length] in source for length in range(len(word) - 1, max(1, len(word) - 3), -1))
    return len(word) > 4 and word[:-2] in source


def _without_final(syllable: str) -> int:
    """The initial consonant and the vowel of a Korean syllable, as a number; -1 for any other character."""
    return (ord(syllable) - ord("가")) // _FINALS if "가" <= syllable <= "힣" else -1
