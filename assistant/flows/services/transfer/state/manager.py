"""The rules by which a transfer changes. Pure: all facts of the bank are in the state (F-02)."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, ClassVar

from pydantic import ValidationError

from assistant.flows.services.transfer.state.models import (
    Facts,
    FinishedTransfer,
    Recipient,
    Stage,
    TransferSlots,
    TransferState,
)
from assistant.flows.services.transfer.state.validity import problem_of
from assistant.flows.state import UNCLEAR, BaseState, BaseStateManager, Meta

_OF_A_MODEL = frozenset({"set", "clear", "add", "remove"})
"""What the operations of a model may be. A yes, a no and an outcome come from code alone."""
_OPEN = frozenset({Stage.INIT, Stage.FILLING, Stage.READY})
"""Stages in which a message may change slots."""
MOST_TRANSFERS = 10
"""Most transfers of one request."""


class TransferStateManager(BaseStateManager[TransferState]):
    """Applies operations. Each one that does not fit the state changes nothing."""

    state: ClassVar[type[BaseState]] = TransferState

    def apply(self, state: TransferState, delta: dict[str, Any]) -> TransferState:
        """The state after a message; see ``BaseStateManager.apply``.

        Besides ``operations``, a delta may hold the ``facts`` of the bank, and ``_meta.source`` that is ``model`` for
        what a model has extracted.
        """
        meta = delta.get("_meta") or {}
        if "facts" in delta:
            state = state.model_copy(update={"facts": Facts.model_validate(delta["facts"])})
        if state.stage == Stage.CONFIRMED:
            return self._concluded(state, delta)
        if state.stage not in _OPEN:
            return state
        operations = [each for each in delta.get("operations") or [] if isinstance(each, dict)]
        if meta.get("source") == "model":
            operations = [each for each in operations if each.get("op") in _OF_A_MODEL]
        if meta.get("parse_error"):
            return _with_error(state, UNCLEAR, "unclear")
        return self._changed(state, operations) if operations else state

    def _changed(self, state: TransferState, operations: list[dict[str, Any]]) -> TransferState:
        if any(each.get("op") == "cancel" for each in operations):
            return _closed(state, Stage.CANCELLED)
        if any(each.get("op") == "confirm" for each in operations):
            # A yes beside a change is no yes to what was shown.
            return self._confirmed(state, operations[0]) if len(operations) == 1 else state
        draft = _Draft(state)
        for operation in operations:
            draft.apply(operation)
        return draft.judged()

    def _confirmed(self, state: TransferState, operation: Mapping[str, Any]) -> TransferState:
        """READY becomes CONFIRMED, if the yes is to what is proposed now and that is still valid."""
        proposal = state.proposal
        if state.stage != Stage.READY or proposal is None:
            return state
        if operation.get("digest", proposal.digest) != proposal.digest:
            return state
        if problem_of(state.slots, state) is not None:
            return _Draft(state).judged()
        return state.model_copy(update={"stage": Stage.CONFIRMED})

    def _concluded(self, state: TransferState, delta: Mapping[str, Any]) -> TransferState:
        """After the execution: the next transfer of the batch, or the end."""
        operations = delta.get("operations") or []
        outcome = next((each.get("outcome") for each in operations if each.get("op") == "executed"), None)
        if any(each.get("op") == "retract" for each in operations):
            # The step certainly never began, so the user is asked anew.
            return state.model_copy(update={"stage": Stage.READY, "proposal": None})
        if outcome is None:
            return state
        finished = (*state.finished, FinishedTransfer(slots=state.slots, outcome=str(outcome)))
        return _next(state.model_copy(update={"finished": finished, "proposal": None}))


class _Draft:
    """The transfers while operations are applied."""

    def __init__(self, state: TransferState) -> None:
        self._state = state
        self._left = list(state.left)
        self._problems: dict[str, str] = {}
        self._gone: set[int] = set()
        self._asks = ""

    def apply(self, operation: Mapping[str, Any]) -> None:
        """Apply one operation to the transfers that it names; the present one by default."""
        kind = operation.get("op")
        if kind == "add":
            self._add(operation)
        elif kind == "remove":
            self._remove(operation.get("item"))
        elif kind == "ask":
            self._asks = str(operation.get("slot"))
        elif kind == "reject":
            self._problems[str(operation.get("slot"))] = f"{operation.get('slot')}_{operation.get('reason')}"
        elif kind in {"set", "clear"}:
            for at in self._places(operation.get("item")):
                self._set(at, str(operation.get("slot")), operation.get("value") if kind == "set" else None)

    def judged(self) -> TransferState:
        """The new state: FILLING while something is missing or wrong, else READY. What was proposed is void."""
        left = [each for at, each in enumerate(self._left) if at not in self._gone]
        if not left:
            done = any(each.outcome == "done" for each in self._state.finished)
            return _closed(self._state, Stage.EXECUTED if done else Stage.CANCELLED)
        state = self._state.model_copy(update={"slots": left[0], "task_queue": tuple(left[1:])})
        if self._problems.get("date") == "date_repeats" and self._state.stage == Stage.INIT:
            return _with_error(state, "date", "date_repeats", stage=Stage.UNSUPPORTED)
        return judged(state, self._problems, self._asks)

    def _places(self, item: Any) -> list[int]:
        there = [at for at in range(len(self._left)) if at not in self._gone]
        if item == "all":
            return there
        if item is None:
            return there[:1]
        # Numbers are those that the user knows: what is taken out moves the others only afterwards.
        at = item - self._state.number if isinstance(item, int) else -1
        return [at] if at in there else []

    def _add(self, operation: Mapping[str, Any]) -> None:
        first = self._left[0]
        empty = first.recipient is None and first.amount is None and not first.candidates and 0 not in self._gone
        if not empty:
            if len(self._left) + len(self._state.finished) >= MOST_TRANSFERS:
                self._problems["recipient"] = "too_many"
                return
            # What is said of the day and the memo later holds for one transfer, so it is not copied.
            self._left.append(TransferSlots())
        at = len(self._left) - 1
        for slot in ("recipient", "amount", "date", "memo"):
            if operation.get(slot) is not None:
                self._set(at, slot, operation[slot])

    def _remove(self, item: Any) -> None:
        self._gone.update(self._places(item))

    def _set(self, at: int, slot: str, value: Any) -> None:
        setters: dict[str, Callable[[int, Any], TransferSlots | None]] = {
            "recipient": self._with_recipient,
            "amount": self._with_amount,
            "date": self._with_date,
            "memo": lambda at, value: self._left[at].model_copy(update={"memo": str(value or "").strip()}),
        }
        setter = setters.get(slot)
        changed = setter(at, value) if setter is not None else None
        if changed is not None:
            self._left[at] = changed

    def _with_recipient(self, at: int, value: Any) -> TransferSlots | None:
        slots = self._left[at]
        if value is None:
            return slots.model_copy(update={"recipient": None, "candidates": ()})
        try:
            said = dict(value)
            candidates = tuple(Recipient.model_validate(each) for each in said.pop("candidates", ()))
            recipient = Recipient.model_validate(said)
        except (ValidationError, TypeError, ValueError):
            return None
        if candidates:
            return slots.model_copy(update={"recipient": None, "candidates": candidates})
        before = slots.recipient
        if before is not None and not before.is_known and not recipient.person and recipient.account:
            # The account of whom the user named before: 영호, then 국민은행 123-456-78901.
            recipient = recipient.model_copy(update={"name": before.name, "holder": recipient.holder or before.holder})
        return slots.model_copy(update={"recipient": recipient, "candidates": ()})

    def _with_amount(self, at: int, value: Any) -> TransferSlots | None:
        slots = self._left[at]
        if value is None:
            return slots.model_copy(update={"amount": None, "basis": ""})
        if isinstance(value, bool) or not isinstance(value, int | dict):
            return None
        if isinstance(value, int):
            return slots.model_copy(update={"amount": value, "basis": ""})
        amount, basis = self._relative(at, str(value.get("relative")), value.get("by"))
        if amount is None:
            self._problems["amount"] = "amount_relative"
            return slots.model_copy(update={"amount": None, "basis": ""})
        return slots.model_copy(update={"amount": amount, "basis": basis})

    def _relative(self, at: int, relative: str, by: Any) -> tuple[int | None, str]:
        """The amount that depends on another, and how it was found; ``None`` if there is no other."""
        amount, available = self._left[at].amount, self._state.facts.available
        others = sum(each.amount or 0 for place, each in enumerate(self._left) if place not in {at, *self._gone})
        step = by if isinstance(by, int) and not isinstance(by, bool) else 0
        previous = self._left[at - 1].amount if at else None
        match relative:
            case "half":
                return (amount // 2, "half") if amount is not None else (available // 2, "half_of_balance")
            case "half_of_balance":
                return available // 2, relative
            case "rest" | "all":
                return available - others, relative
            case "same":
                return previous if previous is not None else amount, ""
            case "more":
                return (amount or 0) + step, ""
            case "less" if amount is not None:
                return amount - step, ""
            case "times" if amount is not None:
                return amount * step, ""
        return None, ""

    def _with_date(self, at: int, value: Any) -> TransferSlots | None:
        if value is None:
            return self._left[at].model_copy(update={"date": None})
        try:
            day = date.fromisoformat(str(value))
        except ValueError:
            self._problems["date"] = "date_impossible"
            return None
        return self._left[at].model_copy(update={"date": day})


def judged(state: TransferState, problems: Mapping[str, str] | None = None, asks: str = "") -> TransferState:
    """The state with the stage, the errors and the progress that follow from its slots."""
    errors, filled = dict(problems or {}), dict[str, dict[str, Any]]()
    slots = state.slots
    asked = next(iter(errors), "" if asks not in {"date", "memo"} else asks)
    if not asked and (problem := problem_of(slots, state)) is not None:
        asked = problem.slot
        if problem.error:
            errors[problem.slot], filled[problem.slot] = problem.error, problem.values
        slots = problem.without(slots)
    total = len(state.finished) + len(state.left)
    return state.model_copy(
        update={
            "slots": slots,
            "stage": Stage.FILLING if asked else Stage.READY,
            "scenario": "TRANSFER",
            "asked": asked,
            "errors": filled,
            "proposal": None,
            "meta": Meta(slot_errors=errors, batch_total=total if total > 1 else 0, batch_progress=len(state.finished)),
        }
    )


def _next(state: TransferState) -> TransferState:
    if not state.task_queue:
        done = state.finished[-1].outcome == "done"
        return _closed(state, Stage.EXECUTED if done else Stage.FAILED)
    following, *queue = state.task_queue
    return judged(state.model_copy(update={"slots": following, "task_queue": tuple(queue)}))


def _closed(state: TransferState, stage: Stage) -> TransferState:
    meta = state.meta.model_copy(update={"slot_errors": {}, "batch_progress": len(state.finished)})
    return state.model_copy(update={"stage": stage, "proposal": None, "asked": "", "errors": {}, "meta": meta})


def _with_error(state: TransferState, slot: str, error: str, *, stage: Stage | None = None) -> TransferState:
    """The state with one more error. At READY what is proposed stays: nothing of it has changed."""
    after = stage or (Stage.READY if state.stage == Stage.READY else Stage.FILLING)
    meta = state.meta.model_copy(update={"slot_errors": {**state.meta.slot_errors, slot: error}})
    changes: dict[str, Any] = {"meta": meta, "stage": after, "scenario": "TRANSFER"}
    return state.model_copy(update=changes if stage is None else {**changes, "proposal": None})
