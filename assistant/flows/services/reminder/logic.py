"""The words that code understands without a model: what begins, confirms, cancels, and what is another matter."""

import re
from typing import Final

from assistant.flows.replies import Replies, Verb, plain

_COUNTS: Final = {"두": 2, "세": 3, "네": 4, "다섯": 5, "two": 2, "three": 3, "four": 4, "five": 5}
_POLITE = r"(?:\s*(?:줘|줘요|주세요|줄래|줄래요|달라|볼까|보자|줄\s?수\s?있어))?"
_BEGIN_KO: Final = re.compile(
    r"(?:새\s?)?(?:알림|리마인더)(?:을|를)?\s?(?:(?P<count>두|세|네|다섯|[2-5])\s?개(?:를)?|하나(?:를)?|한\s?개|좀|새로)?\s?"
    r"(?:만들어|만들자|만들래|추가해|추가하자|등록해|설정해|맞춰|맞추자|맞출래|잡아|걸어|넣어)" + _POLITE
)
_BEGIN_EN: Final = re.compile(
    r"(?:please |can you |could you |i want to |i'd like to |let'?s )?(?:make|create|add|set|set up)(?: me| us)?"
    r" (?:(?:a|one|some|another)(?: new)?|(?P<count>two|three|four|five|[2-5]))? ?(?:new )?reminders?"
    r"(?: please| for me)?"
    r"|i need (?:a|(?P<count2>two|three|four|five)) reminders?"
)
_NO: Final = frozenset({"아니", "아니요", "아뇨", "아니야", "no", "nope", "no thanks"})
_REPLIES: Final = Replies((Verb("맞춰", "맞추", "맞출"),), ("set",), ("reminder",))
_END_KO = r"(?: ?(?:줘|주세요|요))?"
_ONCE: Final = re.compile(
    r"(?:아니요? |아뇨 |응 )?(?:그냥 )?(?:딱 )?"
    r"(?:한 ?번만?|이번만|(?:되풀이|반복) ?(?:은 |는 )?(?:안 ?해|하지 ?마|없이|없어|없음))"
    r"(?:도 돼|이면 돼|으로)?"
    + _END_KO
    + r"|(?:no )?(?:just |only )?once(?: only)?|(?:no )?(?:do not|don'?t) repeat(?: it)?|no repeat"
)
_QUESTION: Final = re.compile(
    r"[?？]\s*$|(?:어때|뭐야|뭐지|언제야|누구야|얼마야|어디야|왜 그래)\s*요?\s*$"
    r"|^(?:what|who|where|why|how|when) (?:is|are|was|do|does|did|will)\b",
    re.IGNORECASE,
)


def wants(text: str) -> bool:
    """Whether a message begins to make reminders, and tells neither of what nor when."""
    return count_of(text) > 0


def count_of(text: str) -> int:
    """How many reminders a message asks for; 0 if it asks for none in these words."""
    found = _BEGIN_KO.fullmatch(plain(text)) or _BEGIN_EN.fullmatch(plain(text))
    if found is None:
        return 0
    count = next((each for each in found.groups() if each), "")
    return _COUNTS.get(count, int(count) if count.isdigit() else 1)


def is_confirm(text: str) -> bool:
    """Whether a whole message says yes."""
    return _REPLIES.is_yes(text)


def is_cancel(text: str) -> bool:
    """Whether a whole message calls it off. A bare no does too."""
    return _REPLIES.is_no(text) or plain(text) in _NO


def is_once(text: str) -> bool:
    """Whether a message says that nothing repeats."""
    return _ONCE.fullmatch(plain(text)) is not None


def is_question(text: str) -> bool:
    """Whether a message asks something, and so is no answer."""
    return _QUESTION.search(text) is not None


def declines(text: str) -> bool:
    """Whether a message says no to the question whether it repeats, and calls nothing off."""
    return is_once(text) or plain(text) in _NO
