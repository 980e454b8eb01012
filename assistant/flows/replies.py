"""Yes and no in code: what confirms or cancels, before any model is asked (F-02). Pure.

Only a whole message counts. A yes with anything else in it ("네 근데 사만 원으로") is no confirmation, and a question
("응?") is none either.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assistant.core.settings import Language

_YES_KO = (
    r"네+|넵|넹|넴|예+|응+|웅|엉|어+|ㅇㅇ+|ㅇㅋ|ㄱㄱ|오케이|오키|콜|그래|그래요|그럼|그럼요|좋아|좋아요|좋습니다|맞아|맞아요|맞습니다"
    r"|맞네|맞네요|확인|확인했어|확인했어요|확인이요|당연하지|당연하죠|물론|물론이지|물론이죠|물론이에요|그렇게\s?하자|그대로\s?해"
    r"|그렇게\s?해(?:\s?(?:줘|주세요))?|진행|진행할게|승인|승인할게|동의|동의해|동의합니다|부탁(?:해|드려|드립니다|할게)(?:요)?"
)
_YES_EN = (
    r"yes|yeah|yep|yup|sure|ok|okay|okey|alright|all right|right|correct|exactly|absolutely|of course|certainly|fine"
    r"|confirm|confirmed|i confirm|approve|approved|i approve|that's right|that is right|that's correct|looks good"
    r"|sounds good|do it|go|go ahead|go for it|proceed|please do|yes please|make it so|that's fine|it's fine|i do"
)
_NO_KO = (
    r"(?:(?:이제|그냥|이건|그건|다|전부)\s?)?(?:필요\s?없어|그만|그만둘래|그만둘게|그만하자|그만할래|그만할게|그만둬|그만해|그만두자|그만\s할래|관둘래"
    r"|관두자|관둬|됐어|됐다|됐고|때려치워|없던\s?(?:걸|일)로\s?(?:해|하자)|중단해|중단|중지해|중지)(?:\s?(?:줘|주세요))?(?:요)?"
)
_CANCEL_KO = r"취소(?:\s?(?:할래|할게|해|하자|하고\s?싶어|할\s?거야|해\s?(?:줘|주세요)))?(?:요)?"
_NO_EN = (
    r"cancel(?: (?:it|that|this|everything|all))?|never ?mind|forget (?:it|that|about it)|stop|stop it|abort"
    r"|call it off|i changed my mind|(?:drop|leave|scrap) (?:it|that)|no,? (?:cancel|stop|don't|never ?mind|forget it)"
)
_POLITE_KO = r"(?:\s?(?:줘|주세요|줘요|줄래|주라|버려))?(?:요)?"
_PLEASE_EN = r"(?:please|thanks|thank you|now)"
_KEEPS = re.compile(r"(?:취소|그만|중단|중지)\S*\s(?:안|하지|않)")
"""취소 안 할래: what is not cancelled goes on."""
_UNDECIDED = re.compile(r"아+|어+|오+|음+")
"""A sound that may be a yes or a hesitation. It counts only beside a yes."""


class Verb(NamedTuple):
    """A Korean verb: the form of a request, the stem, and the form before ㄹ래 (보내, 보내, 보낼)."""

    request: str
    stem: str
    future: str


def verb_of(noun: str) -> Verb:
    """The verb that a noun makes with 하다: 저장, 이체."""
    return Verb(f"{noun}해", f"{noun}하", f"{noun}할")


_DO = (Verb("해", "하", "할"), *map(verb_of, ("진행", "승인", "확인")))


class Replies:
    """What is a yes and a no to a question whether something shall be done.

    Args:
        korean: the verbs of what is done.
        english: the same, as ``send``.
        things: English nouns of what is done, as ``transfer``.
    """

    def __init__(self, korean: Sequence[Verb] = (), english: Sequence[str] = (), things: Sequence[str] = ()) -> None:
        verbs, words = (*_DO, *korean), _any_of(("do", *english))
        nouns = _any_of(each.stem[:-1] for each in verbs if each.stem[1:].endswith("하"))
        requests, stems = _any_of(each.request for each in verbs), _any_of(each.stem for each in verbs)
        what = _any_of(("it", "that", *(f"the {each}" for each in things)))
        do_ko = (
            rf"(?:(?:그대로|그렇게|바로|지금|얼른|빨리)\s?)?{requests}{_POLITE_KO}|{stems}(?:자|세요|십시오|시죠|시오)"
            rf"|{nouns}\s?부탁(?:해|드려|드립니다)?(?:요)?"
        )
        do_en = "|".join(f"{each}(?: {what})?" for each in english) or "do it"
        yes_ko, yes_en = f"{_YES_KO}|{do_ko}", f"{_YES_EN}|{do_en}"
        self._yes = re.compile(
            rf"(?:(?:아|음|오)\s)?(?:{yes_ko})(?:\s(?:{yes_ko}|좀|이요|요))*"
            rf"|(?:{yes_en})(?: (?:{yes_en}|{_PLEASE_EN}|then|with it|it|{what}))*"
        )
        future = _any_of(each.future for each in verbs)
        no_ko = (
            rf"(?:(?:이거|이건|그거|그건|전부|다|모두|그냥|거래|{nouns})\s?)?{_CANCEL_KO}|{_NO_KO}"
            rf"|안\s?(?:{future}(?:래|게)|{requests}(?:도\s?돼)?)(?:요)?"
            rf"|{stems}지\s?(?:마|마라|말자|말아|말아\s?줘|말아\s?주세요|마세요|않을래|않을게|말래|말아라)(?:요)?"
        )
        no_en = (
            rf"{_NO_EN}|cancel {what}|(?:do not|don't|dont|i (?:don't|do not) want to) {words}(?: {what}| anything)?"
        )
        self._no = re.compile(
            rf"(?:(?:아니|아니야|아니요|아뇨|아|음|잠깐|잠깐만|네|응)\s)?(?:{no_ko})(?:\s(?:{no_ko}))*"
            rf"|(?:(?:no|oh|wait|actually|please|ok|okay) )*(?:{no_en})(?: (?:{no_en}|{_PLEASE_EN}))*"
        )

    def is_yes(self, message: str) -> bool:
        """Whether a whole message says yes. A sound that may be a hesitation (어) is none."""
        text = plain(message)
        return self._yes.fullmatch(text) is not None and _UNDECIDED.fullmatch(text) is None

    def is_no(self, message: str) -> bool:
        """Whether a whole message calls it off. A bare 아니 does not: what follows it may be a correction."""
        text = plain(message)
        return self._no.fullmatch(text) is not None and _KEEPS.search(text) is None


def begins(message: str, titles: Mapping[Language, str]) -> bool:
    """Whether a whole message asks to begin what has one of these titles: “예약 시작해 줘”, “please start booking”."""
    title = _any_of(re.escape(plain(each)) for each in titles.values())
    korean = (
        rf"{title}(?:을|를)?\s?(?:좀\s?)?(?:시작|시작해|열어|하자|해|할래|하고\s?싶어)(?:\s?(?:줘|주세요|보자))?(?:요)?"
    )
    english = rf"(?:please )?(?:start|open|begin|make) (?:an? |the |my )?{title}(?: please)?"
    return re.fullmatch(f"{korean}|{english}", plain(message)) is not None


def plain(message: str) -> str:
    """A message in the form in which it is compared; a question mark stays."""
    text = unicodedata.normalize("NFC", message).strip().casefold().replace("’", "'")
    return " ".join(re.sub(r"[.,!~^…·。、\"“”]+|(?<![ㄱ-ㅎ])[ㅎㅋ]{2,}", " ", text).split())


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"
