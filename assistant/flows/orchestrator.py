"""Runs the turns of one service: session, intent, handler, errors, hooks (F-01, F-03 to F-05)."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import ValidationError

from assistant.agent.ending import message_of
from assistant.core.clock import Clock
from assistant.core.errors import SoriError, StorageError
from assistant.core.records.flows import FlowSession, FlowStanding
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.agents.runner import AgentRunner
from assistant.flows.context import ExecutionContext
from assistant.flows.events import EventType, FlowEvent
from assistant.flows.handler import AgentCall, ElsewhereError, HandlerParts, done_event
from assistant.flows.manifest import Manifest
from assistant.flows.memory import FlowMemory, MemoryManager
from assistant.flows.model import FlowModel
from assistant.flows.sessions import SessionStore
from assistant.flows.state import GENERAL, INIT, BaseState
from assistant.flows.steps import StepGate

log = logging.getLogger(__name__)

INTENT = "intent"
"""Name of the agent that finds the scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowTurn:
    """One message to a service.

    Attributes:
        session: id of the session.
        message: the user's message.
        language: the language of the answer, unless that of the user's words is known.
        model: the language model.
        steps: runs execution steps for this caller.
        metadata: what the caller knows of the message; see ``ExecutionContext``.
    """

    session: str
    message: str
    language: Language
    model: FlowModel
    steps: StepGate
    metadata: Mapping[str, Any] = field(default_factory=dict)


def make_error_event(error: Exception, texts: Texts) -> FlowEvent:
    """``ERROR``: what happened, in the user's words."""
    if isinstance(error, SoriError):
        payload = {"code": error.code.value, "message": message_of(error, texts)}
        return FlowEvent(EventType.ERROR, {**payload, "retryable": error.retryable})
    return FlowEvent(EventType.ERROR, {"code": "internal", "message": texts("flow.failed"), "retryable": True})


class CoreOrchestrator:
    """Runs the turns of one service. One turn of a session runs at a time; the caller sees to that.

    Args:
        manifest: the service.
        store: keeps its sessions.
        texts: Sori's texts.
        clock: tells the time.
        new_id: makes ids.
        on_error: makes the event of an error.
    """

    def __init__(
        self,
        manifest: Manifest,
        store: SessionStore,
        texts: Texts,
        clock: Clock,
        new_id: Callable[[], str],
        on_error: Callable[[Exception, Texts], FlowEvent] = make_error_event,
    ) -> None:
        self.manifest = manifest
        self._store, self._texts, self._clock, self._new_id, self._on_error = store, texts, clock, new_id, on_error
        self._shown: dict[str, str] = {}
        """The key of the proposal that each session was shown since Sori began. Who comes back after a crash may not
        have seen the stored one."""

    async def run(self, turn: FlowTurn) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message. The last event is ``DONE`` with the state, whatever happens. Hooks run after it.

        Raises:
            ElsewhereError: the message is not for this service; at most an agent's start and end came before.
            StorageError: the session cannot be read, so nothing was done.
        """
        context = await self._context(turn)
        payload: dict[str, Any] | None = None
        try:
            async with aclosing(self._events(context, turn)) as events:
                async for event in events:
                    if event.event is EventType.DONE:
                        payload = {**event.payload, "state_snapshot": context.state.model_dump(mode="json")}
                        event = FlowEvent(EventType.DONE, payload)
                    yield event
                    if payload is not None and context.state.proposal is not None:
                        self._shown[context.session] = context.state.proposal.key
        except ElsewhereError:
            raise
        except Exception as error:
            log.warning(
                "the service %s failed: %s", self.manifest.name, error, exc_info=not isinstance(error, SoriError)
            )
            failed = self._on_error(error, self._texts)
            yield failed
            payload = await self._after_failure(context, str(failed.payload["message"]))
            yield FlowEvent(EventType.DONE, payload)
        if payload is not None:
            await self._run_hooks(context, payload)

    async def reset(self, session: str) -> None:
        """Begin a session anew. The memory stays.

        Raises:
            StorageError: it could not be saved.
        """
        stored = await self._store.load(session, self.manifest.name)
        if stored is not None:
            await self._keep(session, self._new_state(), FlowMemory.model_validate(stored.memory))

    async def state(self, session: str, snapshot: Mapping[str, Any] | None = None) -> BaseState:
        """The state of a session, read unless its ``snapshot`` is known; a new one if the service was never used.

        Raises:
            StorageError: it cannot be read.
        """
        if snapshot is not None:
            return self._state_of(snapshot)
        stored = await self._store.load(session, self.manifest.name)
        return self._new_state() if stored is None else self._state_of(stored.state)

    def understands(self, stored: Mapping[str, Any]) -> bool:
        """Whether the service can go on from a stored state, which may be of another version of it."""
        try:
            self._state_of(stored)
        except ValidationError:
            return False
        return True

    async def _context(self, turn: FlowTurn) -> ExecutionContext[Any]:
        stored = await self._store.load(turn.session, self.manifest.name)
        state = self._new_state() if stored is None else self._state_of(stored.state)
        memory = FlowMemory() if stored is None else FlowMemory.model_validate(stored.memory)
        return ExecutionContext(
            session=turn.session,
            service=self.manifest.name,
            user_message=turn.message,
            state=state,
            memory=memory,
            language=memory.language(turn.message, turn.language),
            now=self._clock.now(),
            metadata=dict(turn.metadata),
            confirmable=_confirmable(state, turn.metadata, self._shown.get(turn.session, "")),
        )

    async def _events(self, context: ExecutionContext[Any], turn: FlowTurn) -> AsyncGenerator[FlowEvent, None]:
        parts = self._parts(turn)
        if not context.state.is_mid_flow:
            if context.state.stage != INIT:
                context.state = self._new_state()
            async for event in self._find_scenario(context, parts):
                yield event
        handler = self.manifest.handlers[self.manifest.router.route(context.state.scenario)](parts)
        done = False
        async with aclosing(handler.run(context)) as events:
            async for event in events:
                done = event.event is EventType.DONE
                yield event
        if not done:
            raise RuntimeError(f"the handler {type(handler).__name__} ended without DONE")

    async def _find_scenario(
        self, context: ExecutionContext[Any], parts: HandlerParts
    ) -> AsyncGenerator[FlowEvent, None]:
        """Ask the intent agent, if the service has one. If it fails, the scenario stays (F-03)."""
        if INTENT not in self.manifest.agents:
            return
        call = AgentCall(parts, context, INTENT, self._texts("flow.intent"))
        try:
            async for event in call.events():
                yield event
        except SoriError as error:
            log.warning("the intent is unknown, so the scenario %s stays: %s", context.state.scenario, error)
            return
        if call.result["scenario"] == GENERAL:
            raise ElsewhereError
        context.state = context.state.model_copy(update={"scenario": call.result["scenario"]})

    def _parts(self, turn: FlowTurn) -> HandlerParts:
        async def save(context: ExecutionContext[Any]) -> None:
            await self._keep(context.session, context.state, context.memory)

        return HandlerParts(
            agents=AgentRunner({name: make(turn.model) for name, make in self.manifest.agents.items()}),
            manager=self.manifest.manager,
            memory=MemoryManager(turn.model),
            messages=self.manifest.messages,
            texts=self._texts,
            save=save,
            steps=turn.steps,
            clock=self._clock,
            new_id=self._new_id,
        )

    async def _keep(self, session: str, state: BaseState, memory: FlowMemory) -> None:
        await self._store.save(
            FlowSession(
                session=session,
                service=self.manifest.name,
                standing=FlowStanding.ACTIVE if state.is_mid_flow else FlowStanding.OVER,
                state=state.model_dump(mode="json"),
                memory=memory.model_dump(mode="json"),
                changed_at=self._clock.now(),
            )
        )

    def _new_state(self) -> BaseState:
        return self.manifest.manager.state()

    def _state_of(self, stored: Mapping[str, Any]) -> BaseState:
        return self.manifest.manager.state.model_validate(stored)

    async def _after_failure(self, context: ExecutionContext[Any], message: str) -> dict[str, Any]:
        """The payload of ``DONE`` after an error. The state is that of the last save, so nothing half-done is kept."""
        if not context.saved:
            try:
                stored = await self._store.load(context.session, context.service)
                context.state = self._new_state() if stored is None else self._state_of(stored.state)
            except StorageError as error:
                log.warning("the session cannot be read after an error: %s", error)
        return {**done_event(context, message, action="ERROR").payload}

    async def _run_hooks(self, context: ExecutionContext[Any], payload: dict[str, Any]) -> None:
        """Run the server's part of the hooks, and what follows each turn. A failure is only logged (F-05)."""
        for hook in payload.get("hooks", ()):
            handler = self.manifest.hook_handlers.get(hook.get("type", ""))
            if handler is not None:
                await _logged(partial(handler, context, hook.get("data")), f"the hook {hook['type']}")
        if self.manifest.after_turn is not None:
            await _logged(partial(self.manifest.after_turn, context, payload), "after_turn")


def _confirmable(state: BaseState, metadata: Mapping[str, Any], shown: str) -> str:
    """The digest of what a message may confirm, if the user has seen it; a click has the digest of what was shown."""
    if state.proposal is None:
        return ""
    waits = state.proposal.digest
    if "digest" in metadata:
        return waits if metadata["digest"] == waits else ""
    may_confirm = "decision" in metadata or metadata.get("may_confirm", True)
    return waits if may_confirm and state.proposal.key == shown else ""


async def _logged(call: Callable[[], Awaitable[None] | None], name: str) -> None:
    try:
        result = call()
        if result is not None:
            await result
    except Exception as error:
        log.warning("%s failed: %s", name, error, exc_info=True)
