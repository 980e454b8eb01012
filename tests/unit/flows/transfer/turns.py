"""The table of what users say about transfers, and the situations in which they say it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from assistant.core.records.people import BankAccount, Person
from assistant.flows.services.transfer.logic import is_cancel, is_confirm
from assistant.flows.services.transfer.reading.reader import read
from assistant.flows.services.transfer.reading.recipients import of_person
from assistant.flows.services.transfer.reading.situation import KnownTransfer, Operation, Situation, TransferReading

TABLE = Path(__file__).parents[3] / "data" / "flows" / "transfer_turns.txt"
NOW = datetime.fromisoformat("2026-11-26T10:00:00+09:00")
PEOPLE = (
    Person(id="mom", name="이영희", relation="엄마", accounts=(BankAccount(bank="국민은행", number="100-1"),)),
    Person(id="dad", name="박철호", relation="아빠", accounts=(BankAccount(bank="신한은행", number="100-2"),)),
    Person(id="sis", name="박지수", relation="동생", accounts=(BankAccount(bank="하나은행", number="100-3"),)),
    Person(id="cs", name="김철수", relation="대학 동기", accounts=(BankAccount(bank="우리은행", number="100-4"),)),
    Person(id="m1", name="김민수", relation="친구", accounts=(BankAccount(bank="농협은행", number="100-5"),)),
    Person(id="m2", name="김민수", relation="회사 동료", accounts=(BankAccount(bank="신한은행", number="100-6"),)),
    Person(id="land", name="오순자", relation="집주인", accounts=(BankAccount(bank="기업은행", number="100-7"),)),
    Person(id="sarah", name="Sarah Lee", accounts=(BankAccount(bank="국민은행", number="100-8"),)),
)
_NAMES = {"엄마": "mom", "mom": "mom", "아빠": "dad", "dad": "dad", "동생": "sis"}
_CHOICES = tuple(of_person(each) | {"label": each.relation} for each in PEOPLE[4:6])
SITUATIONS: Mapping[str, Situation] = {
    "new": Situation(now=NOW, people=PEOPLE),
    "who": Situation(now=NOW, people=PEOPLE, transfers=(KnownTransfer(number=1, amount=50_000),), asked="recipient"),
    "much": Situation(
        now=NOW, people=PEOPLE, transfers=(KnownTransfer(number=1, recipient="엄마", person="mom"),), asked="amount"
    ),
    "which": Situation(
        now=NOW,
        people=PEOPLE,
        transfers=(KnownTransfer(number=1, recipient="김민수", amount=50_000),),
        asked="choice",
        choices=_CHOICES,
    ),
    "ready": Situation(
        now=NOW, people=PEOPLE, transfers=(KnownTransfer(number=1, recipient="엄마", person="mom", amount=50_000),)
    ),
    "three": Situation(
        now=NOW,
        people=PEOPLE,
        transfers=(
            KnownTransfer(number=1, recipient="엄마", person="mom", amount=30_000),
            KnownTransfer(number=2, recipient="아빠", person="dad", amount=50_000),
            KnownTransfer(number=3, recipient="동생", person="sis", amount=10_000),
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One row of the table.

    Attributes:
        situation: name of the situation.
        message: what the user says.
        meant: the operations, each as text, in alphabetical order.
        for_model: whether code leaves the message to the model.
    """

    situation: str
    message: str
    meant: tuple[str, ...]
    for_model: bool

    @property
    def language(self) -> str:
        return "ko" if re.search("[가-힣]", self.message) else "en"


def turns(table: str = "") -> list[Turn]:
    """All rows of a table; those of ``TABLE`` by default."""
    text = table or TABLE.read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if "|" in line and line[0] != "#")
    rows = []
    for line in lines:
        situation, message, meant = (part.strip() for part in line.split("|"))
        operations = [part.strip() for part in meant.split(";")]
        for_model = operations[0] == "model"
        rows.append(Turn(situation, message, tuple(sorted(operations[for_model:])), for_model))
    return rows


def meaning(turn: Turn) -> tuple[tuple[str, ...], TransferReading]:
    """What code reads in a message, in the words of the table, and the whole reading."""
    if is_confirm(turn.message):
        return ("confirm",), TransferReading(whole=True)
    if is_cancel(turn.message) and SITUATIONS[turn.situation].transfers:
        return ("cancel",), TransferReading(whole=True)
    reading = read(turn.message, SITUATIONS[turn.situation])
    if reading.asks_nothing:
        return ("nothing",), reading
    return tuple(sorted(map(operation_text, reading.operations))) if reading.whole else (), reading


def same(got: Sequence[str], meant: Sequence[str]) -> bool:
    """Whether two lists of operations name the same changes, whatever a recipient is called."""
    return sorted(map(_plain, got)) == sorted(map(_plain, meant))


def _plain(text: str) -> str:
    return re.sub("|".join(_NAMES), lambda match: _NAMES[match.group()], text)


def operation_text(operation: Operation) -> str:
    """An operation in the words of the table."""
    match operation:
        case {"op": "add"}:
            recipient, amount = operation.get("recipient"), operation.get("amount")
            return f"add {_value(recipient) if recipient else '-'} {_value(amount) if amount else '-'}"
        case {"op": "remove", "item": item}:
            return f"remove {item}"
        case {"op": "reject", "slot": slot, "reason": reason}:
            return f"reject {slot} {reason}"
        case {"op": "ask", "slot": slot}:
            return f"ask {slot}"
        case {"op": "clear", "slot": slot}:
            return f"{slot}="
        case {"op": "set", "slot": slot, "value": value}:
            item = operation.get("item")
            return f"{f'{item}.' if item else ''}{slot}={_value(value)}"
    raise AssertionError(operation)


def _value(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    if "relative" in value:
        return f"{value['relative']} {value['by']}" if "by" in value else str(value["relative"])
    if "candidates" in value:
        return f"{value['name']}?"
    return str(f"{value['bank']} {value['account']}" if not value.get("person", "x") else value["name"])
