"""Guided flows in a conversation: events become packets, and what waits for a yes is asked (F-02, F-07)."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final

from assistant.agent.emitter import Emitter, OpenBlock
from assistant.agent.guided import Elsewhere, GuidedTurn
from assistant.agent.own_server import OwnServerUse
from assistant.agent.questions import TurnQuestions
from assistant.agent.state_container import StateContainer
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.machine.effects import Origin
from assistant.core.packets import AnswerDelta, FlowStep
from assistant.core.permissions import Category, Permissions
from assistant.core.records.flows import FlowButton, FlowHindered, FlowHindrance, FlowShown
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.claims import FlowClaims, OneDevice
from assistant.flows.events import EventType, FlowEvent
from assistant.flows.handler import CANCEL, CONFIRM, ElsewhereError
from assistant.flows.manifest import Manifest
from assistant.flows.model import FlowModel
from assistant.flows.orchestrator import FlowTurn
from assistant.flows.sessions import StepLedger
from assistant.flows.state import READY, BaseState
from assistant.flows.steering import calls_back, is_yes
from assistant.flows.steps import TurnSteps
from assistant.flows.super_orchestrator import Route, RouteWay, SuperOrchestrator
from assistant.llm.backend import ModelToolCall
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.auditing import CallContext
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.runner import ToolRunner

_DECISIONS: Final = {Reply.YES: CONFIRM, Reply.NO: CANCEL}


class HinderedError(Exception):
    """An offered flow does not go on here."""

    def __init__(self, hindered: FlowHindered) -> None:
        super().__init__(hindered.why)
        self.hindered = hindered


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowAnswering:
    """Implements ``GuidedFlows``.

    Attributes:
        services: routes messages to services.
        ledger: keeps which steps have begun.
        tools: the gate of all tools.
        model_for: gives the language model of a turn.
        texts: the user's words.
        language: gives the language of the user's texts.
        clock: tells the time.
        new_id: makes ids.
        tell: called with a conversation and what is shown of its flow, when that has changed.
        account: decides whether a flow that several devices share goes on here.
    """

    services: SuperOrchestrator
    ledger: StepLedger
    tools: ToolRunner
    model_for: Callable[[GuidedTurn], FlowModel]
    texts: Texts
    language: Callable[[], Language]
    clock: Clock
    new_id: Callable[[], str]
    tell: Callable[[str, FlowShown | None], None] = lambda _conversation, _flow: None
    account: FlowClaims = field(default_factory=OneDevice)
    _buttons: dict[str, tuple[FlowButton, ...]] = field(default_factory=dict, init=False)
    _told: set[str] = field(default_factory=set, init=False)
    """Conversations in which somebody far away was told that their flow waits here."""
    _warned: set[tuple[str, str]] = field(default_factory=set, init=False)
    """The flows of other devices of which the user was told what taking them over means."""

    def claims(self, conversation: str, text: str) -> bool:
        """Whether a message may be for a flow; see ``GuidedFlows``."""
        return self.services.may_route(conversation, text)

    def insists(self, conversation: str, text: str) -> bool:
        """Whether a message is certainly for the active flow; see ``GuidedFlows``."""
        active = self.services.active(conversation)
        return bool(active) and self.services.services[active].manifest.insists(text)

    async def answer(self, turn: GuidedTurn, emitter: Emitter, container: StateContainer) -> Elsewhere | None:
        """Answer a message; see ``GuidedFlows``."""
        route = self.services.route(turn.conversation, turn.text, turn.before)
        if route is None or (turn.scheduled and not self._may_be_scheduled(route, turn.text)):
            return Elsewhere()
        if route.way is RouteWay.GO_ON and self._is_only_here(route, turn) and not self._is_answer(turn):
            return await self._beside(route.service, turn, emitter, container)
        means_it = self.insists(turn.conversation, turn.text) or (turn.stops_nothing and route.way is RouteWay.OVER)
        if turn.is_command and not means_it:
            return Elsewhere()
        screen = _Screen(emitter, container, route.service)
        if words := await self._refusal(route, turn):
            screen.write(words)
            return None
        if route.way is RouteWay.LEAVE:
            return await self._left(route, turn, screen)
        try:
            await self._answer(route, turn, screen)
        except HinderedError as error:
            await self._put_aside(turn.conversation, route.service)
            screen.write(self._hindrance(error.hindered, route.service))
        except ElsewhereError:
            return await self._elsewhere(route, turn, screen)
        return None

    async def _elsewhere(self, route: Route, turn: GuidedTurn, screen: "_Screen") -> Elsewhere | None:
        """Let others answer a message that was not for the service."""
        if route.way is not RouteWay.GO_ON:
            return Elsewhere()
        if not self.services.active(turn.conversation):
            # The flow has ended itself, so nothing waits for the user, and the message may begin another one.
            return await self.answer(turn, screen.emitter, screen.container)
        await self.leave(turn.conversation)
        parked = self.texts("flow.parked", title=self._title(route.service))
        if self.services.route(turn.conversation, turn.text, turn.before) is None:
            return Elsewhere(parked)
        screen.write(parked)  # Another flow begins, which may ask at once.
        return await self.answer(turn, screen.emitter, screen.container)

    async def _refusal(self, route: Route, turn: GuidedTurn) -> str:
        """Why a service does nothing for a message; empty if it answers."""
        if self._is_only_here(route, turn):
            # The first question of such a service may already tell what only the user should read.
            if route.way is RouteWay.BEGIN:
                await turn.refer(self._title(route.service))
            waits = self._waits_in_app(route.service) if route.way is RouteWay.GO_ON else ""
            return " ".join(filter(None, (self.texts("flow.only_here"), waits)))
        return await self._over(turn, route.service) if route.way is RouteWay.OVER else ""

    def _is_only_here(self, route: Route, turn: GuidedTurn) -> bool:
        """Whether only the user at this computer may do this. Whoever asks may put such a flow aside."""
        remote = turn.profile.permissions.remote and route.way is not RouteWay.LEAVE
        return remote and not self._manifest(route.service).safe_to_schedule

    def _is_answer(self, turn: GuidedTurn) -> bool:
        """Whether a message is so short an answer that it can be meant for the active flow only."""
        return self.insists(turn.conversation, turn.text) or is_yes(turn.text) or calls_back(turn.text)

    async def _beside(
        self, service: str, turn: GuidedTurn, emitter: Emitter, container: StateContainer
    ) -> Elsewhere | None:
        """Let a message be answered as if no flow were active that goes on only at this computer, and tell of it once.

        A flow that may begin from afar puts that one aside.
        """
        conversation, told = turn.conversation, turn.conversation in self._told
        waits = "" if told else self._waits_in_app(service)
        self._told.add(conversation)
        route = self.services.route(conversation, turn.text, turn.before, beside=True)
        if route is None:
            return Elsewhere(waits)
        if not self._is_only_here(route, turn):
            await self.leave(conversation)
            return await self.answer(turn, emitter, container)
        _Screen(emitter, container, route.service).write(await self._refusal(route, turn))
        return None

    def _waits_in_app(self, service: str) -> str:
        return self.texts("flow.waits_in_app", title=self._title(service))

    async def _over(self, turn: GuidedTurn, service: str) -> str:
        """What a message is answered that nothing waits for."""
        title, conversation = self._title(service), turn.conversation
        if service not in self.services.parked(conversation):
            nothing = self.texts("flow.nothing_waits", title=title)
            if is_yes(turn.text):
                return nothing
            words = await self.services.last_words(conversation, service)
            ended = self.texts("flow.ended_with", words=words) if words else ""
            after = "flow.not_undone" if calls_back(turn.text) else "flow.begin_anew"
            return " ".join(filter(None, (nothing, ended, self.texts(after))))
        if device := (await self.account.place(conversation, service)).elsewhere:
            return self._hindrance(FlowHindered(why=FlowHindrance.ELSEWHERE, device=device), service)
        return self.texts("flow.waits_aside", title=title)

    async def _claimed(self, conversation: str, service: str, *, take_over: bool = False) -> None:
        """Return when a flow may go on here.

        Args:
            conversation: its conversation.
            service: its service.
            take_over: whether the user wants it taken from the device that goes on with it, if they were warned.

        Raises:
            HinderedError: it goes on elsewhere, or that cannot be found out.
            StorageError: it cannot be read whether it was offered.
        """
        hindered = await self.account.claim(
            conversation,
            service,
            self.services.services[service].understands,
            take_over=take_over and (conversation, service) in self._warned,
        )
        self._warned.discard((conversation, service))
        if hindered is not None:
            if hindered.why is FlowHindrance.ELSEWHERE:
                self._warned.add((conversation, service))
            raise HinderedError(hindered)

    async def _put_aside(self, conversation: str, service: str) -> None:
        """Let a flow wait that does not go on here now, so that the next message is for whoever it is for."""
        if self.services.active(conversation) == service:
            await self.services.park(conversation)
        await self.services.start()
        await self.show(conversation)

    def _hindrance(self, hindered: FlowHindered, service: str) -> str:
        """Why a flow does not go on here, and what helps, in the user's words."""
        return self.texts(f"flow.hindered.{hindered.why}", title=self._title(service), device=hindered.device)

    async def _left(self, route: Route, turn: GuidedTurn, screen: "_Screen") -> Elsewhere | None:
        """Put the active flow aside, and let general conversation answer the rest of the message."""
        await self.leave(turn.conversation)
        title, remote = self._title(route.service), turn.profile.permissions.remote
        if remote and not self._manifest(route.service).safe_to_schedule:
            parked = alone = self.texts("flow.parked_in_app", title=title)
        else:
            parked, alone = self.texts("flow.parked", title=title), self.texts("flow.parked_nothing", title=title)
        if route.rest:
            return Elsewhere(parked, route.rest)
        screen.write(alone)
        return None

    def _may_be_scheduled(self, route: Route, text: str) -> bool:
        """Whether nobody needs to be there: a scheduled request begins a safe flow, and goes on with no other.

        A request that comes back finds the flow that it began the last time, and begins it once more.
        """
        manifest = self._manifest(route.service)
        begins = route.way is RouteWay.BEGIN or (route.way is RouteWay.GO_ON and manifest.wants(text))
        return begins and manifest.safe_to_schedule

    def has_flow(self, conversation: str) -> bool:
        """Whether a flow goes on or waits in a conversation."""
        services = self.services
        return bool(services.active(conversation) or services.parked(conversation) or services.unknown(conversation))

    async def shown(self, conversation: str, state: BaseState | None = None) -> FlowShown | None:
        """What is shown of the flow of a conversation; ``None`` if it has none. See ``show``.

        Raises:
            StorageError: it cannot be read.
        """
        if active := self.services.active(conversation):
            state = state or await self.services.services[active].state(conversation)
            return self._shown(active, state, self._buttons.get(conversation, ()))
        elsewhere: FlowShown | None = None
        for parked in self.services.parked(conversation):
            place = await self.account.place(conversation, parked)
            if not place.elsewhere:
                return self._shown_parked(parked, place.began)
            if (conversation, parked) in self._warned:
                elsewhere = self._shown_elsewhere(parked, place.elsewhere)
        if elsewhere is not None:
            return elsewhere
        return self._shown_unknown(unknown) if (unknown := self.services.unknown(conversation)) else None

    async def leave(self, conversation: str) -> FlowShown | None:
        """Let the active flow of a conversation wait, and tell it.

        Raises:
            StorageError: it could not be saved.
        """
        await self.services.park(conversation)
        return await self.show(conversation)

    async def end(self, conversation: str) -> None:
        """End the flow of a conversation without carrying it out.

        Raises:
            SoriError: another device goes on with it, or that cannot be found out.
            StorageError: it could not be saved.
        """
        service = self.services.active(conversation) or next(iter(self.services.parked(conversation)), "")
        if service:
            try:
                await self._claimed(conversation, service)
            except HinderedError as error:
                raise _not_here(str(error), self._hindrance(error.hindered, service)) from error
            await self.services.drop(conversation, service)
            await self.show(conversation)
        elif self.services.unknown(conversation):
            raise _not_here("the service is not loaded", self.texts("flow.service_missing"))

    async def _answer(self, route: Route, turn: GuidedTurn, screen: "_Screen") -> None:
        """Play the turn. Where somebody can be asked about what waits for a yes, ask, and play the decision too."""
        questions = self._questions(route.service, turn, screen.emitter)
        payload = await self._play(route, turn, questions, screen, {})
        while payload.get("confirm") and turn.can_ask:
            reply = await self._confirmed(payload, questions, screen.emitter)
            decision = _DECISIONS.get(reply)
            if decision is None:
                screen.write(self.texts("flow.not_confirmed", title=self._title(route.service)))
                # The question is over, so its buttons stand elsewhere again.
                self._buttons[turn.conversation] = _buttons_of(payload)
                await self.show(turn.conversation)
                return
            metadata = {"decision": decision, "digest": payload["confirm"]["digest"]}
            payload = await self._play(Route(route.service, RouteWay.GO_ON), turn, questions, screen, metadata)

    async def _confirmed(self, payload: Mapping[str, Any], questions: TurnQuestions, emitter: Emitter) -> Reply:
        proposal = payload["confirm"]
        # What the answer has just told is not said a second time.
        told = proposal["text"] in payload["message"]
        text = self.texts("flow.ask") if told else proposal["text"]
        call = ModelToolCall(id=proposal["key"], name=proposal["step"], arguments=proposal["arguments"])
        block = emitter.open()
        try:
            return await questions.propose(FrozenCall.of(call), text, block)
        finally:
            block.close()

    async def _play(
        self,
        route: Route,
        turn: GuidedTurn,
        questions: TurnQuestions,
        screen: "_Screen",
        metadata: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        """Show the events of one message to a service. Returns the payload of ``DONE``."""
        flow_turn = FlowTurn(
            session=turn.conversation,
            message="" if metadata else turn.text,
            language=self.language(),
            model=self.model_for(turn),
            steps=self._steps(route.service, turn, questions),
            metadata={
                "may_confirm": _may_confirm(turn),
                "elsewhere": self.services.is_for_another(route.service, turn.text),
                "remote": turn.profile.permissions.remote and not turn.scheduled,
                **metadata,
            },
        )
        await self._claimed(turn.conversation, route.service, take_over=route.takes_over)
        payload: Mapping[str, Any] = {}
        try:
            async with aclosing(self.services.run(route, flow_turn)) as events:
                payload = await screen.show(events)
        finally:
            # The question has buttons of its own.
            buttons = () if turn.can_ask and payload.get("confirm") else _buttons_of(payload)
            await asyncio.shield(self._settled(turn.conversation, route.service, payload, buttons))
        return payload

    async def _settled(
        self, conversation: str, service: str, payload: Mapping[str, Any], buttons: tuple[FlowButton, ...]
    ) -> None:
        state = await self.services.settle(conversation, service, payload.get("state_snapshot"))
        self._buttons[conversation] = buttons
        self._told.discard(conversation)
        if await self.account.settled(conversation, service):
            await self.services.start()
            await self.show(conversation)
        else:
            await self.show(conversation, state)

    async def changed_elsewhere(self) -> None:
        """Look at the flows again, because another device has changed some, and tell where they stand.

        Raises:
            StorageError: they cannot be read.
        """
        before = self.services.sessions()
        await self.services.start()
        for conversation in before | self.services.sessions():
            await self.show(conversation)

    async def show(self, conversation: str, state: BaseState | None = None) -> FlowShown | None:
        """Tell what is shown of the flow of a conversation, and return it. ``state``: that of the active one, if known.

        Raises:
            StorageError: it cannot be read.
        """
        shown = await self.shown(conversation, state)
        if shown is None:
            self._buttons.pop(conversation, None)
        self.tell(conversation, shown)
        return shown

    def _steps(self, service: str, turn: GuidedTurn, questions: TurnQuestions) -> TurnSteps:
        allowed = turn.profile.permissions
        # A step is never offered to a model, and a restricted one always needs the user's yes.
        more = {Category.RESTRICTED} if Category.SENSITIVE in allowed.categories else set()
        permissions = Permissions(categories=allowed.categories | more, unasked=allowed.unasked, remote=allowed.remote)
        return TurnSteps(
            runner=self._manifest(service).gate(self.tools, permissions, self.ledger, self.texts),
            ledger=self.ledger,
            context=CallContext(conversation=turn.conversation, turn=turn.turn),
            attendant=_StepAttendant(questions) if turn.can_ask else None,
        )

    def _questions(self, service: str, turn: GuidedTurn, emitter: Emitter) -> TurnQuestions:
        steps = {step.name: step for step in self._manifest(service).steps}
        return TurnQuestions(
            turn=turn.turn,
            conversation=turn.conversation,
            can_ask=turn.can_ask,
            own_server=OwnServerUse(asyncio.Lock(), emitter, self.texts),
            waiting=turn.questions,
            new_id=self.new_id,
            clock=self.clock,
            texts=self.texts,
            emitter=emitter,
            category_of=lambda name: steps[name].category if name in steps else self.tools.category_of(name),
            server_of=lambda _: "",
        )

    def _manifest(self, service: str) -> Manifest:
        return self.services.services[service].manifest

    def _title(self, service: str) -> str:
        return self._manifest(service).titles[self.language()]

    def _shown(self, service: str, state: BaseState, buttons: tuple[FlowButton, ...]) -> FlowShown:
        stage = "flow.waits_for_yes" if state.stage == READY else "flow.under_way"
        return FlowShown(
            service=service,
            title=self._title(service),
            stage=self.texts(stage),
            done=state.meta.batch_progress,
            total=state.meta.batch_total,
            buttons=buttons,
        )

    def _shown_parked(self, service: str, began: str) -> FlowShown:
        title = self._title(service)
        go_on = FlowButton(label=self.texts("flow.go_on"), text=self.texts("flow.go_on_text", title=title))
        stage = self.texts("flow.began_on", device=began) if began else self.texts("flow.aside")
        return FlowShown(service=service, title=title, parked=True, stage=stage, buttons=(go_on,))

    def _shown_elsewhere(self, service: str, device: str) -> FlowShown:
        title = self._title(service)
        take = FlowButton(label=self.texts("flow.take_here"), text=self.texts("flow.take_here_text", title=title))
        stage = self.texts("flow.goes_on_at", device=device)
        return FlowShown(service=service, title=title, parked=True, stage=stage, buttons=(take,))

    def _shown_unknown(self, service: str) -> FlowShown:
        return FlowShown(service=service, title=service, parked=True, stage=self.texts("flow.service_missing"))


def _not_here(detail: str, words: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="flow_not_here", values={"words": words})


def _may_confirm(turn: GuidedTurn) -> bool:
    """Whether a yes in the message is one.

    A spoken one counts only as the answer to a question, which is guarded against Sori's own voice. That of a caller
    who may use safe tools only goes to the gate, which refuses and says where the step can be run.
    """
    is_answer = turn.own_words and not (turn.can_ask and turn.origin is Origin.VOICE)
    return is_answer or turn.profile.permissions.remote


def _buttons_of(payload: Mapping[str, Any]) -> tuple[FlowButton, ...]:
    return tuple(FlowButton(**each) for each in payload.get("buttons", ()))


class _StepAttendant(Attendant):
    """Asks about a step that the user has not confirmed in the flow."""

    def __init__(self, questions: TurnQuestions) -> None:
        self._questions = questions

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        block = self._questions.emitter.open()
        try:
            return await self._questions.confirm(call, reason, block, scope)
        finally:
            block.close()

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        """Nothing is shown: the flow tells what its step has done."""


class _Screen:
    """Turns the events of a flow into packets, and keeps the text of its answer."""

    def __init__(self, emitter: Emitter, container: StateContainer, service: str) -> None:
        self.emitter, self.container, self._service = emitter, container, service
        self._block: OpenBlock | None = None
        self._pending = ""

    async def show(self, events: AsyncGenerator[FlowEvent, None]) -> Mapping[str, Any]:
        """Show all events. Returns the payload of ``DONE``."""
        text = ""
        payload: Mapping[str, Any] = {}
        async for event in events:
            match event.event:
                case EventType.TOKEN:
                    text += event.payload["text"]
                    self._add(event.payload["text"])
                    continue
                case EventType.AGENT_START:
                    self.emitter.status("agent", event.payload["label"])
                case EventType.DONE:
                    payload = event.payload
                    if not text and payload["message"]:
                        self._add(payload["message"])
                case _:
                    pass
            self._close()
            self._step(event)
        return payload

    def write(self, text: str) -> None:
        """Show a text of the engine's own."""
        self._add(text)
        self._close()

    def _add(self, text: str) -> None:
        if self._block is None:
            self._block = self.emitter.open()
            self.container.begin_flow_answer(self._service)
        self.container.add_text(text)
        if not self._pending:
            # The letters of a whole reply come at once. They go on as one packet, when the loop has its turn.
            asyncio.get_running_loop().call_soon(self._flush)
        self._pending += text

    def _flush(self) -> None:
        if self._block is not None and self._pending:
            self._block.emit(AnswerDelta(turn_index=self._block.index, text=self._pending))
            self._pending = ""

    def _close(self) -> None:
        self._flush()
        if self._block is not None:
            self._block.close()
            self._block = None

    def _step(self, event: FlowEvent) -> None:
        block = self.emitter.open()
        block.emit(FlowStep(turn_index=block.index, event=event.event.value, payload=dict(event.payload)))
        block.close()
