"""Understands a question about somebody whom the user knows: ``엄마 생일이 언제야?``, "What's Minji's number?". Pure.

The whole sentence has to be the question. Whether anybody has the name that was said is not known here.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal


class PersonFact(StrEnum):
    """What is asked of somebody."""

    BIRTHDAY = "birthday"
    PHONE = "phone"
    EMAIL = "email"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonQuestion:
    """A question about somebody.

    Attributes:
        who: the words that name the person.
        fact: what is asked.
        language: the language of the question.
    """

    who: str
    fact: PersonFact
    language: Literal["ko", "en"]


_KO: Final = {
    PersonFact.BIRTHDAY: r"생일(?:\s?날짜)?|생신",
    PersonFact.PHONE: r"(?:전화|핸드폰|휴대폰|휴대전화|폰)\s?번호|연락처",
    PersonFact.EMAIL: r"이메일(?:\s?주소)?|메일\s?주소",
    PersonFact.ACCOUNT: r"계좌(?:\s?번호)?|통장\s?번호",
}
_EN: Final = {
    PersonFact.BIRTHDAY: r"birthday",
    PersonFact.PHONE: r"(?:(?:tele)?phone|mobile|cell)(?: number)?|number",
    PersonFact.EMAIL: r"e-?mail(?: address)?",
    PersonFact.ACCOUNT: r"(?:bank )?account(?: number)?",
}
_COURTESY_KO: Final = r"(?:(?:소리야|있잖아|그런데|근데|혹시|저기)[,\s]+)?"
_COPULA_KO: Final = (
    r"야|이야|이지|지|니|인가|인가요|일까|일까요|예요|이에요|이죠|죠|더라|였지|였더라|였죠"
    r"|인지|인지\s?알려\s?(?:줘|주세요)"
)
_ASKED_KO: Final = (
    rf"(?:(?:언제|며칠|몇\s?월\s?며칠|뭐|몇\s?번|무엇)(?:{_COPULA_KO})?"
    r"|어떻게\s?(?:돼|되지|되니|돼요|되나요|되더라)"
    r"|(?:좀\s?)?(?:알려|말해|가르쳐|보여|불러|읽어)\s?(?:줘|줘요|주세요|줄래|줄래요|주라|다오)|알아요?|기억나요?)"
)
_ASKED_EN: Final = (
    r"(?:(?:hey |ok |so )?(?:when|what)(?:['’]s| is)|(?:can you |could you |please )?(?:tell|show|give|read) me"
    r"|do you know)"
)
_END: Final = r"\s*[?？.!~]*"


def _in_korean(word: str) -> str:
    return rf"{_COURTESY_KO}(?P<who>.+?)\s+(?:{word})(?:은|는|이|가|을|를|만)?\s*{_ASKED_KO}{_END}"


def _in_english(word: str) -> str:
    whose = rf"(?P<who>.+?)(?:['’]s|s['’]) (?:{word})"
    whom = rf"the (?:{word}) (?:of|for) (?P<of_whom>.+?)"
    return rf"{_ASKED_EN} (?:{whose}|{whom})(?:,? please)?{_END}"


_QUESTIONS: Final[tuple[tuple[PersonFact, Literal["ko", "en"], re.Pattern[str]], ...]] = (
    *((fact, "ko", re.compile(_in_korean(word))) for fact, word in _KO.items()),
    *((fact, "en", re.compile(_in_english(word), re.IGNORECASE)) for fact, word in _EN.items()),
)
_LONGEST: Final = 60
_MOST_WORDS: Final = 4


def person_question(text: str) -> PersonQuestion | None:
    """The question about somebody that a whole text is; ``None`` for any other text."""
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return None
    for fact, language, pattern in _QUESTIONS:
        if (found := pattern.fullmatch(text)) is None:
            continue
        who = next(filter(None, found.groups()))
        if len(who.split()) <= _MOST_WORDS:
            return PersonQuestion(who=who, fact=fact, language=language)
    return None
