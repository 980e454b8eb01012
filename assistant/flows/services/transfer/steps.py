"""The execution step of the service: the one tool by which it acts."""

import asyncio
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, Final

from assistant.core.permissions import Category
from assistant.flows.services.transfer.bank import BankError, NoAnswerError, Order, SimulatedBank
from assistant.flows.services.transfer.state.models import Facts, TransferSlots
from assistant.flows.steps import UnknownOutcomeError
from assistant.tools.calling import RunningCall
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

SEND_MONEY: Final = "send_money"
_LIMIT_S: Final = 20.0


class BankSilentError(UnknownOutcomeError):
    """The bank did not answer, so nobody knows whether the transfer was made. ``key`` is that of the text."""

    def __init__(self, key: str) -> None:
        ToolError.__init__(self, key)


def send_money_tool(bank: SimulatedBank, now: Callable[[], datetime]) -> Tool:
    """The tool that transfers money at the simulated bank. The id of the call is the key of the transfer."""

    async def send_money(
        to: str, bank_name: str, account: str, amount: int, day: str, memo: str, from_account: str, call: RunningCall
    ) -> str:
        """Transfers money at a simulated bank. No real money moves.

        Args:
            to: name of the recipient.
            bank_name: the recipient's bank.
            account: number of the recipient's account.
            amount: the amount in won.
            day: the day, YYYY-MM-DD.
            memo: the text that the recipient sees; may be empty.
            from_account: number of the account that pays.
            call: the call that this serves.
        """
        del from_account  # The simulated bank has one account.
        try:
            order = Order(
                bank=bank_name, account=account, name=to, amount=amount, day=date.fromisoformat(day), memo=memo
            )
        except ValueError as error:
            raise ToolError("tool_reason.bank_invalid") from error
        try:
            booking = await asyncio.to_thread(bank.transfer, call.call.id, order, now())
        except BankError as error:
            raise ToolError(f"tool_reason.bank_{error.reason}") from error
        except NoAnswerError as error:
            raise BankSilentError("tool_reason.bank_no_answer") from error
        return f"The simulated bank has {booking.status} the transfer of {amount} won to {to}."

    return tool_of(send_money, category=Category.RESTRICTED, idempotent=False, reads_private=True, timeout_s=_LIMIT_S)


def arguments_of(slots: TransferSlots, facts: Facts) -> dict[str, Any]:
    """The arguments of the step for a complete transfer: exactly what the user is asked to confirm."""
    if slots.recipient is None or slots.amount is None:
        raise ValueError("the transfer is not complete")
    return {
        "to": slots.recipient.name,
        "bank_name": slots.recipient.bank,
        "account": slots.recipient.account,
        "amount": slots.amount,
        "day": (slots.date or facts.today).isoformat(),
        "memo": slots.memo,
        "from_account": facts.account,
    }
