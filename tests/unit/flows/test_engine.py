"""The rules of guided flows, each on a small service: what code decides, what a model is asked, what is kept when."""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError, SoriError
from assistant.core.permissions import Category, Permissions
from assistant.core.records.flows import StepOutcome, StepStatus
from assistant.flows.context import ExecutionContext
from assistant.flows.events import EventType, FlowEvent
from assistant.flows.handler import ElsewhereError
from assistant.flows.messages import Messages
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.flows.steps import TurnSteps, at_most_once
from assistant.host.texts import load_texts
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import FakeClock
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.order import (
    DrinkFiller,
    Kitchen,
    OrderHandler,
    OrderIntent,
    OrderState,
    OrderTalk,
    order_manifest,
)
from tests.fakes.flows.stores import MemoryStore

TEXTS = load_texts("en")
ORDER = json.dumps({"scenario": "ORDER"})
COFFEE = json.dumps({"operations": [{"op": "set", "value": "coffee"}]})
TEA = json.dumps({"operations": [{"op": "set", "value": "tea"}]})
TALK = json.dumps({"action": "ASK", "message": "Which drink?"})
NOTHING = json.dumps({"operations": []})
ALL = Permissions(categories=frozenset(Category))


class Flow:
    """One session with the service."""

    def __init__(self, **more: Any) -> None:
        self.kitchen, self.store, self.clock = Kitchen(), MemoryStore(), FakeClock()
        self.model = ScriptedModel([])
        self.orchestrator = CoreOrchestrator(
            order_manifest(self.kitchen, **more), self.store, TEXTS, self.clock, new_id
        )

    async def say(
        self, text: str, *replies: str | Exception, permissions: Permissions = ALL, **metadata: Any
    ) -> list[FlowEvent]:
        self.model.replies = list(replies)
        tool = at_most_once(self.kitchen.tool, self.store, "order", TEXTS)
        steps = TurnSteps(
            runner=ToolRunner([tool], TEXTS, permissions=permissions),
            ledger=self.store,
            context=CallContext(conversation="s"),
        )
        turn = FlowTurn(session="s", message=text, language="en", model=self.model, steps=steps, metadata=metadata)
        events = [event async for event in self.orchestrator.run(turn)]
        assert self.model.replies == [], "the model was asked less often than scripted"
        assert events[-1].event is EventType.DONE
        assert events[-1].payload["state_snapshot"]["stage"]
        return events

    async def done(self, text: str, *replies: str | Exception, **metadata: Any) -> Mapping[str, Any]:
        return (await self.say(text, *replies, **metadata))[-1].payload

    async def ready(self) -> None:
        await self.say("order coffee", ORDER, COFFEE)


@pytest.fixture
def flow() -> Flow:
    return Flow()


async def test_a_request_is_understood_by_the_model_and_confirmed_and_executed_by_code(flow: Flow) -> None:
    asked = await flow.done("order coffee", ORDER, COFFEE)
    assert (asked["message"], asked["action"]) == ("Order coffee?", "CONFIRM")
    assert asked["confirm"]["arguments"] == {"drink": "coffee"}
    done = await flow.done("yes")  # No model is asked.
    assert done["message"] == "Ordered coffee. coffee comes"
    assert flow.kitchen.made == ["coffee"]


async def test_unclear_words_stay_at_ready_without_a_model(flow: Flow) -> None:
    await flow.ready()
    assert (await flow.done("maybe"))["state_snapshot"]["stage"] == "READY"
    assert flow.kitchen.made == []


async def test_a_confirmation_counts_only_at_ready(flow: Flow) -> None:
    await flow.done("order", ORDER, NOTHING, TALK)
    assert (await flow.done("yes", NOTHING, TALK))["message"] == "Which drink?"
    assert flow.kitchen.made == []


async def test_cancelling_asks_no_model_and_ends_the_flow(flow: Flow) -> None:
    await flow.ready()
    done = await flow.done("no")
    assert (done["message"], done["state_snapshot"]["stage"]) == ("Cancelled.", "CANCELLED")


async def test_a_change_at_ready_makes_a_new_proposal_and_the_former_one_is_void(flow: Flow) -> None:
    await flow.ready()
    changed = await flow.done("tea instead", TEA)
    assert changed["confirm"]["arguments"] == {"drink": "tea"}
    await flow.done("yes")
    assert flow.kitchen.made == ["tea"]


async def test_the_intent_is_not_looked_for_in_mid_flow(flow: Flow) -> None:
    await flow.ready()
    await flow.say("tea", TEA)
    assert [each.system.split("\n")[0] for each in flow.model.asked] == ["INTENT", "SLOTS", "SLOTS"]


async def test_a_failed_intent_keeps_the_scenario(flow: Flow) -> None:
    failure = SoriError(ErrorCode.NETWORK, "down")
    done = await flow.done("order coffee", failure, failure, COFFEE)
    assert (done["message"], done["state_snapshot"]["scenario"]) == ("Order coffee?", "DEFAULT")


async def test_general_conversation_is_given_back(flow: Flow) -> None:
    with pytest.raises(ElsewhereError):
        await flow.say("order in the court", json.dumps({"scenario": "GENERAL"}))
    assert flow.store.log == []


async def test_a_retry_is_told_with_its_number(flow: Flow) -> None:
    events = await flow.say("order coffee", "not json", ORDER, COFFEE)
    labels = [each.payload["label"] for each in events if each.event is EventType.AGENT_START]
    assert labels == ["Finding out what you want.", "Finding out what you want. Trying again. (1/1)", "reading"]


async def test_a_message_of_which_nothing_was_understood_reaches_the_next_agent_as_a_slot_error(flow: Flow) -> None:
    talk = json.dumps({"action": "ASK", "message": "Sorry?"})
    await flow.done("order blarg", ORDER, "¿", "¿", talk)
    assert "_unclear: not understood" in flow.model.asked[-1].system


async def test_a_reply_that_does_not_follow_its_schema_is_one_that_was_not_understood(flow: Flow) -> None:
    unfit = ProviderError(ErrorCode.INVALID_RESPONSE, "arguments.operations is missing", provider="fake")
    done = await flow.done("order blarg", ORDER, unfit, unfit, unfit)
    assert "_unclear: not understood" in flow.model.asked[-1].system
    assert done["message"] == OrderTalk.fallback_message["en"]


async def test_an_invalid_value_reaches_the_next_agent_as_a_slot_error(flow: Flow) -> None:
    beer = json.dumps({"operations": [{"op": "set", "value": "beer"}]})
    done = await flow.done("order beer", ORDER, beer, json.dumps({"action": "ASK", "message": "Coffee or tea?"}))
    assert done["state_snapshot"]["meta"]["slot_errors"] == {"drink": "no such drink"}
    assert "drink: no such drink" in flow.model.asked[-1].system


async def test_the_message_of_the_user_is_last_and_the_date_is_told(flow: Flow) -> None:
    await flow.ready()
    await flow.say("tea please", TEA)
    asked = flow.model.asked[-1]
    assert asked.messages[-1].text == "tea please"
    assert [each.role for each in asked.messages] == ["user", "assistant", "user"]
    assert "today: 2026-11-22" in asked.system


async def test_memory_is_saved_just_before_done(flow: Flow) -> None:
    await flow.ready()
    stored = flow.store.sessions["s", "order"]
    assert stored.memory["raw_history"] == [
        {"role": "user", "content": "order coffee"},
        {"role": "assistant", "content": "Order coffee?"},
    ]
    assert flow.store.log == ["save READY"]


async def test_a_reset_keeps_the_memory(flow: Flow) -> None:
    await flow.ready()
    await flow.orchestrator.reset("s")
    stored = flow.store.sessions["s", "order"]
    assert (stored.state["stage"], stored.state["drink"]) == ("INIT", "")
    assert stored.memory["raw_history"]


async def test_an_error_becomes_an_event_and_done_follows_with_the_last_saved_state(flow: Flow) -> None:
    await flow.ready()
    broken = ProviderError(ErrorCode.AUTHENTICATION, "no key", provider="acme")
    events = await flow.say("tea", broken)
    assert [each.event for each in events[-2:]] == [EventType.ERROR, EventType.DONE]
    assert events[-2].payload["code"] == "authentication"
    assert events[-1].payload["state_snapshot"]["drink"] == "coffee"


async def test_hooks_go_to_the_front_and_to_the_server_and_their_failure_changes_nothing() -> None:
    told: list[Any] = []

    def fails(_context: Any, _data: Any) -> None:
        raise OSError("the push service is down")

    async def after(_context: Any, payload: dict[str, Any]) -> None:
        told.append(payload["message"])

    flow = Flow(
        hook_handlers={"ordered": lambda _, data: told.append(data), "gone": fails},
        after_turn=after,
    )
    await flow.ready()
    done = await flow.done("yes")
    assert done["hooks"] == [{"type": "ordered", "data": {"drink": "coffee"}}]
    assert told == ["Order coffee?", {"drink": "coffee"}, "Ordered coffee. coffee comes"]
    await flow.ready()
    assert (await flow.done("no"))["message"] == "Cancelled."


class Meddler(DrinkFiller):
    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        context.state.drink = "poison"
        context.memory.raw_history.clear()
        context.metadata["decision"] = "confirm"
        return {"operations": []}


async def test_agents_change_nothing_by_their_context() -> None:
    flow = Flow(agents={"intent": OrderIntent, "slot_filler": Meddler, "talk": OrderTalk})
    await flow.done("order", ORDER, TALK)
    done = await flow.done("hm", TALK)
    assert done["state_snapshot"]["drink"] == ""
    assert len(flow.store.sessions["s", "order"].memory["raw_history"]) == 4


async def test_the_state_is_saved_before_a_step_and_the_step_is_noted_around_its_effect(flow: Flow) -> None:
    await flow.ready()
    flow.store.log.clear()
    await flow.done("yes")
    assert flow.store.log == ["save CONFIRMED", "begin order_drink", "end done", "save EXECUTED"]


async def test_a_step_runs_only_with_the_consent_to_exactly_its_arguments(flow: Flow) -> None:
    await flow.ready()
    stored = flow.store.sessions["s", "order"]
    stored.state["proposal"]["arguments"] = {"drink": "tea"}  # Not what the user has seen.
    assert (await flow.done("yes"))["message"].startswith("Failed")
    assert flow.kitchen.made == []


async def test_a_caller_without_the_permission_gets_nothing_done(flow: Flow) -> None:
    await flow.ready()
    assert (await flow.done("yes", permissions=Permissions(remote=True)))["message"].startswith("Failed")
    assert flow.kitchen.made == []


@pytest.mark.parametrize(("fault", "told"), [("refuses", "Failed"), ("silent", "Nobody knows.")])
async def test_a_failed_step_is_told_apart_from_one_of_unknown_outcome(flow: Flow, fault: str, told: str) -> None:
    await flow.ready()
    flow.kitchen.fault = fault
    assert (await flow.done("yes"))["message"].startswith(told)


async def test_a_step_that_was_begun_before_a_crash_is_not_repeated(flow: Flow) -> None:
    await flow.ready()
    key = flow.store.sessions["s", "order"].state["proposal"]["key"]
    stored = flow.store.sessions["s", "order"]
    stored.state.update(stage="CONFIRMED", executing=stored.state["proposal"], proposal=None)
    flow.store.steps[key] = StepOutcome(StepStatus.UNKNOWN)
    assert (await flow.done("hello"))["message"] == "Nobody knows."
    assert flow.kitchen.made == []


async def test_a_step_that_never_began_is_not_run_by_a_later_message(flow: Flow) -> None:
    await flow.ready()
    stored = flow.store.sessions["s", "order"]
    stored.state.update(stage="CONFIRMED", executing=stored.state["proposal"], proposal=None)
    assert (await flow.done("hello"))["message"] == "never begun"
    assert flow.kitchen.made == []


async def test_nothing_runs_when_it_cannot_be_noted(flow: Flow) -> None:
    await flow.ready()
    flow.store.full = True
    events = await flow.say("yes")
    assert events[-2].event is EventType.ERROR
    assert flow.kitchen.made == []


@pytest.mark.parametrize(
    ("value", "text"), [("커피", "커피를"), ("물", "물을"), ("차", "차를"), ("Tea", "Tea를"), ("“빵”", "“빵”을")]
)
def test_a_particle_fits_its_word(value: str, text: str) -> None:
    messages = Messages(ko={"a": "{x:을/를}"}, en={"a": "{x}"})
    assert messages("ko", "a", x=value) == text


@pytest.mark.parametrize(
    ("ko", "en"), [({"a": ""}, {}), ({"a": "{x}"}, {"a": "{y}"}), ({}, {"b": "b"}), ({"a": "{x:을/를}"}, {"a": "x"})]
)
def test_texts_that_differ_between_the_languages_are_refused(ko: dict[str, str], en: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="the message"):
        Messages(ko=ko, en=en)


@pytest.mark.parametrize(("field", "value"), [("steps", Kitchen().tool), ("steps", ("order_drink",)), ("uses", "time")])
def test_a_service_whose_steps_are_no_steps_cannot_be_made(field: str, value: Any) -> None:
    changed: dict[str, Any] = {field: value}
    with pytest.raises(TypeError, match=f"{field} of the service order must be a tuple"):
        replace(order_manifest(Kitchen()), **changed)


class Hasty(OrderHandler):
    async def run(self, context: ExecutionContext[OrderState]) -> AsyncGenerator[FlowEvent, None]:
        proposal = self._propose(context, "order_drink", {"drink": "tea"}, "")
        yield await self._done(context, (await self._execute(context, proposal)).status)


@pytest.mark.parametrize("before", ["", "order coffee"])
async def test_a_step_that_no_earlier_message_has_shown_is_not_confirmed(before: str) -> None:
    flow = Flow()
    if before:
        await flow.ready()
    flow.orchestrator.manifest.handlers["order"] = Hasty  # type: ignore[index]
    assert (await flow.done("yes", *(() if before else (ORDER,))))["message"] == StepStatus.REFUSED
    assert flow.kitchen.made == []


async def test_a_click_on_a_former_question_confirms_nothing(flow: Flow) -> None:
    await flow.ready()
    assert (await flow.done("", decision="confirm", digest="of another"))["message"].startswith("Failed")
    assert flow.kitchen.made == []
