"""A service that orders a drink: one slot, a confirmation, one step. It follows the checklist in one file."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel

from assistant.core.permissions import Category
from assistant.flows.agents.conversational_agent import ConversationalAgent
from assistant.flows.agents.json_agent import IntentAgent, SlotFillerAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.events import FlowEvent
from assistant.flows.handler import CANCEL, CONFIRM, BaseFlowHandler
from assistant.flows.manifest import Manifest
from assistant.flows.messages import Messages
from assistant.flows.router import BaseFlowRouter
from assistant.flows.state import READY, UNCLEAR, BaseState, BaseStateManager
from assistant.flows.steps import StepFailedError, UnknownOutcomeError
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool

DRINKS = ("coffee", "tea")


class OrderState(BaseState):
    drink: str = ""


class OrderManager(BaseStateManager[OrderState]):
    state: ClassVar[type[BaseState]] = OrderState

    def apply(self, state: OrderState, delta: dict[str, Any]) -> OrderState:
        after = state.model_copy(deep=True)
        after.meta.slot_errors = {}
        if delta.get("_meta", {}).get("parse_error"):
            after.meta.slot_errors[UNCLEAR] = "not understood"
            return after
        for operation in delta["operations"]:
            match operation["op"]:
                case "set" if operation["value"] in DRINKS:
                    after.drink, after.stage, after.proposal = operation["value"], "FILLING", None
                case "set":
                    after.meta.slot_errors["drink"] = "no such drink"
                case "cancel":
                    after.stage, after.proposal = "CANCELLED", None
                case "confirm" if state.stage == READY:
                    after.stage = "CONFIRMED"
        if after.stage in {"INIT", "FILLING"}:
            after.stage = READY if after.drink else "FILLING"
        return after


MESSAGES = Messages(
    ko={
        "ask": "{drink:을/를} 시킬까요?",
        "done": "{drink:을/를} 시켰어요. {result}",
        "cancelled": "취소했어요.",
        "again": "다시 말해 주세요.",
        "failed": "못 시켰어요: {result}",
        "unknown": "시켰는지 모르겠어요.",
    },
    en={
        "ask": "Order {drink}?",
        "done": "Ordered {drink}. {result}",
        "cancelled": "Cancelled.",
        "again": "Say it again.",
        "failed": "Failed: {result}",
        "unknown": "Nobody knows.",
    },
)


class OrderIntent(IntentAgent):
    scenarios = ("ORDER", "GENERAL")
    system_prompt = "INTENT"

    def context_block(self, context: ExecutionContext[OrderState]) -> str:
        return ""


class DrinkFiller(SlotFillerAgent):
    system_prompt = "SLOTS"
    schema: ClassVar[dict[str, Any]] = {"type": "object"}

    def context_block(self, context: ExecutionContext[OrderState]) -> str:
        return f"today: {context.now:%Y-%m-%d}"


class Reply(BaseModel):
    action: str
    message: str


class OrderTalk(ConversationalAgent):
    system_prompt = "TALK"
    response_schema = Reply


class OrderHandler(BaseFlowHandler[OrderState]):
    async def run(self, context: ExecutionContext[OrderState]) -> AsyncGenerator[FlowEvent, None]:
        if context.state.executing is not None:
            outcome = await self._recovered(context)
            self._apply(context, {"operations": [{"op": "cancel"}]})
            yield await self._done(context, "never begun" if outcome is None else self._say(context, "unknown"))
            return
        word = self._decision(context, "yes".__eq__, "no".__eq__)
        if word == CANCEL:
            self._apply(context, {"operations": [{"op": "cancel"}]})
            yield await self._done(context, self._say(context, "cancelled"), hooks=[{"type": "gone", "data": 1}])
            return
        proposal = context.state.proposal
        if word == CONFIRM and proposal is not None:
            self._apply(context, {"operations": [{"op": "confirm"}]})
            outcome = await self._execute(context, proposal)
            context.state = context.state.model_copy(update={"stage": "EXECUTED"})
            drink = context.state.drink
            key = {"done": "done", "unknown": "unknown"}.get(outcome.status, "failed")
            text = self._say(
                context,
                key,
                **({} if key == "unknown" else {"result": outcome.text}),
                **({"drink": drink} if key == "done" else {}),
            )
            yield await self._done(context, text, hooks=[{"type": "ordered", "data": {"drink": drink}}])
            return
        if context.state.stage == READY and context.user_message in ("maybe", "yes"):
            yield await self._done(context, self._say(context, "ask", drink=context.state.drink))
            return
        call = self._call(context, "slot_filler", "reading")
        async for event in call.events():
            yield event
        self._apply(context, call.result)
        if context.state.stage == READY:
            text = self._say(context, "ask", drink=context.state.drink)
            self._propose(context, "order_drink", {"drink": context.state.drink}, text)
            yield await self._done(context, text, action="CONFIRM")
            return
        async for event in self._stream_agent_turn(context, "talk", "answering"):
            yield event


@dataclass(slots=True)
class Kitchen:
    """Makes drinks. ``fault``: ``""``, ``"refuses"`` or ``"silent"``."""

    made: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    fault: str = ""

    async def order(self, arguments: dict[str, Any], running: RunningCall) -> str:
        if self.fault == "refuses":
            raise StepFailedError("no milk")
        self.made.append(arguments["drink"])
        self.keys.append(running.call.id)
        if self.fault == "silent":
            raise UnknownOutcomeError("silence")
        return f"{arguments['drink']} comes"

    @property
    def tool(self) -> Tool:
        return Tool(
            name="order_drink",
            description="Order a drink.",
            parameters={
                "type": "object",
                "properties": {"drink": {"type": "string"}},
                "required": ["drink"],
                "additionalProperties": False,
            },
            category=Category.RESTRICTED,
            idempotent=False,
            run=self.order,
        )


def order_manifest(kitchen: Kitchen, **more: Any) -> Manifest:
    agents = {"intent": OrderIntent, "slot_filler": DrinkFiller, "talk": OrderTalk}
    return Manifest(
        name="order",
        titles={"ko": "주문", "en": "order"},
        manager=OrderManager(),
        agents=more.pop("agents", agents),
        router=BaseFlowRouter({"ORDER": "order"}, "order"),
        handlers={"order": OrderHandler},
        messages=MESSAGES,
        wants=lambda text: "order" in text or "시켜" in text,
        steps=(kitchen.tool,),
        **more,
    )
