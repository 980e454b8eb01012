"""Decides which of the user's two models answers a request, and whether another may replace a failed one (P-23).

Pure and cheap: words and patterns in Korean and English decide, not a model. Conversation goes to the light model;
analysis, code, mathematics and long texts go to the strong one. In doubt the light model is chosen, because it answers
sooner.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from http import HTTPStatus

from assistant.core.errors import ErrorCode, ProviderError, SoriError


class Strength(StrEnum):
    """The kind of model for a request."""

    LIGHT = "light"
    STRONG = "strong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The kind of model for a request, and the reason.

    Attributes:
        strength: the kind of model.
        because: the words or the property that decided; empty for the light model.
    """

    strength: Strength
    because: str = ""


_LONG_KOREAN, _LONG_LATIN = 600, 1500
"""Characters from which a request is a text to work on. A Korean syllable says as much as two to three letters."""
_LONG_TRANSLATION_KOREAN, _LONG_TRANSLATION_LATIN = 120, 300

_HANGUL = re.compile(r"[가-힣]")

_EVERYDAY = (
    r"(바|드레스|기타|쿠폰|할인|인증|큐알|qr|우편|국가|색상|초대|추천|예약|비밀번호|otp|피아노|우쿨렐레)\s*코드"
    r"|코드\s*(네임|번호|를? 입력|뽑|꽂)"
    r"|햄버그"
    r"|증명\s*(사진|서)|자기\s*증명"
    r"|(비|눈)[가-힣]{0,2}\s*(올|내릴|오는)\s*확률|강수\s*확률"
    r"|(가격|최저가)\s*비교\s*사이트"
    r"|(dress|zip|area|promo|postal|country|discount|coupon|qr|bar|door|pin|invite|building|penal|morse)[ -]?codes?"
    r"|code\s+(red|blue|name|word)"
    r"|proof of (purchase|address|identity|payment)"
    r"|(chance|probability|odds) of (rain|snow|winning)"
    r"|the matrix\b(?! (product|inverse|is|has))"
    r"|function(s|ing)? (properly|well|normally)|functions? of the \w+(?! (f|g|x|y)\b)"
    r"|(python|pythons)\s+(eat|live|bite|snake|dangerous)"
)
"""Everyday uses of technical words, which are removed before the patterns are tried."""

_CODE = (
    r"```|~~~"
    r"|(?<![가-힣])코드|소스\s*코드|코딩|프로그래밍|프로그램\s*(을|를|좀)?\s*(짜|작성|만들)"
    r"|(이|그|저|아래|다음|위|재귀|파이썬|람다|콜백|내|해시)\s*함수|함수(를|의|가|로|에서|형)?\s*"
    r"(시간|공간|짜|만들|작성|구현|고쳐|설명|호출|리턴|반환|테스트|리팩)"
    r"|시간\s*복잡도|공간\s*복잡도|알고리[즘듬]|자료\s*구조|정규\s*(식|표현식)|디버[그깅]|버그|컴파일|리팩[터토]"
    r"|스택\s*(트레이스|오버플로)|예외\s*처리|단위\s*테스트|유닛\s*테스트|쿼리|스키마|데이터베이스|동시성|메모리\s*누수"
    r"|파이썬|자바스크립트|타입스크립트|리액트|쿠버네티스|도커|셸\s*스크립트|쉘\s*스크립트|깃\s*(커밋|리베이스|머지)"
    r"|엑셀\s*(수식|매크로|함수)|구현\s*(해|하|좀|부탁)"
    r"|\b(source |the |my |this |some |your |clean )code\b|\bcod(e|ing) (review|in|for|that|to)\b"
    r"|write (me )?(some )?code"
    r"|\b(debug(ging|ger)?|refactor\w*|regex(es|p)?|regular expressions?|algorithms?|compil(e|er|es|ation)|traceback"
    r"|stack ?trace|segfault|unit tests?|pull request|sql|postgres\w*|kubernetes|docker(file)?|javascript|typescript"
    r"|pytest|dataframe|race condition|memory leak|deadlock|endpoint|json schema|big[- ]o|(time|space) complexity)\b"
    r"|\b(a|this|that|the|my|following|recursive|python|async|lambda)\s+function\b"
    r"|\b(in|with|using) (python|java|rust|go(lang)?|c\+\+|swift|kotlin)\b"
    r"|\bpython (script|code|class|list|dict|program)"
    r"|\bbugs? in (my|the|this|our) (code|program|app|script|loop|parser|query)|\bfix (this|the|my) bug"
    r"|\b(program|script) (that|to|which)\b"
    r"|\bimplement\b|\b(write|build) (me )?an? (\w+ )?(script|parser|api|function|class)\b"
    r"|^\s*(def|class|import|from \w+ import|func|fn|public|private|const|let|var|#include|SELECT)\b.*[({;=*]"
    r"|\w+\([^()\n]*\)\s*(=>|[{;])|Traceback \(most recent|\b\w+(Error|Exception)\b:|O\(n"
)
_MATHEMATICS = (
    r"증명|미분|적분|방정식|부등식|행렬|고윳?값|확률(을|를|은|이|의|\s*변수|\s*분포)|기댓값|분산을?\s*구|표준\s*편차|수열|극한값?|귀납법"
    r"|소인수|최[댓대소솟]값|로그\s*함수|삼각\s*함수|[이일삼]차\s*함수|경우의\s*수|선형\s*대수|통계\s*(검정|분석|적)|회귀\s*분석"
    r"|수학\s*문제|풀이\s*과정|복리"
    r"|\b(prove|proof|theorem|lemma|derivatives?|differentiat\w+|integral|integrate|equations?|eigen\w+|determinant"
    r"|matri(x|ces)|probability|expected value|standard deviation|regression|factoriz\w+|combinatorics|calculus|algebra"
    r"|compound interest)\b|\bsolve for\b|math problem"
    r"|[a-z]\s*\^\s*\d|∫|∑|√|\blim\b\s*[_(x]|\bd/dx\b|[xyz]\s*[²³]|\d\s*[xyz]\s*[-+]\s*\d+.*="
)
_ANALYSIS = (
    r"분석|비교(해|하|표|\s*분석)|장단점|장점과\s*단점|검토(해|하|를|좀)|평가(해|하)|설계(해|하|안|도|를)|아키텍처|최적화"
    r"|원인(을|이|은|과)|추론|논리적|논증|반박|전략(을|이|적)|기획[안서]|보고서|논문|시나리오를|단계별로|근거를|계획을\s*세워"
    r"|리스크|타당성|트레이드\s*오프|가설|심층|자세히\s*(따져|설명)|에세이|논설|계약서"
    r"|\banaly[sz](e|es|ing|is)\b|\banalytical\b|\bcompare\b|\bcomparison\b|\bpros and cons\b|\bevaluate\b|\bassess\b"
    r"|\btrade-?offs?\b|\bcritiques?\b|\bdesign (a|an|the|me)\b|\barchitecture\b|\boptimi[sz]e\b|\bstep by step\b"
    r"|\breason through\b|\broot cause\b|\bstrategy\b|\bbusiness plan\b|\breport on\b|\bresearch paper\b|\bessay\b"
    r"|\bhypothes[ie]s\b|\bin[- ]depth\b|\bargue\b|\bcounter-?arguments?\b|\bcontract\b|\bimplications\b"
    r"|\breview (this|my)\b"
)

_TRANSLATION = re.compile(r"번역|옮겨|영작|translat", re.IGNORECASE)


def judge(text: str, *, attachments: int = 0) -> Judgement:
    """The kind of model for a request.

    Args:
        text: the user's words.
        attachments: number of files in the request.
    """
    everyday, *strong = _compiled()
    looked_at = everyday.sub(" ", text)
    for pattern in strong:
        if found := pattern.search(looked_at):
            return Judgement(strength=Strength.STRONG, because=" ".join(found.group().split())[:40])
    korean = len(_HANGUL.findall(text)) * 4 > len(text)
    translation = _TRANSLATION.search(text)
    if translation and len(text) >= (_LONG_TRANSLATION_KOREAN if korean else _LONG_TRANSLATION_LATIN):
        return Judgement(strength=Strength.STRONG, because=translation.group())
    if len(text) >= (_LONG_KOREAN if korean else _LONG_LATIN):
        return Judgement(strength=Strength.STRONG, because=f"{len(text)}")
    if attachments:
        return Judgement(strength=Strength.STRONG, because=f"+{attachments}")
    return Judgement(strength=Strength.LIGHT)


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    """The everyday uses, and what asks for a strong model. Compiled at their first use, because that takes 6 ms."""
    patterns = (_EVERYDAY, _CODE, _MATHEMATICS, _ANALYSIS)
    return tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in patterns)


_OWN_FAULT = frozenset(
    {
        ErrorCode.INVALID_REQUEST,
        ErrorCode.CONTENT_REFUSED,
        ErrorCode.TOOL_LOOP,
        ErrorCode.CANCELLED,
        ErrorCode.STORAGE,
        ErrorCode.INTERNAL,
    }
)
"""Errors that another model would repeat, or that no model can solve."""

_WHOLE_PROVIDER = frozenset({ErrorCode.AUTHENTICATION, ErrorCode.NETWORK, ErrorCode.ENGINE_UNAVAILABLE})


def may_fall_back(error: SoriError) -> bool:
    """Whether another model may be tried after this error, if no text was shown and no tool has run.

    A model that exceeds the first-byte limit ends the turn, and the user decides whether to wait again (P-21). A server
    that itself answers 408 has merely failed.
    """
    if error.code is ErrorCode.TIMEOUT:
        return isinstance(error, ProviderError) and error.status == HTTPStatus.REQUEST_TIMEOUT
    return error.code not in _OWN_FAULT


def concerns_provider(error: SoriError) -> bool:
    """Whether the provider's other models would fail too."""
    return error.code in _WHOLE_PROVIDER
