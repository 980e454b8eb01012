"""Facts that rules read from a message without a model, for small models, which may propose nothing. Pure.

Only whole sentences in which the user gives a value to a known attribute count: a name, a birthday, a home, a job, a
liking. The line is the user's own sentence.
"""

import re
import unicodedata

from assistant.agent.remembering.proposals import LONGEST_LINE, MOST_LINES, may_state_fact
from assistant.memory.statements.statement import ONE_VALUE
from assistant.memory.updating import statement_of

_SENTENCE = re.compile(r"(?<=[.!?？。])\s+|\n")
_OWN_KO = re.compile(r"^(?:나는|난|내|내가|나|저는|전|제|제가|저|우리|저희)\s")
_OWN_EN = re.compile(r"^(?:i|i'm|my|our)\s", re.IGNORECASE)
_ASKED = re.compile(
    r"언제|어디|누구|누가|무엇|무슨|뭐|뭘|몇|얼마|어느|어떤|어떻|왜|(?:니|냐|나요|까|래|대|지|줘|주세요)[.!?？]*$"
    r"|\b(?:what|who|when|where|which|why|how|if)\b|[?？]\s*$",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"(?:^|\s)(?:이거|이걸|이게|그거|그걸|그게|저거|저걸|네|너|당신|여기|거기)(?:[은는이가을를에]|\s|$)"
    r"|\b(?:it|this|that|these|those|you|your|here|there|to)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"오늘|내일|모레|어제|다음\s|이번|아까|나중|\b(?:today|tomorrow|yesterday|tonight|next|later|soon)\b", re.IGNORECASE
)
_COPULA = re.compile(r"(?:야|이에요|예요|입니다|이다|살이에요)[.!]*$")
_LIKES = re.compile(r"(?:을|를)\s(?:정말\s|아주\s)?(?:좋아|싫어|사랑)(?:해|해요|한다|합니다)[.!]*$")
_KINDS = frozenset({*ONE_VALUE.values(), "live", "job"})


def certain_facts(said: str) -> tuple[str, ...]:
    """The sentences of a message that state a fact beyond doubt, in the user's words."""
    if not may_state_fact(said):
        return ()
    sentences = (each.strip() for each in _SENTENCE.split(unicodedata.normalize("NFC", said)))
    return tuple(dict.fromkeys(each.rstrip(".! ") for each in sentences if _is_certain(each)))[:MOST_LINES]


def _is_certain(sentence: str) -> bool:
    korean = re.search("[가-힣]", sentence) is not None
    if len(sentence) > LONGEST_LINE or _ASKED.search(sentence) or _VAGUE.search(sentence) or _PASSING.search(sentence):
        return False
    statement = statement_of(sentence)
    if statement is None or not (_OWN_KO if korean else _OWN_EN).match(sentence):
        return False
    kinds = set(statement.about.split("/"))
    if "feel" in kinds:
        return _LIKES.search(sentence) is not None if korean else True
    if not kinds & _KINDS:
        return False
    return not korean or "live" in kinds or "job" in kinds or _COPULA.search(sentence) is not None
