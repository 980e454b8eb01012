"""A dialogue with the transfer service, on the real engine, gate and simulated bank, with a scripted model."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from assistant.core.permissions import Category, Permissions
from assistant.core.records.people import Person
from assistant.core.settings import Language
from assistant.flows.events import EventType, FlowEvent
from assistant.flows.manifest import ServiceHome
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.flows.services.transfer.bank import SimulatedBank
from assistant.flows.services.transfer.manifest import manifest
from assistant.flows.steps import TurnSteps, at_most_once
from assistant.host.texts import load_texts
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import FakeClock
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.stores import MemoryStore
from tests.unit.flows.transfer.turns import NOW, PEOPLE

_texts = cache(load_texts)

_ALL = Permissions(categories=frozenset(Category))


def operations(*each: dict[str, Any]) -> str:
    """A model's reply as the slot filler."""
    return json.dumps({"operations": each})


def words(text: str) -> str:
    """A model's reply as the interaction agent."""
    return json.dumps({"action": "ASK", "message": text})


class Dialogue:
    """One session. ``restart`` is the end of the process: only what was saved is left."""

    def __init__(
        self, folder: Path, *, language: Language = "ko", people: Sequence[Person] = PEOPLE, now: datetime = NOW
    ) -> None:
        self.folder, self.language, self.people = folder, language, tuple(people)
        self.clock, self.store, self.model = FakeClock(now), MemoryStore(), ScriptedModel([])
        self.bank = SimulatedBank(folder / "bank.db")
        self.restart()

    def restart(self) -> None:
        self.service = manifest(ServiceHome(data=self.folder, clock=self.clock, people=self._known))
        texts = _texts(self.language)
        self.orchestrator = CoreOrchestrator(self.service, self.store, texts, self.clock, new_id)
        self.tools = [at_most_once(each, self.store, "transfer", texts) for each in self.service.steps]
        self.texts = texts

    async def _known(self) -> tuple[Person, ...]:
        return self.people

    async def events(
        self,
        message: str,
        *replies: str | Exception,
        permissions: Permissions = _ALL,
        strict: bool = True,
        **metadata: Any,
    ) -> list[FlowEvent]:
        self.model.replies = list(replies)
        steps = TurnSteps(
            runner=ToolRunner(self.tools, self.texts, permissions=permissions),
            ledger=self.store,
            context=CallContext(conversation="s"),
        )
        turn = FlowTurn(
            session="s", message=message, language=self.language, model=self.model, steps=steps, metadata=metadata
        )
        events = [event async for event in self.orchestrator.run(turn)]
        assert not strict or self.model.replies == [], "the model was asked less often than scripted"
        assert events[-1].event is EventType.DONE
        return events

    async def say(self, message: str, *replies: str | Exception, **metadata: Any) -> str:
        """The answer to a message."""
        done = (await self.events(message, *replies, **metadata))[-1].payload
        self.last = done
        return str(done["message"])

    @property
    def stage(self) -> str:
        return str(self.last["state_snapshot"]["stage"])

    @property
    def sent(self) -> list[tuple[str, int]]:
        """Who got how much, the oldest first."""
        return [(each.order.name, each.order.amount) for each in reversed(self.bank.view(self.clock.now()).recent)]

    @property
    def balance(self) -> int:
        return self.bank.view(self.clock.now()).balance

    def pass_time(self, **time: float) -> None:
        self.clock.advance(timedelta(**time).total_seconds())
