"""What a service declares, and what it is given (F-06)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from assistant.core.clock import Clock
from assistant.core.knowledge.files import ProjectChanges
from assistant.core.permissions import Category, Permissions
from assistant.core.records.conversations import TalkedAbout
from assistant.core.records.people import Person
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.agents.base import BaseAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.handler import BaseFlowHandler
from assistant.flows.messages import Messages
from assistant.flows.model import FlowModel
from assistant.flows.router import BaseFlowRouter
from assistant.flows.sessions import StepLedger
from assistant.flows.state import BaseStateManager
from assistant.flows.steps import at_most_once
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool

HookHandler = Callable[[ExecutionContext[Any], Any], Awaitable[None] | None]
"""Called with the turn and the data of a hook. A failure is logged and changes nothing."""
AfterTurn = Callable[[ExecutionContext[Any], dict[str, Any]], Awaitable[None] | None]
"""Called with the turn and the last payload, after each turn. A failure is logged and changes nothing."""


People = Callable[[], Awaitable[tuple[Person, ...]]]
"""Tells whom the user knows."""


async def nobody() -> tuple[Person, ...]:
    """Nobody, where no people are kept."""
    return ()


class RecentPast(Protocol):
    """Tells of the last days, in the workspace of a session alone. Errors are ``StorageError``."""

    async def talked_about(self, session: str, since: datetime) -> tuple[TalkedAbout, ...]:
        """The conversations in which something was said since a time, the newest first."""
        ...

    async def changes(self, session: str, since: datetime) -> tuple[ProjectChanges, ...]:
        """What has changed in the projects since a time, by name."""
        ...


class NoPast:
    """Implements ``RecentPast`` where nothing is kept."""

    async def talked_about(self, session: str, since: datetime) -> tuple[TalkedAbout, ...]:  # noqa: ARG002
        """Nothing was said."""
        return ()

    async def changes(self, session: str, since: datetime) -> tuple[ProjectChanges, ...]:  # noqa: ARG002
        """Nothing has changed."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceHome:
    """What a service is given when it is made. Everything else it reaches by steps, through the gate.

    Attributes:
        data: its own folder, which exists.
        clock: tells the time.
        people: the people whom the user knows, at this moment.
        past: what was said and what changed lately. Both are for the user, not for a remote caller.
    """

    data: Path
    clock: Clock
    people: People = nobody
    past: RecentPast = NoPast()  # noqa: RUF009 - it has no state


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A service.

    Attributes:
        name: its unique name, of the characters ``[a-z0-9_]``.
        titles: its name for the user, in each language.
        manager: changes its state.
        agents: makes its agents, by name. One with the name ``intent`` finds the scenario of a message that begins a
            flow.
        router: maps scenarios to handlers.
        handlers: the class of each handler, by key.
        messages: its texts.
        wants: whether a message outside of any flow may be for it, in code. What ``wants`` lets pass by mistake, the
            intent agent or the handler gives back with ``ElsewhereError``.
        insists: whether a message in mid-flow is certainly for it although it is a plain command too, such as "stop".
        recalls: whether a message right after its last answer asks only how its flow ended, or for the same once more.
            Then code says how it ended, because a small model would claim an outcome.
        steps: its own tools.
        uses: names of Sori's tools that it runs as steps.
        hook_handlers: called for the hooks of ``DONE``, by type.
        after_turn: called after each turn; ``None`` for nothing.
        safe_to_schedule: whether it may run at a time, while nobody is there: all its steps are safe ones.
    """

    name: str
    titles: Mapping[Language, str]
    manager: BaseStateManager[Any]
    agents: Mapping[str, Callable[[FlowModel], BaseAgent]]
    router: BaseFlowRouter
    handlers: Mapping[str, type[BaseFlowHandler[Any]]]
    messages: Messages
    wants: Callable[[str], bool]
    insists: Callable[[str], bool] = lambda _text: False
    recalls: Callable[[str], bool] = lambda _text: False
    steps: tuple[Tool, ...] = ()
    uses: tuple[str, ...] = ()
    hook_handlers: Mapping[str, HookHandler] = field(default_factory=dict)
    after_turn: AfterTurn | None = None
    safe_to_schedule: bool = False

    def gate(self, tools: ToolRunner, permissions: Permissions, ledger: StepLedger, texts: Texts) -> ToolRunner:
        """The gate of its steps. Each runs at most once, but for those that only read.

        Args:
            tools: the gate of all tools.
            permissions: those of the caller.
            ledger: keeps which steps have begun.
            texts: Sori's texts.
        """
        steps = [
            each if each.idempotent and each.category is Category.SAFE else at_most_once(each, ledger, self.name, texts)
            for each in (*tools.among(self.uses), *self.steps)
        ]
        return tools.of_steps(steps, permissions)

    def __post_init__(self) -> None:
        for name, values, kind in (("steps", self.steps, Tool), ("uses", self.uses, str)):
            if not isinstance(values, tuple) or not all(isinstance(each, kind) for each in values):
                raise TypeError(f"{name} of the service {self.name} must be a tuple of {kind.__name__}")
        if missing := sorted(self.router.keys - set(self.handlers)):
            raise ValueError(f"the service {self.name} has no handler for the flow {missing[0]!r}")
