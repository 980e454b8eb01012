"""A simulated bank: an account with a balance, limits and a history, and faults on demand. No money moves.

One SQLite file in the data folder of the service. A booking and the change of the balance are one transaction. Each
transfer has a key: the same key has the same outcome, and is booked at most once.
"""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

OPENING_BALANCE: Final = 1_000_000
"""Won in the account of a new simulated bank."""
SINGLE_LIMIT: Final = 2_000_000
"""Most won of one transfer."""
DAILY_LIMIT: Final = 5_000_000
"""Most won of one day."""
OWN_ACCOUNT: Final = "110-000-000001"
_RECENT: Final = 20
_SLOW_S: Final = 3.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS account (
    number TEXT PRIMARY KEY, balance INTEGER NOT NULL, single_limit INTEGER NOT NULL, daily_limit INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS transfer (
    key TEXT PRIMARY KEY, bank TEXT NOT NULL, account TEXT NOT NULL, name TEXT NOT NULL, amount INTEGER NOT NULL,
    day TEXT NOT NULL, memo TEXT NOT NULL, asked_at TEXT NOT NULL, status TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS fault (id INTEGER PRIMARY KEY, kind TEXT NOT NULL);
"""


class BankFault(StrEnum):
    """What goes wrong at the next transfer."""

    TIMEOUT_BEFORE = "timeout_before"
    """No answer, and nothing was booked."""
    TIMEOUT_AFTER = "timeout_after"
    """No answer, although the transfer was booked."""
    REFUSED = "refused"
    """The bank says no."""
    DOWN = "down"
    """The bank cannot be reached, so nothing was booked."""
    SLOW = "slow"
    """The answer takes seconds."""


class BookingStatus(StrEnum):
    """What became of a transfer."""

    BOOKED = "booked"
    SCHEDULED = "scheduled"
    """It is booked on its day; the money is set aside."""
    FAILED = "failed"


class BankError(Exception):
    """The bank has not made the transfer, and says so. ``reason`` is the key of a text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NoAnswerError(Exception):
    """The bank did not answer, so nobody knows whether the transfer was booked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order for a transfer.

    Attributes:
        bank: name of the recipient's bank.
        account: number of the recipient's account.
        name: the recipient's name.
        amount: the amount in won.
        day: the day on which it is booked.
        memo: the text that the recipient sees.
    """

    bank: str
    account: str
    name: str
    amount: int
    day: date
    memo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """A transfer in the history.

    Attributes:
        key: its key.
        order: what was ordered.
        status: what became of it.
        asked_at: when it was ordered, with time zone.
    """

    key: str
    order: Order
    status: BookingStatus
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView:
    """The account at one moment.

    Attributes:
        number: its number.
        balance: won in it.
        available: won that can be sent: without what is set aside for later days.
        single_limit: most won of one transfer.
        daily_limit: most won of one day.
        sent: won that are sent or set aside, by day, from today.
        recent: the newest transfers, the newest first.
    """

    number: str
    balance: int
    available: int
    single_limit: int
    daily_limit: int
    sent: dict[date, int]
    recent: tuple[Booking, ...]


class SimulatedBank:
    """The bank. Its methods block for milliseconds, and may be called from any thread.

    Args:
        path: the file; it is made when it does not exist.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def view(self, now: datetime) -> AccountView:
        """The account. What was to be booked until today is booked before."""
        with self._transaction() as rows:
            self._settle(rows, now.date())
            number, balance, single, daily = rows.execute(
                "SELECT number, balance, single_limit, daily_limit FROM account"
            ).fetchone()
            reserved = rows.execute(
                "SELECT COALESCE(SUM(amount), 0) FROM transfer WHERE status = ?", (BookingStatus.SCHEDULED,)
            ).fetchone()[0]
            sent = rows.execute(
                "SELECT day, SUM(amount) FROM transfer WHERE day >= ? AND status != ? GROUP BY day",
                (now.date().isoformat(), BookingStatus.FAILED),
            ).fetchall()
            recent = rows.execute("SELECT * FROM transfer ORDER BY rowid DESC LIMIT ?", (_RECENT,)).fetchall()
        return AccountView(
            number=number,
            balance=balance,
            available=balance - reserved,
            single_limit=single,
            daily_limit=daily,
            sent={date.fromisoformat(day): amount for day, amount in sent},
            recent=tuple(map(_booking, recent)),
        )

    def transfer(self, key: str, order: Order, now: datetime) -> Booking:
        """Carry out an order, at most once for its key.

        Args:
            key: the key of the order. The same key returns the booking that stands, and books nothing.
            order: the order.
            now: the time, with time zone.

        Raises:
            BankError: the bank refuses; nothing was booked.
            NoAnswerError: nobody knows whether it was booked.
        """
        if (made := self.find(key)) is not None:
            return made
        fault = self._next_fault()
        if fault is BankFault.DOWN:
            raise BankError("down")
        if fault is BankFault.REFUSED:
            raise BankError("refused")
        if fault is BankFault.TIMEOUT_BEFORE:
            raise NoAnswerError
        if fault is BankFault.SLOW:
            time.sleep(_SLOW_S)
        booking = self._book(key, order, now)
        if fault is BankFault.TIMEOUT_AFTER:
            raise NoAnswerError
        return booking

    def find(self, key: str) -> Booking | None:
        """The booking of a key; ``None`` if the bank has none."""
        with self._transaction() as rows:
            row = rows.execute("SELECT * FROM transfer WHERE key = ?", (key,)).fetchone()
        return None if row is None else _booking(row)

    def arrange(self, fault: BankFault) -> None:
        """Let a fault happen at the next transfer; several happen one after another."""
        with self._transaction() as rows:
            rows.execute("INSERT INTO fault (kind) VALUES (?)", (fault,))

    def _next_fault(self) -> BankFault | None:
        with self._transaction() as rows:
            row = rows.execute("SELECT id, kind FROM fault ORDER BY id LIMIT 1").fetchone()
            if row is None:
                return None
            rows.execute("DELETE FROM fault WHERE id = ?", (row[0],))
        return BankFault(row[1])

    def _book(self, key: str, order: Order, now: datetime) -> Booking:
        view = self.view(now)
        if order.amount < 1 or order.day < now.date():
            raise BankError("invalid")
        if order.amount > view.available:
            raise BankError("funds")
        if order.amount > view.single_limit or order.amount + view.sent.get(order.day, 0) > view.daily_limit:
            raise BankError("limit")
        status = BookingStatus.BOOKED if order.day == now.date() else BookingStatus.SCHEDULED
        with self._transaction() as rows:
            # Another thread may have booked since: the balance and the key are checked by the statements themselves.
            if status is BookingStatus.BOOKED:
                changed = rows.execute(
                    "UPDATE account SET balance = balance - :amount WHERE balance - :amount >= "
                    "(SELECT COALESCE(SUM(amount), 0) FROM transfer WHERE status = 'scheduled')",
                    {"amount": order.amount},
                )
                if not changed.rowcount:
                    raise BankError("funds")
            values = (key, order.bank, order.account, order.name, order.amount, order.day.isoformat(), order.memo)
            rows.execute(
                "INSERT INTO transfer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, now.isoformat(), status),
            )
        return Booking(key=key, order=order, status=status, asked_at=now)

    def _settle(self, rows: sqlite3.Connection, today: date) -> None:
        """Book what was set aside until today."""
        due = rows.execute(
            "SELECT key, amount FROM transfer WHERE status = ? AND day <= ?",
            (BookingStatus.SCHEDULED, today.isoformat()),
        ).fetchall()
        for key, amount in due:
            rows.execute("UPDATE account SET balance = balance - ?", (amount,))
            rows.execute("UPDATE transfer SET status = ? WHERE key = ?", (BookingStatus.BOOKED, key))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction. It is undone if anything is raised in it."""
        with closing(sqlite3.connect(self._path, timeout=5.0, isolation_level=None)) as rows:
            rows.execute("PRAGMA synchronous = FULL")
            rows.execute("BEGIN IMMEDIATE")
            try:
                self._prepare(rows)
                yield rows
            except BaseException:
                rows.execute("ROLLBACK")
                raise
            rows.execute("COMMIT")

    def _prepare(self, rows: sqlite3.Connection) -> None:
        if rows.execute("SELECT 1 FROM sqlite_master WHERE name = 'account'").fetchone():
            return
        for statement in _TABLES.split(";"):
            rows.execute(statement)
        rows.execute(
            "INSERT INTO account VALUES (?, ?, ?, ?)", (OWN_ACCOUNT, OPENING_BALANCE, SINGLE_LIMIT, DAILY_LIMIT)
        )


def _booking(row: tuple[str, str, str, str, int, str, str, str, str]) -> Booking:
    key, bank, account, name, amount, day, memo, asked_at, status = row
    order = Order(bank=bank, account=account, name=name, amount=amount, day=date.fromisoformat(day), memo=memo)
    return Booking(key=key, order=order, status=BookingStatus(status), asked_at=datetime.fromisoformat(asked_at))
