"""Yes and no in code: what confirms or cancels a transfer, before any model is asked (F-02). Pure.

Only a whole message counts. A yes with anything else in it ("네 근데 사만 원으로") is no confirmation, and a question
("응?") is none either. A pattern that is missing is added here and nowhere else.
"""

import re
import unicodedata

_YES_KO = (
    r"네+|넵|넹|넴|예+|응+|웅|엉|어+|ㅇㅇ+|ㅇㅋ|ㄱㄱ|오케이|오키|콜|그래|그래요|그럼|"
    r"그럼요|좋아|좋아요|좋습니다|맞아|맞아요|맞습니다|"
    r"맞네|맞네요|확인|확인했어|확인했어요|확인이요|당연하지|당연하죠|물론|물론이지|물론이죠|"
    r"물론이에요|그렇게\s?해|그렇게\s?하자|그렇게\s?해\s?(?:줘|주세요)|그대로\s?(?:해|"
    r"보내)|"
    r"진행|진행해|진행할게|승인|승인해|승인할게|동의|동의해|동의합니다"
)
_DO_KO = (
    r"(?:(?:그대로|그렇게|바로|지금|얼른|빨리)\s?)?(?:보내|이체해|송금해|진행해|승인해|"
    r"확인해|부쳐|쏴|해)(?:\s?(?:줘|주세요|줘요|줄래|주라|버려))?(?:요)?"
    r"|(?:보내|이체하|송금하|진행하|하)(?:자|세요|십시오|시죠|시오)|(?:보내|이체|송금|"
    r"진행|승인|확인)\s?부탁(?:해|드려|드립니다)?(?:요)?|부탁(?:해|드려|드립니다|할게)(?:요)?"
)
_YES_EN = (
    r"yes|yeah|yep|yup|sure|ok|okay|okey|alright|all right|right|correct|exactly|absolutely|of course|certainly|fine|"
    r"confirm|confirmed|i confirm|approve|approved|i approve|that's right|that is right|"
    r"that's correct|looks good|sounds good|do it|go|go ahead|go for it|"
    r"proceed|send it|send|transfer it|please do|yes please|make it so|that's fine|it's fine|i do"
)
_SOFTENER_KO = r"(?:좀|이요|요)"
_NO_KO = (
    r"(?:(?:이거|이건|그거|그건|전부|다|모두|그냥|이체|송금|거래)\s?)?(?:취소|취소할래|"
    r"취소할게|취소해|취소하자|취소요|취소해\s?(?:줘|주세요)|취소하고\s?싶어|취소할\s?거야)(?:요)?"
    r"|(?:(?:이제|그냥|이건|그건)\s?)?(?:그만|그만둘래|그만둘게|그만하자|그만할래|그만할게|"
    r"그만둬|그만해|그만두자|그만\s?할래|관둘래|관두자|관둬|됐어|됐다|됐고|때려치워|없던\s?(?:걸|"
    r"일)로\s?(?:해|하자)(?:\s?(?:줘|주세요))?|중단해|중단|중지해|중지)(?:\s?(?:줘|주세요))?(?:요)?"
    r"|안\s?(?:보낼래|보낼게|보내|보내도\s?돼|할래|할게|해|해도\s?돼|부칠래)(?:요)?"
    r"|(?:보내|이체하|송금하|부치|하)지\s?(?:마|마라|말자|말아|말아\s?줘|말아\s?주세요|"
    r"마세요|않을래|않을게|말래|말아라)(?:요)?"
)
_NO_EN = (
    r"cancel|cancel (?:it|that|this|everything|all|the transfer|the payment)|never ?mind|"
    r"forget (?:it|that|about it)|stop|stop it|abort|call it off|"
    r"(?:do not|don't|dont) (?:send|do|transfer)(?: it| that| anything| the money)?|i (?:don't|"
    r"do not) want to (?:send|transfer)(?: it| that| anything)?|i changed my mind|drop it|"
    r"scrap (?:it|that)|"
    r"no,? (?:cancel|stop|don't|never ?mind|forget it)"
)
_PLEASE_EN = r"(?:please|thanks|thank you|now)"


def _normal(message: str) -> str:
    """The message in the form in which it is compared; a question mark stays."""
    text = unicodedata.normalize("NFC", message).strip().casefold().replace("’", "'")
    return " ".join(re.sub(r"[.,!~^…·。、]+|(?<![ㄱ-ㅎ])[ㅎㅋ]{2,}", " ", text).split())


_YES = re.compile(
    rf"(?:(?:아|음|오)\s)?(?:{_YES_KO}|{_DO_KO})(?:\s(?:{_YES_KO}|{_DO_KO}|{_SOFTENER_KO}))*"
    rf"|(?:{_YES_EN})(?: (?:{_YES_EN}|{_PLEASE_EN}|then|with it|the money|it))*"
)
_NO = re.compile(
    rf"(?:(?:아니|아니야|아니요|아뇨|아|음|잠깐|잠깐만|네|응)\s)?(?:{_NO_KO})(?:\s(?:{_NO_KO}))*"
    rf"|(?:(?:no|oh|wait|actually|please|ok|okay) )*(?:{_NO_EN})(?: (?:{_NO_EN}|{_PLEASE_EN}))*"
)
_KEEPS = re.compile(r"(?:취소|그만|중단|중지)\S*\s(?:안|하지|않)")
"""취소 안 할래: what is not cancelled goes on."""
_UNDECIDED = re.compile(r"아+|어+|오+|음+")
"""A sound that may be a yes or a hesitation. It counts only beside a yes."""


def is_confirm(message: str) -> bool:
    """Whether a whole message says yes. A sound that may be a hesitation (어) is none."""
    text = _normal(message)
    return _YES.fullmatch(text) is not None and _UNDECIDED.fullmatch(text) is None


def is_cancel(message: str) -> bool:
    """Whether a whole message calls everything off."""
    text = _normal(message)
    return _NO.fullmatch(text) is not None and _KEEPS.search(text) is None
