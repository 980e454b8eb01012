"""Keeps sessions and steps in memory, as ``FlowStore`` does in the database."""

from dataclasses import dataclass, field

from assistant.core.errors import StorageError
from assistant.core.records.flows import FlowSession, FlowStanding, StepOutcome, StepStatus


@dataclass(slots=True)
class MemoryStore:
    """``SessionStore`` and ``StepLedger``. ``log`` has what was saved, in order; ``full`` lets every write fail."""

    sessions: dict[tuple[str, str], FlowSession] = field(default_factory=dict)
    steps: dict[str, StepOutcome] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    full: bool = False

    async def load(self, session: str, service: str) -> FlowSession | None:
        return self.sessions.get((session, service))

    async def save(self, session: FlowSession) -> None:
        self._write(f"save {session.state['stage']}")
        self.sessions[session.session, session.service] = session

    async def open_ones(self) -> tuple[FlowSession, ...]:
        return tuple(each for each in self.sessions.values() if each.standing is not FlowStanding.OVER)

    async def find(self, key: str) -> StepOutcome | None:
        return self.steps.get(key)

    async def begin(self, key: str, *, session: str, service: str, step: str, digest: str) -> bool:
        del session, service, digest
        self._write(f"begin {step}")
        if key in self.steps:
            return False
        self.steps[key] = StepOutcome(StepStatus.UNKNOWN)
        return True

    async def end(self, key: str, outcome: StepOutcome) -> None:
        self._write(f"end {outcome.status}")
        self.steps[key] = outcome

    async def forget(self, key: str) -> None:
        self._write("forget")
        self.steps.pop(key, None)

    def _write(self, what: str) -> None:
        if self.full:
            raise StorageError("sori.db", "disk full", message_key="storage_full")
        self.log.append(what)
