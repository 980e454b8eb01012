"""Words what is kept of somebody, for a question that names the person.

Account numbers are masked: an answer may be heard by others, and stays in the conversation. The page has them whole.
"""

from collections.abc import Sequence

from assistant.agent.context.wording import MONTHS_EN, copula
from assistant.core.people.asking import PersonFact, PersonQuestion
from assistant.core.people.checking import birthday_of
from assistant.core.records.people import Person
from assistant.core.texts import Texts


def told_of(people: Sequence[Person], question: PersonQuestion, texts: Texts) -> str:
    """The answer to a question about somebody.

    Args:
        people: those whom the question names. With more than one, the user is asked which is meant.
        question: what is asked.
        texts: the words of its language.
    """
    if len(people) != 1:
        names = ", ".join(f"{each.name} ({each.relation})" if each.relation else each.name for each in people)
        return texts("person.several" if people else "person.nobody", who=question.who, names=names)
    (person,) = people
    value = _value(person.masked, question)
    key = question.fact if value else f"no_{question.fact}"
    return texts(f"person.{key}", name=person.name, value=value, copula=copula(value) if value else "")


def _value(person: Person, question: PersonQuestion) -> str:
    match question.fact:
        case PersonFact.BIRTHDAY:
            return _birthday(person, question.language)
        case PersonFact.ACCOUNT:
            words = (" ".join(filter(None, (each.bank, each.number, each.holder))) for each in person.accounts)
            return ", ".join(words)
        case PersonFact.PHONE:
            return person.phone
        case PersonFact.EMAIL:
            return person.email


def _birthday(person: Person, language: str) -> str:
    known = birthday_of(person)
    if known is None:
        return ""
    year, month, day = known
    if language == "ko":
        return f"{year}년 {month}월 {day}일" if year else f"{month}월 {day}일"
    spoken = f"{MONTHS_EN[month - 1]} {day}"
    return f"{spoken}, {year}" if year else spoken
