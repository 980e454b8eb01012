"""The simulated bank books each key at most once, whatever goes wrong."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from assistant.flows.services.transfer.bank import (
    OPENING_BALANCE,
    BankError,
    BankFault,
    BookingStatus,
    NoAnswerError,
    Order,
    SimulatedBank,
)
from tests.unit.flows.transfer.turns import NOW

ORDER = Order(bank="국민은행", account="100-1", name="엄마", amount=50_000, day=NOW.date(), memo="용돈")


@pytest.fixture
def bank(tmp_path: Path) -> SimulatedBank:
    return SimulatedBank(tmp_path / "bank.db")


def test_a_transfer_is_booked_and_lowers_the_balance(bank: SimulatedBank) -> None:
    booking = bank.transfer("k", ORDER, NOW)
    view = bank.view(NOW)
    assert (booking.status, view.balance, view.recent[0].order) == (
        BookingStatus.BOOKED,
        OPENING_BALANCE - 50_000,
        ORDER,
    )


def test_the_same_key_has_the_same_outcome_and_is_booked_once(bank: SimulatedBank) -> None:
    first = bank.transfer("k", ORDER, NOW)
    again = bank.transfer("k", replace(ORDER, amount=90_000), NOW + timedelta(hours=1))
    assert (again, bank.view(NOW).balance) == (first, OPENING_BALANCE - 50_000)


@pytest.mark.parametrize(
    ("fault", "error", "booked"),
    [
        (BankFault.TIMEOUT_BEFORE, NoAnswerError, False),
        (BankFault.TIMEOUT_AFTER, NoAnswerError, True),
        (BankFault.REFUSED, BankError, False),
        (BankFault.DOWN, BankError, False),
    ],
)
def test_a_fault_happens_once_and_leaves_no_half_booking(
    bank: SimulatedBank, fault: BankFault, error: type[Exception], booked: bool
) -> None:
    bank.arrange(fault)
    with pytest.raises(error):
        bank.transfer("k", ORDER, NOW)
    assert (bank.find("k") is not None, bank.view(NOW).balance) == (booked, OPENING_BALANCE - 50_000 * booked)
    bank.transfer("k", ORDER, NOW)  # Asked again with its key, it is still one transfer.
    assert bank.view(NOW).balance == OPENING_BALANCE - 50_000


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (replace(ORDER, amount=OPENING_BALANCE + 1), "funds"),
        (replace(ORDER, amount=0), "invalid"),
        (replace(ORDER, day=date(2020, 1, 1)), "invalid"),
    ],
)
def test_the_bank_itself_refuses_what_is_not_allowed(bank: SimulatedBank, order: Order, reason: str) -> None:
    with pytest.raises(BankError) as refused:
        bank.transfer("k", order, NOW)
    assert (refused.value.reason, bank.find("k"), bank.view(NOW).balance) == (reason, None, OPENING_BALANCE)


def test_a_later_transfer_sets_the_money_aside_and_is_booked_on_its_day(bank: SimulatedBank) -> None:
    booking = bank.transfer("k", replace(ORDER, day=NOW.date() + timedelta(days=2)), NOW)
    view = bank.view(NOW)
    assert (booking.status, view.balance, view.available) == (
        BookingStatus.SCHEDULED,
        OPENING_BALANCE,
        OPENING_BALANCE - 50_000,
    )
    later = bank.view(NOW + timedelta(days=3))
    assert (later.balance, later.available, later.recent[0].status) == (
        OPENING_BALANCE - 50_000,
        OPENING_BALANCE - 50_000,
        BookingStatus.BOOKED,
    )


def test_another_process_sees_the_same_account(bank: SimulatedBank, tmp_path: Path) -> None:
    bank.transfer("k", ORDER, NOW)
    assert SimulatedBank(tmp_path / "bank.db").find("k") == bank.find("k")
