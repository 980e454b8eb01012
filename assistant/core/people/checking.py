"""What can be kept of a person: texts in one form, and no more than a person can have. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from typing import Final

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.people import BankAccount, Person

LONGEST_NAME: Final = 80
"""Longest name, relation, number or address, in characters."""
LONGEST_NOTE: Final = 2_000
"""Longest note, in characters."""
MOST_OF_A_KIND: Final = 20
"""Most aliases and most accounts of a person."""

_BIRTHDAY: Final = re.compile(r"(?:(\d{4})|-)-(\d{2})-(\d{2})")
_LEAP_YEAR: Final = 2000
_NUMBER: Final = re.compile(r"\d(?:[\d-]*\d)?")


def checked(person: Person) -> Person:
    """A person as it is kept: texts composed and without needless spaces, empty aliases and accounts left out.

    Raises:
        SoriError: there is no name, or a part cannot be kept.
    """
    accounts = tuple(map(_account, person.accounts))
    kept = replace(
        person,
        name=_line(person.name),
        relation=_line(person.relation),
        aliases=tuple(dict.fromkeys(filter(None, map(_line, person.aliases)))),
        accounts=tuple(each for each in accounts if each.number or each.bank),
        phone=_line(person.phone),
        email=_line(person.email),
        birthday=_line(person.birthday),
        note=_storable(person.note).strip(),
    )
    if not kept.name:
        raise _refused("person_without_name")
    _check_size(kept)
    for account in kept.accounts:
        if not account.bank or not _NUMBER.fullmatch(account.number):
            raise _refused("invalid_account", account=f"{account.bank} {account.number}".strip())
    if kept.birthday and birthday_of(kept) is None:
        raise _refused("invalid_birthday", birthday=kept.birthday)
    return kept


def birthday_of(person: Person) -> tuple[int | None, int, int] | None:
    """Year, month and day of a person's birthday; the year is ``None`` where it is not known.

    ``None`` without a birthday, and for what is no day.
    """
    found = _BIRTHDAY.fullmatch(person.birthday)
    if found is None:
        return None
    year = None if found[1] is None else int(found[1])
    try:
        day = date(year or _LEAP_YEAR, int(found[2]), int(found[3]))
    except ValueError:
        return None
    return year, day.month, day.day


def next_birthday(person: Person, today: date) -> date | None:
    """The next birthday, which may be today; ``None`` if none is known. One on 29 February is on the 28th otherwise."""
    known = birthday_of(person)
    if known is None:
        return None
    _, month, day = known
    this_year = _in_year(today.year, month, day)
    return this_year if this_year >= today else _in_year(today.year + 1, month, day)


def _in_year(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        return date(year, month, day - 1)


def _account(account: BankAccount) -> BankAccount:
    number = "".join(_line(account.number).split()).replace("–", "-").replace("—", "-")
    return BankAccount(bank=_line(account.bank), number=number, holder=_line(account.holder))


def _check_size(person: Person) -> None:
    lines = [person.name, person.relation, person.phone, person.email, *person.aliases]
    lines += [text for each in person.accounts for text in (each.bank, each.number, each.holder)]
    longest = max(map(len, lines))
    if longest > LONGEST_NAME or len(person.note) > LONGEST_NOTE or _most(person.aliases, person.accounts):
        raise _refused("person_too_long", name=person.name[:LONGEST_NAME])


def _most(*kinds: Iterable[object]) -> bool:
    return any(len(tuple(each)) > MOST_OF_A_KIND for each in kinds)


def _line(text: str) -> str:
    return " ".join(_storable(text).split())


def _storable(text: str) -> str:
    # Lone surrogates, which command lines and broken JSON contain, cannot be encoded.
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8"))


def _refused(key: str, **values: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, f"the person cannot be kept: {key}", message_key=key, values=values)
