"""What keeps the sessions of services, so that a flow goes on after a crash where it was (F-01)."""

from typing import Protocol

from assistant.core.records.flows import FlowSession, StepOutcome


class SessionStore(Protocol):
    """Keeps sessions. All errors are ``StorageError``."""

    async def load(self, session: str, service: str) -> FlowSession | None:
        """The session; ``None`` if the service was never used in it."""
        ...

    async def save(self, session: FlowSession) -> None:
        """Keep a session durably, in place of its former form."""
        ...

    async def open_ones(self) -> tuple[FlowSession, ...]:
        """All sessions that are active or parked, the one changed last first."""
        ...


class StepLedger(Protocol):
    """Keeps which steps have begun and how they ended. All errors are ``StorageError``."""

    async def find(self, key: str) -> StepOutcome | None:
        """The outcome under this key, ``UNKNOWN`` for a step that has not ended; ``None`` if it has not begun."""
        ...

    async def begin(self, key: str, *, session: str, service: str, step: str, digest: str) -> bool:
        """Note durably that a step begins. Returns whether it had not begun before.

        Raises:
            UnclaimedFlowError: the flow was offered to other devices and must be claimed first.
        """
        ...

    async def end(self, key: str, outcome: StepOutcome) -> None:
        """Note durably how it ended."""
        ...

    async def forget(self, key: str) -> None:
        """Forget a step that did not run after all."""
        ...
