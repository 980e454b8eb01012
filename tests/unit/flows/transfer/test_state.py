"""How the state of a transfer changes, for any operations in any order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.flows.services.transfer.reading.recipients import of_person
from assistant.flows.services.transfer.state.manager import TransferStateManager
from assistant.flows.services.transfer.state.models import Facts, Stage, TransferState
from assistant.flows.services.transfer.state.validity import problem_of
from assistant.flows.services.transfer.steps import SEND_MONEY, arguments_of
from assistant.flows.state import OVER, UNCLEAR, StepProposal
from assistant.flows.steps import digest_of
from tests.unit.flows.transfer.turns import NOW, PEOPLE

MANAGER = TransferStateManager()
FACTS = Facts(
    today=NOW.date(),
    now=NOW.isoformat(),
    account="110-0",
    balance=1_000_000,
    available=1_000_000,
    single_limit=700_000,
    daily_limit=900_000,
    sent={NOW.date().isoformat(): 100_000},
).model_dump(mode="json")
MOM, DAD = of_person(PEOPLE[0], "엄마"), of_person(PEOPLE[1], "아빠")
TWO_MEN = {"name": "김민수", "candidates": [of_person(PEOPLE[4]), of_person(PEOPLE[5])]}


def set_(slot: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"op": "set", "slot": slot, "value": value, **more}


def after(*operations: dict[str, Any], state: TransferState | None = None, **meta: Any) -> TransferState:
    """The state after each operation as a message of its own. At READY it is proposed, as the handler does."""
    state = state or TransferState()
    for operation in operations:
        state = proposed(MANAGER.apply(state, {"operations": [operation], "facts": FACTS, "_meta": meta}))
    return state


def proposed(state: TransferState) -> TransferState:
    if state.stage != Stage.READY or state.proposal is not None:
        return state
    arguments = arguments_of(state.slots, state.facts)
    proposal = StepProposal(
        step=SEND_MONEY,
        arguments=arguments,
        digest=digest_of(SEND_MONEY, arguments),
        key="k",
        text="?",
        made_at=NOW.isoformat(),
    )
    return state.model_copy(update={"proposal": proposal})


READY = (set_("recipient", MOM), set_("amount", 50_000))


def test_a_transfer_is_ready_when_recipient_and_amount_are_known() -> None:
    assert after(READY[0]).asked == "amount"
    assert after(READY[1]).asked == "recipient"
    assert after(*READY).stage == Stage.READY


@pytest.mark.parametrize(
    ("amount", "error"),
    [
        (0, "amount_minimum"),
        (-50_000, "amount_minimum"),
        (1_000_001, "amount_funds"),
        (700_001, "amount_single"),
        ({"relative": "times", "by": 2}, "amount_relative"),
        ({"relative": "less", "by": 5}, "amount_relative"),
    ],
)
def test_an_amount_that_is_not_allowed_is_told_and_asked_for_again(amount: Any, error: str) -> None:
    state = after(READY[0], set_("amount", amount))
    assert (state.stage, state.meta.slot_errors, state.asked) == (Stage.FILLING, {"amount": error}, "amount")
    assert state.slots.amount is None


def test_the_daily_limit_counts_what_was_sent_on_that_day() -> None:
    used = {**FACTS, "sent": {NOW.date().isoformat(): 600_000}}
    state = MANAGER.apply(after(READY[0]), {"operations": [set_("amount", 400_000)], "facts": used})
    assert (state.meta.slot_errors, state.errors["amount"]["limit"]) == ({"amount": "amount_daily"}, 300_000)
    tomorrow = [set_("amount", 400_000), set_("date", "2026-11-27")]
    assert MANAGER.apply(after(READY[0]), {"operations": tomorrow, "facts": used}).stage == Stage.READY


@pytest.mark.parametrize(
    ("slot", "value", "error"),
    [
        ("date", "2026-11-25", "date_past"),
        ("date", "2028-01-01", "date_far"),
        ("date", "soon", "date_impossible"),
        ("memo", "가" * 31, "memo_long"),
    ],
)
def test_a_day_or_a_memo_that_is_not_allowed_is_told(slot: str, value: str, error: str) -> None:
    state = after(*READY, set_(slot, value))
    assert (state.stage, state.meta.slot_errors) == (Stage.FILLING, {slot: error})


def test_relative_amounts_count_from_the_amount_before_or_from_the_balance() -> None:
    def amount_after(*operations: dict[str, Any]) -> tuple[int | None, str]:
        state = after(READY[0], *operations)
        return state.slots.amount, state.slots.basis

    assert amount_after(set_("amount", {"relative": "half"})) == (500_000, "half_of_balance")
    assert amount_after(READY[1], set_("amount", {"relative": "half"})) == (25_000, "half")
    assert amount_after(READY[1], set_("amount", {"relative": "more", "by": 5_000})) == (55_000, "")
    assert amount_after(set_("amount", {"relative": "more", "by": 5_000})) == (5_000, "")
    assert amount_after(READY[1], set_("amount", {"relative": "less", "by": 5_000})) == (45_000, "")
    assert amount_after(READY[1], set_("amount", {"relative": "times", "by": 2})) == (100_000, "")


def test_the_rest_is_what_the_other_transfers_leave() -> None:
    both = [
        {"op": "add", "recipient": MOM, "amount": 400_000},
        {"op": "add", "recipient": DAD, "amount": {"relative": "rest"}},
    ]
    state = MANAGER.apply(TransferState(), {"operations": both, "facts": FACTS})
    assert [each.amount for each in state.left] == [400_000, 600_000]


def test_a_name_of_several_people_and_a_name_of_nobody_are_asked_about() -> None:
    assert after(set_("recipient", TWO_MEN)).asked == "choice"
    unknown = after(set_("recipient", {"name": "영호"}))
    assert unknown.meta.slot_errors == {"recipient": "no_account"}
    account = {"name": "국민은행 12345678", "bank": "국민은행", "account": "12345678"}
    known = after(set_("recipient", account), state=unknown)
    assert known.slots.recipient is not None
    assert (known.slots.recipient.name, known.slots.recipient.bank) == ("영호", "국민은행")


def test_a_confirmation_counts_only_for_what_is_proposed_now() -> None:
    ready = after(*READY)
    assert ready.proposal is not None
    old = ready.proposal.digest
    changed = after(set_("amount", 40_000), state=ready)
    assert after({"op": "confirm", "digest": old}, state=changed).stage == Stage.READY
    assert changed.proposal is not None
    confirmed = after({"op": "confirm", "digest": changed.proposal.digest}, state=changed)
    assert confirmed.stage == Stage.CONFIRMED


def test_a_confirmation_with_a_change_beside_it_confirms_nothing() -> None:
    ready = after(*READY)
    state = MANAGER.apply(ready, {"operations": [{"op": "confirm"}, set_("amount", 1)], "facts": FACTS})
    assert state.stage == Stage.READY


def test_a_confirmation_does_not_count_when_the_money_is_gone_since() -> None:
    ready = after(*READY)
    poor = {**FACTS, "available": 10_000}
    state = MANAGER.apply(ready, {"operations": [{"op": "confirm"}], "facts": poor})
    assert (state.stage, state.meta.slot_errors) == (Stage.FILLING, {"amount": "amount_funds"})


@pytest.mark.parametrize("operation", [{"op": "confirm"}, {"op": "cancel"}, {"op": "executed", "outcome": "done"}])
def test_a_model_confirms_cancels_and_concludes_nothing(operation: dict[str, Any]) -> None:
    ready = after(*READY)
    assert after(operation, state=ready, source="model") == ready


def test_what_was_not_understood_becomes_a_slot_error_for_the_next_agent() -> None:
    state = MANAGER.apply(TransferState(), {"operations": [], "_meta": {"parse_error": True}})
    assert state.meta.slot_errors == {UNCLEAR: "unclear"}


def test_a_batch_goes_on_after_each_transfer_and_tells_its_progress() -> None:
    both = [{"op": "add", "recipient": each, "amount": 10_000} for each in (MOM, DAD)]
    state = proposed(MANAGER.apply(TransferState(), {"operations": both, "facts": FACTS}))
    assert (state.meta.batch_total, state.meta.batch_progress) == (2, 0)
    state = after({"op": "confirm"}, {"op": "executed", "outcome": "done"}, state=state)
    assert (state.stage, state.slots.recipient, state.meta.batch_progress) == (
        Stage.READY,
        state.finished[0].slots.recipient.model_copy(update=DAD) if state.finished[0].slots.recipient else None,
        1,
    )
    state = after({"op": "confirm"}, {"op": "executed", "outcome": "failed"}, state=state)
    assert (state.stage, [each.outcome for each in state.finished]) == (Stage.FAILED, ["done", "failed"])


def test_a_transfer_is_taken_out_of_a_batch_and_the_last_one_ends_it() -> None:
    both = [{"op": "add", "recipient": each, "amount": 10_000} for each in (MOM, DAD)]
    state = MANAGER.apply(TransferState(), {"operations": both, "facts": FACTS})
    one = after({"op": "remove", "item": 1}, state=state)
    assert one.slots.recipient is not None
    assert (one.slots.recipient.name, one.meta.batch_total) == ("아빠", 0)
    assert after({"op": "remove", "item": 1}, state=one).stage == Stage.CANCELLED
    assert after({"op": "remove", "item": 7}, state=state).left == state.left


def test_a_request_for_repeated_transfers_is_not_supported() -> None:
    state = after({"op": "reject", "slot": "date", "reason": "repeats"})
    assert state.stage == Stage.UNSUPPORTED


_ITEM = st.one_of(st.none(), st.integers(0, 4), st.just("all"))
_OPERATION = st.one_of(
    st.builds(
        lambda value, item: {"op": "set", "slot": "amount", "value": value, **({} if item is None else {"item": item})},
        st.one_of(
            st.integers(-10, 2_000_000),
            st.sampled_from(["half", "rest", "all", "same", "more", "less", "times", "x"]).map(
                lambda name: {"relative": name, "by": 3}
            ),
            st.text(max_size=3),
        ),
        _ITEM,
    ),
    st.builds(lambda value: set_("recipient", value), st.sampled_from([MOM, DAD, TWO_MEN, {"name": "영호"}, None, 3])),
    st.builds(lambda value: set_("date", value), st.sampled_from(["2026-11-26", "2026-12-01", "2020-01-01", "x", 5])),
    st.builds(lambda value: set_("memo", value), st.text(max_size=40)),
    st.builds(
        lambda slot: {"op": "clear", "slot": slot}, st.sampled_from(["recipient", "amount", "date", "memo", "x"])
    ),
    st.builds(
        lambda who, amount: {"op": "add", "recipient": who, "amount": amount},
        st.sampled_from([MOM, DAD]),
        st.integers(0, 800_000),
    ),
    st.builds(lambda item: {"op": "remove", "item": item}, _ITEM),
    st.sampled_from(
        [{"op": "confirm"}, {"op": "confirm", "digest": "old"}, {"op": "cancel"}, {"op": "begin"}, {"op": "?"}, {}]
    ),
    st.builds(lambda outcome: {"op": "executed", "outcome": outcome}, st.sampled_from(["done", "failed", "unknown"])),
)


@given(st.lists(st.lists(_OPERATION, min_size=1, max_size=3), max_size=12), st.booleans())
def test_confirmed_follows_only_a_lone_yes_to_a_valid_proposal(
    turns: list[list[dict[str, Any]]], by_model: bool
) -> None:
    state = TransferState()
    for operations in turns:
        delta = {"operations": operations, "facts": FACTS, "_meta": {"source": "model"} if by_model else {}}
        before, state = state, MANAGER.apply(state, delta)
        if state.stage == Stage.CONFIRMED and before.stage != Stage.CONFIRMED:
            assert not by_model
            assert before.stage == Stage.READY
            assert [each.get("op") for each in operations] == ["confirm"]
            assert before.proposal is not None
            assert before.proposal.arguments == arguments_of(state.slots, state.facts)
            assert problem_of(state.slots, state) is None
        if state.stage in {Stage.FILLING, *OVER}:
            assert state.proposal is None
        assert len(state.left) <= 10
        state = proposed(state)
        assert TransferState.model_validate(state.model_dump(mode="json")) == state
