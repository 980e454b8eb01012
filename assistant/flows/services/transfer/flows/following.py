"""Whether a message after the end of a transfer is about that transfer. A model would claim an outcome. Pure."""

import re
from typing import Final

from assistant.flows.replies import plain
from assistant.flows.services.transfer.logic import is_cancel
from assistant.flows.steering import calls_back

_PARTICLE = r"(?:은|는|이|가|을|를|도|만|까지|한테|에게|께|께서|하고|에)?(?:요)?"
_KNOWN_KO = (
    r"(?:아까|방금|조금\s전에?|그|저|이|그거|그건|그게|이거|그럼|그러면|그래서|근데|그런데|혹시|이제|지금|바로|얼른|빨리|네|응"
    r"|아|어|야|좀|너|나|내|내가|잘|다|제대로|정말|진짜|진짜로|확실히|무사히|벌써|이미|아직|안|못|한\s?번|더|다시|또|똑같이"
    rf"|그대로|(?:이체|송금|입금|돈|금액|액수|결과|거|것|얼마나?|누구|언제|어디|어디로|몇|왜|어떻게){_PARTICLE}) "
)
_ENDING_KO = (
    r"(?:어|지|니|나|냐|네|는지|는데|던|던가|었지|을까|습니까|거야|거지|거니|건가|거예요|거죠|어요|지요|죠|나요)?(?:요)?"
    r"(?: (?:거|게|것))?(?: (?:거야|거지|거예요|거죠|건가|건가요|맞아|맞지|맞죠|맞아요|맞나요))?"
)
_SENT_KO = r"보냈|보내졌|보낸|부쳤|쐈|받았|(?:이체|송금|입금)(?:했|됐|되었|한|된)"
_ENDED_KO = r"갔|들어갔|나갔|끝났|(?:처리|완료|도착|취소|성공|실패)?(?:했|됐|되었|한|된)"
_ONCE_MORE_KO = r"(?:보내|이체해|송금해|입금해|부쳐|쏴)(?:\s?(?:줘|줘요|주세요|줄래|줄래요|주라|봐|봐요))?(?:요)?"
_KOREAN: Final = re.compile(
    rf"(?:{_KNOWN_KO})*(?:(?:{_SENT_KO}|{_ENDED_KO}){_ENDING_KO}|{_ONCE_MORE_KO})"
    rf"|(?:{_KNOWN_KO})*[가-힣]{{1,5}}(?:이|가|은|는|도|한테|에게|께|께서|(?= (?:돈|이체|송금|입금))) (?:{_KNOWN_KO})*"
    rf"(?:(?:{_SENT_KO}){_ENDING_KO}|{_ONCE_MORE_KO})"
    rf"|(?=.*(?:다시|또|더 ))(?:{_KNOWN_KO})+"
    r"(?:부탁(?:해|드려|드립니다|할게)|(?:시도)?해(?:\s?(?:줘|주세요|줄래|봐))?)(?:요)?"
)
_KNOWN_EN = (
    r"so|and|then|ok(?:ay)?|yes|no|well|hey|wait|but|please|now|just|already|really|actually|again|once|more|one|another|time"
    r"|same|all|the|that|this|it|my|an?|with|about|do|did|does|has|have|is|was|were|how|much|what|who|whom|when|where|why"
    r"|i|you|we|me|they|he|she|him|her|them|not|didn't|hasn't|can|could|transfer|payment|money|amount|yet"
)
_ENDED_EN = (
    r"send|sent|transferred|paid|(?:go|gone|goes|went) through|(?:get|got|received?) (?:it|the (?:money|transfer))"
    r"|received|arrived?|done|happened|succeeded|fail|failed|cancell?ed|finished"
)
_ENGLISH: Final = re.compile(
    rf"(?:(?:{_KNOWN_EN}) )*(?:(?!(?:{_KNOWN_EN})\b)[a-z]+ )?(?:{_ENDED_EN})(?: (?:{_KNOWN_EN}))*(?: to(?: [a-z]+)?)?"
    rf"|(?:(?:{_KNOWN_EN}|try|redo|repeat) )+(?:again|once more|one more time)(?: (?:please|now))*"
    r"|(?:please )?(?:redo|repeat) (?:it|that|this)(?: (?:please|now))*"
)


def recalls_transfer(message: str) -> bool:
    """Whether a message that follows the last answer asks only how the transfer ended, or for it once more or undone.

    Every word is explained, but for the name of one person.
    """
    words = " ".join(plain(message).replace("?", " ").split())
    return is_cancel(message) or calls_back(message) or bool(_KOREAN.fullmatch(words) or _ENGLISH.fullmatch(words))
