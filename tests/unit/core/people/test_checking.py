from datetime import date

import pytest

from assistant.core.errors import SoriError
from assistant.core.people.checking import LONGEST_NAME, LONGEST_NOTE, birthday_of, checked, next_birthday
from assistant.core.records.people import BankAccount, Person


def test_texts_are_kept_in_one_form() -> None:
    kept = checked(
        Person(
            name=" \u1100\u1175\u11b7  철수 ",
            aliases=("철수", " ", "철수"),
            accounts=(BankAccount(bank=" 국민 은행 ", number="123 – 45 – 678901"), BankAccount(bank="", number="")),
            note=" 한 줄\n두 줄 \ud800",
        )
    )
    assert kept.name == "김 철수"
    assert kept.aliases == ("철수",)
    assert kept.accounts == (BankAccount(bank="국민 은행", number="123-45-678901"),)
    assert kept.note == "한 줄\n두 줄 ?"


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (Person(name=" "), "person_without_name"),
        (Person(name="가" * (LONGEST_NAME + 1)), "person_too_long"),
        (Person(name="철수", note="가" * (LONGEST_NOTE + 1)), "person_too_long"),
        (Person(name="철수", aliases=tuple(map(str, range(21)))), "person_too_long"),
        (Person(name="철수", accounts=(BankAccount(bank="국민", number="열두자리"),)), "invalid_account"),
        (Person(name="철수", accounts=(BankAccount(bank="", number="123-456"),)), "invalid_account"),
        (Person(name="철수", accounts=(BankAccount(bank="국민", number=""),)), "invalid_account"),
        (Person(name="철수", birthday="1962-02-30"), "invalid_birthday"),
        (Person(name="철수", birthday="3월 4일"), "invalid_birthday"),
        (Person(name="철수", birthday="--13-04"), "invalid_birthday"),
    ],
)
def test_what_cannot_be_kept_of_somebody_is_refused(person: Person, reason: str) -> None:
    with pytest.raises(SoriError) as refused:
        checked(person)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("birthday", "today", "following"),
    [
        ("1962-03-04", date(2026, 3, 4), date(2026, 3, 4)),
        ("1962-03-04", date(2026, 3, 5), date(2027, 3, 4)),
        ("--12-31", date(2026, 1, 1), date(2026, 12, 31)),
        ("--02-29", date(2026, 1, 1), date(2026, 2, 28)),
        ("2000-02-29", date(2028, 1, 1), date(2028, 2, 29)),
        ("", date(2026, 1, 1), None),
    ],
)
def test_the_next_birthday(birthday: str, today: date, following: date | None) -> None:
    assert next_birthday(Person(name="철수", birthday=birthday), today) == following


def test_a_birthday_without_its_year() -> None:
    assert birthday_of(Person(name="철수", birthday="--03-04")) == (None, 3, 4)
    assert birthday_of(Person(name="철수", birthday="1962-03-04")) == (1962, 3, 4)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("123-45-678901", "•••-••-••8901"),
        ("12345678", "••••5678"),
        ("1234", "••34"),
        ("1", "•"),
        ("", ""),
    ],
)
def test_a_listed_account_shows_only_the_end_of_its_number(number: str, shown: str) -> None:
    assert BankAccount(bank="국민", number=number).masked == shown
