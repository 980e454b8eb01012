"""Whether Korean words can be a whole sentence.

The last word decides in Korean. A sentence ends in a final ending (-요, -다, -까, -줘, -죠), a clause in a connective
ending (-고, -는데, -서, -면, -지만), a phrase in a particle (-을, -에서) or an adnominal ending (-는, -ㄹ). The verb
comes last, so an object without a verb after it means that the verb is still to come.
"""

import re
from collections.abc import Sequence
from typing import Final

from assistant.speech.text.vocabulary import words

CERTAIN: Final = 0.95
UNSURE: Final = 0.5
UNFINISHED: Final = 0.15

_FIRST_SYLLABLE: Final = 0xAC00
_CODAS: Final = 28
"""Number of codas, including none. Syllables that differ only in the coda are consecutive in Unicode, in this order."""
_CODA_NIEUN: Final = 4
_CODA_RIEUL: Final = 8
_CODA_BIEUP: Final = 17
_CODAS_BEFORE_EO: Final = frozenset({18, 20})
"""ㅄ and ㅆ: 없어, 있어, 했어, 겠어."""


_FILLERS: Final = words("음 어 그 저 아 뭐 막 이제 그게 그러니까 있잖아 저기 그니까 흠 에")
_OPENERS: Final = words(
    """그리고 그런데 근데 하지만 그래서 그러면 그럼 만약 혹시 일단 또 또는 아니면 왜냐하면 그러나 즉 및 특히 때문에
    위해 위해서 대해 대해서 통해 동안 때 다음 전에 후에 중에 제가 내가 나는 저는 우리 좀 더 잘 안 못 다 꼭 한 두 몇
    이 새 첫"""
)
"""Words that require a following word when they come last."""
_CLAUSE: Final = re.compile(
    r"(?:고|며|면서|는데|지만|거나|든지|려고|하러|도록|다가|자마자|더니|길래|느라|면|니까|므로|기에|뿐만|대신|처럼|만큼|보다|까지|부터|마다"
    r"|[아어해라려셔와가봐돼면러워여겨춰바꿔쳐져켜꺼]서)$"
)
_PARTICLE: Final = re.compile(
    r"(?:을|를|은|는|이|가|의|에|에서|에게|한테|께|으로|로|와|과|랑|도|만|같은|던|할|한|될|된)$"
)
_FINAL: Final = re.compile(
    r"(?:요|다|까|줘|죠|네|냐|니|래|구나|군|거든|잖아|(?:하|가|보|먹|켜|끄|놀|쉬|듣|시작하)자"
    r"|(?:이|거|뭐|시|디|제|구|니|번|마|기|데|일)야|(?:싶|싫|넣|들|틀|열|읽|적|걸|만들|먹|찍|물|멀)어"
    r"|(?:좋|많|같|닫|찾|알|받|앉|맞|놓|참|잡|남)아|(?:하|가|사|보|오|었|았|했|겠|이|맞)지"
    r"|해|봐|둬|놔|돼|켜|꺼|알려|보여|들려|보내|눌러|올려|내려|높여|낮춰|맞춰|멈춰|바꿔|지워|깨워|불러|돌려|골라|몰라|추워|더워|어때"
    r"|줄여|키워|늘려|걸려|미뤄|옮겨|남겨|챙겨|늦춰|비워|채워|잠가"
    r"|(?:하|려|어|아|거)라)$"
)
_ANSWERS: Final = words("네 예 응 그래 아니 아니요 안녕 그만 잠깐 취소 중지 줘 해 봐 꺼 켜 써 돼")
_SHORT_VERBS: Final = words("가 와 사 자 타")
"""Verbs of one syllable, which may also be the beginning of a longer word."""
_NOT_FINAL: Final = words(
    """필요 수요 중요 주요 개요 소요 바다 사이다 판다 수다 노래 아래 미래 원래 본래 거래 빨래 동네 어머니 할머니 주머니
    이해 오해 피해 올해 새해 지난해 남해 동해 서해 시내 국내"""
)
"""Words that match a final ending but are not one."""
_NOT_CLAUSE: Final = words(
    """광고 사고 창고 최고 참고 경고 신고 재고 원고 보고 권고 충고 중고 냉장고 화면 라면 냉면 장면 정면 전면 측면 표면
    짜장면 비빔면 하나 지도 온도 속도 정도 제주도 강도 밀도 각도 의도 태도 회의 주의 동의 강의 문의 거의 차이 아이 오이
    종이 나이 고양이 작가 국가 휴가 평가 물가 주가 가을 마을 노을 사과 결과 효과 교과 평화 변화 도로 위로 바로 서로 별로
    그대로 백만 천만 불만 그만 대한 의한"""
)
"""Nouns and adverbs that match a connective ending or a particle but have none."""

_VERB_WANTED: Final = re.compile(r"(?:을|를|에서|에게|한테|으로|까지|부터)$")
"""Particles of verb arguments. After such a particle the sentence needs a verb."""
_ADNOMINAL: Final = re.compile(r"(?:할|될|볼|갈|올|줄|켤|있는|없는|하는|되는|가는|오는)$")
"""Adnominal verb forms, which stand before the noun that they modify."""


def korean_completeness(said: Sequence[str], *, asked: bool = False) -> float:
    """How complete the words look.

    Args:
        said: the words without punctuation; not empty.
        asked: whether the recogniser ended the text with a question mark. It counts only after a topic (오늘 날씨는?).
    """
    last = said[-1]
    if last in _ANSWERS:
        return CERTAIN
    if last in _FILLERS or last in _OPENERS:
        return UNFINISHED
    if _is_final_by_coda(last):
        return CERTAIN
    if _continues(last):
        return UNFINISHED
    if last not in _NOT_FINAL and _ends(_FINAL, last):
        return CERTAIN
    if asked and last.endswith(("은", "는")):
        return UNSURE
    # A single word with another particle may be an answer (친구랑). A single object is not.
    alone = len(said) == 1 and not last.endswith("를")
    if not alone and last not in _NOT_CLAUSE and last not in _NOT_FINAL and _ends(_PARTICLE, last):
        return UNFINISHED
    return _noun(said)


def _is_final_by_coda(last: str) -> bool:
    # -ㅂ니까 asks and -ㄹ게 promises. -니까 without the ㅂ gives a reason.
    if _coda_before(last, "니까") == _CODA_BIEUP or _coda_before(last, "게") == _CODA_RIEUL:
        return True
    return _coda_before(last, "어") in _CODAS_BEFORE_EO


def _continues(last: str) -> bool:
    """Whether a word ends in a form after which another clause or a noun must follow."""
    if last in _NOT_CLAUSE:
        return False
    return _ends(_CLAUSE, last) or _ends(_ADNOMINAL, last) or _coda_before(last, "데") == _CODA_NIEUN


def _noun(said: Sequence[str]) -> float:
    """A bare noun may be a whole request (내일 날씨), unless a word before it requires a verb (불을 파란색)."""
    if said[-1] in _SHORT_VERBS:
        return UNSURE
    wants_verb = any(word not in _NOT_CLAUSE and _ends(_VERB_WANTED, word) for word in said[:-1])
    return UNFINISHED if wants_verb else UNSURE


def _ends(pattern: re.Pattern[str], word: str) -> bool:
    """Whether a word of more than one syllable matches. A single syllable is a word of its own, not an ending."""
    return len(word) > 1 and pattern.search(word) is not None


def _coda_before(word: str, ending: str) -> int:
    """Coda index of the syllable before an ending; -1 when the word does not have this ending."""
    if len(word) <= len(ending) or not word.endswith(ending):
        return -1
    return (ord(word[-len(ending) - 1]) - _FIRST_SYLLABLE) % _CODAS
