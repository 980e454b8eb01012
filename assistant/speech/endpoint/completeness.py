"""Whether the words of an utterance, as far as they are understood, are a finished sentence.

Korean tells by the last word: a sentence ends in a final ending (-요, -다, -까, -줘, -죠), a clause in a connective one
(-고, -는데, -서, -면, -지만), a phrase in a particle (-을, -에서). English tells less: words that must be followed
by something (*and*, *because*, *the*), and the full stop that the recogniser writes when it hears a falling voice.
"""

import re
import unicodedata
from typing import Final

from assistant.speech.text.vocabulary import words

FINISHED: Final = 0.95
PROBABLY: Final = 0.8
UNSURE: Final = 0.5
LEANING: Final = 0.6
UNFINISHED: Final = 0.15

_FIRST_SYLLABLE: Final = 0xAC00
_CODAS: Final = 28
"""Syllables that differ in their last consonant only stand together, in this number and order."""
_CODA_NIEUN: Final = 4
_CODA_RIEUL: Final = 8
_CODA_BIEUP: Final = 17
_CODAS_BEFORE_EO: Final = frozenset({18, 20})
"""ㅄ and ㅆ: 없어, 있어, 했어, 겠어."""


_KOREAN_FILLERS: Final = words("음 어 그 저 아 뭐 막 이제 그게 그러니까 있잖아 저기 그니까 흠 에")
_KOREAN_OPENERS: Final = words(
    """그리고 그런데 근데 하지만 그래서 그러면 그럼 만약 혹시 일단 또 또는 아니면 왜냐하면 그러나 즉 및 특히 때문에
    위해 위해서 대해 대해서 통해 동안 때 다음 전에 후에 중에 제가 내가 나는 저는 우리 좀 더 잘 안 못 다 꼭 한 두 몇
    이 새 첫"""
)
"""Words that something has to follow when they come last."""
_KOREAN_CLAUSE: Final = re.compile(
    r"(?:고|며|면서|는데|지만|거나|든지|려고|하러|도록|다가|자마자|더니|길래|느라|면|니까|므로|기에|뿐만|대신|처럼|만큼|보다|까지|부터|마다"
    r"|[아어해라려셔와가봐돼면러워여겨춰바꿔쳐져켜꺼]서)$"
)
_KOREAN_PARTICLE: Final = re.compile(
    r"(?:을|를|은|는|이|가|의|에|에서|에게|한테|께|으로|로|와|과|랑|도|만|같은|던|할|한|될|된)$"
)
_KOREAN_FINAL: Final = re.compile(
    r"(?:요|다|까|줘|죠|네|냐|니|래|구나|군|거든|잖아|(?:하|가|보|먹|켜|끄|놀|쉬|듣|시작하)자"
    r"|(?:이|거|뭐|시|디|제|구|니|번|마|기|데|일)야|(?:싶|싫|넣|들|틀|열|읽|적|걸|만들)어"
    r"|(?:좋|많|같|닫|찾|알|받|앉|맞|놓|참|잡|남)아|(?:하|가|사|보|오|었|았|했|겠|이|맞)지"
    r"|해|봐|둬|놔|돼|켜|꺼|알려|보여|들려|보내|눌러|올려|내려|높여|낮춰|맞춰|멈춰|바꿔|지워|깨워|불러|돌려|골라|몰라|추워|더워|어때"
    r"|(?:하|려|어|아|거)라)$"
)
_KOREAN_ANSWERS: Final = words("네 예 응 그래 아니 아니요 안녕 그만 잠깐 취소 중지 줘 해 봐 꺼 켜 써")
_NOT_FINAL: Final = words(
    """필요 수요 중요 주요 개요 소요 바다 사이다 판다 수다 노래 아래 미래 원래 본래 거래 빨래 동네 어머니 할머니 주머니
    이해 오해 피해 올해 새해 지난해 남해 동해 서해 시내 국내"""
)
"""Words that look like a final ending and are not."""
_NOT_CLAUSE: Final = words(
    """광고 사고 창고 최고 참고 경고 신고 재고 원고 보고 권고 충고 중고 냉장고 화면 라면 냉면 장면 정면 전면 측면 표면
    짜장면 비빔면 하나 지도 온도 속도 정도 제주도 강도 밀도 각도 의도 태도 회의 주의 동의 강의 문의 거의 차이 아이 오이
    종이 나이 고양이 작가 국가 휴가 평가 물가 주가 가을 마을 노을 사과 결과 효과 교과 평화 변화 도로 위로 바로 서로 별로
    그대로 백만 천만 불만 그만 대한 의한"""
)
"""Nouns and adverbs that look like a clause or a particle and are not."""

_ENGLISH_OPEN: Final = words(
    """and but or nor so because since although though if unless until while when whenever where whereas that than
    as the a an my your his her its our their this these those to of for from with without by at into onto about
    between during before after against through toward towards is are was were be been am do does did has have had
    will would can could should shall may might must want wants wanted need needs like let lets i'm you're we're
    they're it's i'd i'll i've what's who's also then maybe please just very really some any every each no not don't
    can't won't"""
)
"""Words that something has to follow when they come last."""
_ENGLISH_FILLERS: Final = words("um umm uh uhh er erm hmm hm mm well like so ah eh")
_ENGLISH_CLOSED: Final = words("please so well not no")
"""Words of the above that do end a sentence when the voice fell."""
_ENGLISH_PARTICLES: Final = words("on off in up down out over")

_CLOSING: Final = re.compile(r"[\"'”’)\]」』]+$")
_HANGUL: Final = re.compile(r"[가-힣]")


def text_completeness(text: str, language: str) -> float | None:
    """How finished a sentence looks, from 0 (something must follow) to 1 (nothing is missing).

    Args:
        text: what was understood so far.
        language: ``ko`` or ``en``; Korean letters in the last word decide for Korean whatever it says.

    Returns:
        ``None`` when there is no word to judge by.
    """
    plain = _CLOSING.sub("", unicodedata.normalize("NFC", text).strip())
    said = plain.split()
    if not said or not any(letter.isalnum() for letter in plain):
        return None
    if plain.endswith(("...", "…", ",", "，", "、", "-", "—", ":", ";")):
        return UNFINISHED
    if plain.endswith(("?", "？")):
        return FINISHED
    last = said[-1].strip(".,!?。！\"'“”‘’()[]").lower()
    stopped = plain.endswith((".", "!", "。", "！"))
    if _HANGUL.search(last) or (language == "ko" and not last.isascii()):
        return _korean(last, len(said), stopped=stopped)
    return _english(last, len(said), stopped=stopped)


def _korean(last: str, length: int, *, stopped: bool) -> float:
    if last in _KOREAN_ANSWERS:
        return FINISHED
    if last in _KOREAN_FILLERS or last in _KOREAN_OPENERS:
        return UNFINISHED
    if _coda_before(last, "니까") == _CODA_BIEUP or _coda_before(last, "게") == _CODA_RIEUL:
        # -ㅂ니까 asks and -ㄹ게 promises; -니까 without the ㅂ gives a reason.
        return FINISHED
    if _coda_before(last, "어") in _CODAS_BEFORE_EO:
        return FINISHED
    if last not in _NOT_CLAUSE and (_ends(_KOREAN_CLAUSE, last) or _coda_before(last, "데") == _CODA_NIEUN):
        return UNFINISHED
    if last not in _NOT_FINAL and _ends(_KOREAN_FINAL, last):
        return FINISHED
    if length > 1 and last not in _NOT_CLAUSE and last not in _NOT_FINAL and _ends(_KOREAN_PARTICLE, last):
        return UNFINISHED
    return LEANING if stopped else UNSURE


def _ends(pattern: re.Pattern[str], word: str) -> bool:
    """Whether a word of more than one syllable ends so; a single syllable is a word of its own."""
    return len(word) > 1 and pattern.search(word) is not None


def _coda_before(word: str, ending: str) -> int:
    """Which consonant closes the syllable before an ending; -1 when the word does not end so."""
    if len(word) <= len(ending) or not word.endswith(ending):
        return -1
    return (ord(word[-len(ending) - 1]) - _FIRST_SYLLABLE) % _CODAS


def _english(last: str, length: int, *, stopped: bool) -> float:
    if last in _ENGLISH_FILLERS and not (stopped and last in _ENGLISH_CLOSED and length > 1):
        return UNFINISHED
    if last in _ENGLISH_OPEN and not (stopped and last in _ENGLISH_CLOSED):
        return UNFINISHED
    if last in _ENGLISH_PARTICLES:
        return PROBABLY if stopped and length > 2 else UNSURE
    return PROBABLY if stopped else UNSURE
