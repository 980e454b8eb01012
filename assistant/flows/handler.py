"""The base of all handlers: the only place of a service that knows the order of agents and the branches (F-01)."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from assistant.core.clock import Clock
from assistant.core.records.flows import StepOutcome
from assistant.core.texts import Texts
from assistant.flows.agents.runner import AgentRunner
from assistant.flows.context import ExecutionContext
from assistant.flows.events import EventType, FlowEvent, agent_done, agent_start, token
from assistant.flows.memory import MemoryManager
from assistant.flows.messages import Messages
from assistant.flows.state import READY, BaseStateManager, StateT, StepProposal
from assistant.flows.steps import StepGate, digest_of
from assistant.tasks import TaskSupervisor

DoneTransform = Callable[[dict[str, Any]], dict[str, Any]]
"""Makes the payload of ``DONE`` from an agent's result."""

CONFIRM, CANCEL = "confirm", "cancel"
"""``ExecutionContext.metadata["decision"]`` of a user who answered a question, by a click or a word."""


class ElsewhereError(Exception):
    """The message is not for this service, and general conversation answers it.

    An open flow waits for the user to come back. A handler with nothing left to do saves its end before, and then the
    message may begin another flow.
    """


class WrongStepError(Exception):
    """A handler proposes a step that the service does not declare, or with arguments that its tool does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerParts:
    """What a handler uses in one turn.

    Attributes:
        agents: runs the service's agents.
        manager: changes the state.
        memory: keeps the memory short.
        messages: the service's texts.
        texts: Sori's texts.
        save: saves state and memory of a turn.
        steps: runs execution steps.
        clock: tells the time.
        new_id: makes the key of a step.
    """

    agents: AgentRunner
    manager: BaseStateManager[Any]
    memory: MemoryManager
    messages: Messages
    texts: Texts
    save: Callable[[ExecutionContext[Any]], Awaitable[None]]
    steps: StepGate
    clock: Clock
    new_id: Callable[[], str]


class AgentCall:
    """One run of an agent: iterate over its events, then read ``result``.

    Attributes:
        result: the agent's result, once all events were taken.
    """

    def __init__(self, parts: HandlerParts, context: ExecutionContext[Any], agent: str, label: str) -> None:
        self._parts, self._context, self._agent, self._label = parts, context, agent, label
        self.result: dict[str, Any] = {}

    async def events(self) -> AsyncGenerator[FlowEvent, None]:
        """``AGENT_START``, one more for each further try as it begins, and ``AGENT_DONE``.

        Raises:
            SoriError: the last try failed.
        """
        yield agent_start(self._agent, self._label)
        retries: asyncio.Queue[FlowEvent | None] = asyncio.Queue()

        def on_retry(agent: str, attempt: int, most: int, _: Exception) -> None:
            label = self._parts.texts("flow.retry", label=self._label, attempt=attempt, most=most)
            retries.put_nowait(agent_start(agent, label))

        async with TaskSupervisor() as tasks:
            work = tasks.start(
                self._parts.agents.run(self._agent, self._context, on_retry=on_retry),
                name=f"agent {self._agent}",
                handled=True,
            )
            work.add_done_callback(lambda _: retries.put_nowait(None))
            while (event := await retries.get()) is not None:
                yield event
            self.result = await work
        yield agent_done(self._agent)


class BaseFlowHandler(ABC, Generic[StateT]):
    """Runs the turns of one flow.

    Args:
        parts: what it uses in this turn.
    """

    def __init__(self, parts: HandlerParts) -> None:
        self._parts = parts

    @abstractmethod
    def run(self, context: ExecutionContext[StateT]) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message. The last event is ``DONE``, made by ``_done``.

        Raises:
            ElsewhereError: the message is not for this service.
            SoriError: an agent failed, or the state could not be saved.
        """

    def _say(self, context: ExecutionContext[StateT], key: str, /, **values: object) -> str:
        """A text of the service in the user's language."""
        return self._parts.messages(context.language, key, **values)

    def _decision(
        self,
        context: ExecutionContext[StateT],
        is_confirm: Callable[[str], bool],
        is_cancel: Callable[[str], bool],
    ) -> str:
        """What the user has decided, in code and before any model: ``CONFIRM``, ``CANCEL``, or nothing.

        While something waits for a yes, words are one only where the caller's words may confirm it.
        """
        if decision := context.metadata.get("decision"):
            return str(decision)
        if is_cancel(context.user_message):
            return CANCEL
        may = context.confirmable or context.state.stage != READY
        return CONFIRM if may and is_confirm(context.user_message) else ""

    def _buttons(self, context: ExecutionContext[StateT]) -> list[dict[str, str]]:
        """The buttons for a yes and a no; the service has the texts ``button_yes``, ``say_yes`` and those of no."""
        return [
            {"label": self._say(context, f"button_{which}"), "text": self._say(context, f"say_{which}")}
            for which in ("yes", "no")
        ]

    def _call(self, context: ExecutionContext[StateT], agent: str, label: str) -> AgentCall:
        """A run of an agent; ``label`` tells the user what it does."""
        return AgentCall(self._parts, context, agent, label)

    def _apply(self, context: ExecutionContext[StateT], delta: Mapping[str, Any]) -> None:
        """Change the state by what was understood. The manager alone decides how."""
        context.state = self._parts.manager.apply(context.state, dict(delta))
        context.saved = False

    async def _stream_agent_turn(
        self,
        context: ExecutionContext[StateT],
        agent: str,
        label: str,
        done_transform: DoneTransform | None = None,
    ) -> AsyncGenerator[FlowEvent, None]:
        """A whole turn of one agent: start, text, end, memory, ``DONE``."""
        yield agent_start(agent, label)
        result: dict[str, Any] = {}
        async for piece in self._parts.agents.run_stream(agent, context):
            if isinstance(piece, str):
                yield token(piece)
            else:
                result = piece
        yield agent_done(agent)
        payload = done_transform(result) if done_transform is not None else result
        yield await self._done(context, **payload)

    async def update_memory_and_save(self, context: ExecutionContext[StateT], answer: str) -> None:
        """Remember the turn, and save state and memory. Called just before ``DONE``.

        Raises:
            StorageError: they could not be saved.
        """
        context.memory = await self._parts.memory.add_turn(
            context.memory, context.user_message, answer, context.language
        )
        await self._save(context)

    async def _save(self, context: ExecutionContext[StateT]) -> None:
        await self._parts.save(context)
        context.saved = True

    async def _done(self, context: ExecutionContext[StateT], message: str, **payload: Any) -> FlowEvent:
        """``DONE``: memory and state are saved, and the state goes with it.

        Args:
            context: the turn.
            message: the answer.
            payload: what else the front end needs: ``action``, ``hooks``, ``buttons`` and others.

        Raises:
            StorageError: memory or state could not be saved.
        """
        await self.update_memory_and_save(context, message)
        return done_event(context, message, **payload)

    def _propose(
        self, context: ExecutionContext[StateT], step: str, arguments: dict[str, Any], text: str
    ) -> StepProposal:
        """Make what the user is asked to confirm. A former proposal is void, so its confirmation counts no more.

        Raises:
            WrongStepError: it could never run. Nobody should be asked about it.
        """
        proposal = self._proposal(context, step, arguments, text)
        context.state = context.state.model_copy(update={"proposal": proposal})
        context.saved = False
        return proposal

    async def _execute(self, context: ExecutionContext[StateT], proposal: StepProposal) -> StepOutcome:
        """Run a step, at most once. The gate asks about one that this message does not confirm, where it would ask.

        The state is saved before, so that after a crash the flow asks for the outcome and does not begin again.

        Raises:
            StorageError: the state could not be saved, so nothing ran.
        """
        context.state = context.state.model_copy(update={"proposal": None, "executing": proposal})
        await self._save(context)
        outcome = await self._parts.steps.run(proposal, consent=context.confirmable)
        context.state = context.state.model_copy(update={"executing": None})
        context.saved = False
        return outcome

    async def _read(self, context: ExecutionContext[StateT], step: str) -> StepOutcome:
        """Run a step that only reads, without arguments. A crash leaves nothing to recover, so nothing is saved."""
        return await self._parts.steps.run(self._proposal(context, step, {}))

    def _proposal(
        self, context: ExecutionContext[StateT], step: str, arguments: dict[str, Any], text: str = ""
    ) -> StepProposal:
        if wrong := self._parts.steps.why_never(step, arguments):
            raise WrongStepError(wrong)
        return StepProposal(
            step=step,
            arguments=arguments,
            digest=digest_of(step, arguments),
            key=self._parts.new_id(),
            text=text,
            made_at=context.now.isoformat(),
        )

    async def _recovered(self, context: ExecutionContext[StateT]) -> StepOutcome | None:
        """How the step ended that was running when Sori ended; ``None`` if it never began. It is not run again.

        Raises:
            StorageError: it cannot be read.
        """
        executing = context.state.executing
        outcome = None if executing is None else await self._parts.steps.outcome(executing.key)
        context.state = context.state.model_copy(update={"executing": None})
        context.saved = False
        return outcome


def done_event(context: ExecutionContext[Any], message: str, **payload: Any) -> FlowEvent:
    """``DONE`` with the state, which it always has, and with what waits for the user's yes."""
    state = context.state
    proposal = None if state.proposal is None else state.proposal.model_dump(exclude={"made_at"})
    return FlowEvent(
        EventType.DONE,
        {
            "action": "INFORM",
            "hooks": [],
            **payload,
            "service": context.service,
            "message": message,
            "confirm": proposal,
            "progress": {"done": state.meta.batch_progress, "total": state.meta.batch_total},
            "state_snapshot": state.model_dump(mode="json"),
        },
    )
