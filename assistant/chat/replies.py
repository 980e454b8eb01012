"""Classifies a spoken reply to a question as yes or no, by rules. No model decides what may run.

A no counts anywhere in the reply. A yes must be the whole reply, so that an echo of the question or a longer sentence
("yes, but ...") approves nothing. No end of the question is a yes ("run it").
"""

import re
import unicodedata

from assistant.core.machine.events import Meaning
from assistant.core.packets import ANSWER_ALWAYS, ANSWER_NO, ANSWER_NO_TO_ALL, ANSWER_YES

_NO_KOREAN = re.compile(
    r"아니|아뇨|아냐|안돼|안되|안해|안할|하지마|하지말|말아|마세요|됐어|됐습니다|취소|싫|그만|멈춰|잠깐|괜찮|노노|^노요?$|거절|거부"
)
_NO_ENGLISH = re.compile(r"\b(no|none|nope|nah|not|don't|dont|never|cancel|stop|wait|refuse|deny)\b")
_YES_KOREAN = re.compile(
    r"((?:항상|언제나|앞으로도)(?:할게요?)?|허용(?:해|해요|해줘|해줘요|해주세요|할게|할게요|합니다)?|"
    r"네|넵|넹|예|예스|응|웅|그래요?|그럼요?|그러세요|그렇게해(요|줘|주세요)?|좋아요?|좋습니다|맞아요?|맞습니다|오케이|오키|"
    r"물론(이지|이죠|입니다)?|당연하지|당연하죠|허락(해|해요|할게|할게요|합니다)?|해요?|해도돼요?|해줘요?|해주세요|하세요|"
    r"이대로|(?:보내|맞춰)(줘|줘요|주세요|라)?|진행(해|해줘|해주세요|하세요)?|"
    r"(실행|사용)(해|해요|해줘|해줘요|해주세요|하세요|해도돼요?)?|(써|써줘|써도돼)요?|써주세요|쓰세요)+"
)
_YES_ENGLISH = re.compile(
    r"(yes|yeah|yep|yup|sure|ok|okay|of course|go ahead|do it|do that|please|please do|certainly|absolutely|"
    r"you may|you can|i agree|agreed|allow( it| this| that)?|always)"
    r"( (allow( it| this| that)?|always|yes|yeah|sure|ok|okay|please|go ahead|(do|run|use|send) it|sori|you may))*"
)


_ALWAYS = re.compile(r"항상|언제나|앞으로도|\balways\b")
_TO_ALL = re.compile(
    r"모두|전부|전체|싹 다|다\s?(?:아니|안|거절|거부|취소|하지|싫)"
    r"|\bto all\b|\b(?:none|all) of (?:them|it|these)\b|\bstop asking\b"
)
_REFUSAL = re.compile(
    r"(아니요?|아니오|아뇨|싫어요?|취소(해요?|해줘|해주세요|할게요?)?|거절(해요?|할게요?)?|거부(해요?|할게요?)?|그만(해요?|할게요?)?"
    r"|말하기싫어요?|답안할래요?|안할래요?|말안할래요?|no|nope|cancel|decline|refuse|nevermind|idontwanttosay|stop)+"
)


def refuses(text: str) -> bool:
    """Whether a reply to a question for words refuses to answer. Only the whole reply counts."""
    return _REFUSAL.fullmatch(re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", text).casefold())) is not None


def spoken_choice(text: str, *, agrees: bool) -> str:
    """The choice of a spoken yes or no: it may cover all calls ("yes, always", "no to all")."""
    plain = unicodedata.normalize("NFC", text).casefold()
    if agrees:
        return ANSWER_ALWAYS if _ALWAYS.search(plain) else ANSWER_YES
    return ANSWER_NO_TO_ALL if _TO_ALL.search(plain) else ANSWER_NO


def reply_meaning(text: str) -> Meaning:
    """``YES``, ``NO``, or ``REQUEST`` for anything that is neither for certain."""
    plain = unicodedata.normalize("NFC", text).casefold().replace("’", "'")
    words = " ".join(re.sub(r"[^\w']+", " ", plain).split())
    joined = words.replace(" ", "")
    if _NO_KOREAN.search(joined) or _NO_ENGLISH.search(words):
        return Meaning.NO
    if _YES_KOREAN.fullmatch(joined) or _YES_ENGLISH.fullmatch(words):
        return Meaning.YES
    return Meaning.REQUEST


def changing_reply_meaning(text: str) -> Meaning:
    """The meaning of a reply to a question that can be changed: "no, forty thousand" is a request, not a no."""
    if refuses(text):
        return Meaning.NO
    return Meaning.YES if reply_meaning(text) is Meaning.YES else Meaning.REQUEST
