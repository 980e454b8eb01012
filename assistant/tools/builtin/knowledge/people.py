"""The people whom the user knows, for requests that no plain command matches.

Whole numbers of accounts are never told to a model: the user sees them on the page of people, or asks for them in words
that a plain command answers.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from assistant.core.people.finding import find_people
from assistant.core.permissions import Category
from assistant.core.records.people import BankAccount, FoundPeople, Person
from assistant.llm.backend import Evidence
from assistant.speech.text.names.sounds import sounds_of
from assistant.tools.acts import Act
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

_ABOUT = (
    *("생일", "생신", "전화번호", "연락처", "이메일", "메일 주소", "계좌", "누구야", "누군지", "누구지", "주소록"),
    *("birthday", "phone", "number", "contact", "email", "account", "who is", "who's"),
)
_TOLD = ("relation", "phone", "email", "birthday", "note")
_READS = Act(
    names=(
        r"생일|생신|전화\s?번호|연락처|이메일|메일\s?주소|계좌|누구(?:야|지|예요|인지)|누군"
        r"|\bbirthdays?\b|\bphone\b|\bcontacts?\b|\be-?mail\b|\baccounts?\b|\bwho(?:'s| is)\b"
    ),
    reads=True,
    texts=("name",),
)


class PeopleBook(Protocol):
    """Keeps people, as ``PeopleStore`` does."""

    async def all(self) -> tuple[Person, ...]:
        """All people."""
        ...

    async def add(self, people: Sequence[Person]) -> tuple[Person, ...]:
        """Add people."""
        ...

    async def change(self, person: Person) -> Person:
        """Write over a person."""
        ...


def people_tools(people: PeopleBook) -> tuple[Tool, ...]:
    """The tools that look somebody up and keep what the user says of somebody."""

    async def find(name: str) -> FoundPeople:
        if not name.strip():
            raise ToolError("tool_reason.empty", name="name")
        return find_people(name, await people.all(), sounds=sounds_of)

    async def find_person(name: str) -> str:
        """Looks up somebody the user knows: birthday, phone, email, relation, note.

        Args:
            name: the name, relation or alias as the user said it, such as 엄마 or Minji.
        """
        found = await find(name)
        if found.matches:
            return "\n\n".join(_told(each.masked) for each in found.matches)
        near = ", ".join(each.name for each in found.near)
        return (
            f"Nobody is called that. Ask the user whether this is meant: {near}" if near else "Nobody is called that."
        )

    async def keep_person(
        name: str,
        relation: str = "",
        phone: str = "",
        email: str = "",
        birthday: str = "",
        bank: str = "",
        account_number: str = "",
        note: str = "",
    ) -> str:
        """Keeps what the user says of somebody they know, when they ask for it. Adds to what is kept already.

        Args:
            name: the person's name, or the relation if only that is known.
            relation: what the person is to the user, such as 엄마 or boss.
            phone: phone number.
            email: email address.
            birthday: as YYYY-MM-DD, or --MM-DD without the year.
            bank: the bank of an account.
            account_number: the number of that account.
            note: anything else.
        """
        found = await find(name)
        if len(found.matches) > 1:
            raise ToolError("tool_reason.person_unclear", names=", ".join(each.name for each in found.matches))
        known = found.only or Person(name=name)
        person = replace(
            known,
            relation=relation or known.relation,
            phone=phone or known.phone,
            email=email or known.email,
            birthday=birthday or known.birthday,
            note=note or known.note,
        )
        account = BankAccount(bank=bank, number=account_number)
        if (bank or account_number) and account not in person.accounts:
            person = replace(person, accounts=(*person.accounts, account))
        kept = await people.change(person) if person.id else (await people.add([person]))[0]
        return f"Kept:\n{_told(kept.masked)}"

    return (
        tool_of(
            find_person,
            category=Category.SENSITIVE,
            idempotent=True,
            evidence=Evidence(words=_ABOUT),
            act=_READS,
            # What was imported may be somebody else's words.
            untrusted=True,
            reads_private=True,
            search_words=("연락처", "전화번호", "생일", "사람", "contact", "birthday", "phone number"),
        ),
        tool_of(
            keep_person,
            category=Category.SENSITIVE,
            idempotent=True,
            evidence=Evidence(words=_ABOUT),
            reads_private=True,
            search_words=("연락처 저장", "생일 저장", "전화번호 저장", "save contact", "add contact"),
        ),
    )


def _told(person: Person) -> str:
    accounts = [f"account: {each.bank} {each.number} {each.holder}".strip() for each in person.accounts]
    told = [
        f"name: {person.name}",
        *(f"also called: {each}" for each in person.aliases),
        *(f"{name}: {text}" for name in _TOLD if (text := getattr(person, name))),
        *accounts,
    ]
    return "\n".join(told)
