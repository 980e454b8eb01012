"""Whether a guided flow may go on here, where several devices share it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from assistant.core.records.flows import FlowHindered, FlowPlace


class FlowClaims(Protocol):
    """Decides on which device an offered flow goes on."""

    async def claim(
        self,
        session: str,
        service: str,
        understands: Callable[[Mapping[str, Any]], bool],
        *,
        take_over: bool = False,
    ) -> FlowHindered | None:
        """Let a flow go on here. Ask before every message to it, and call ``settled`` after it.

        Args:
            session: its session.
            service: its service.
            understands: whether the service can go on from a stored state.
            take_over: whether the user wants it taken from another device that goes on with it. That of one that was
                shut out is taken anyway. What that device has begun is never begun again: if it may be in the middle of
                something, the flow ends.

        Returns:
            Why it does not go on here; ``None`` if it may, as every flow that was never offered.

        Raises:
            StorageError: it cannot be read whether it was offered.
        """
        ...

    async def settled(self, session: str, service: str) -> bool:
        """Note that a message to a flow has been answered, and nothing goes on in it.

        Returns:
            Whether another device has ended the flow meanwhile.

        Raises:
            StorageError: it cannot be noted.
        """
        ...

    async def place(self, session: str, service: str) -> FlowPlace:
        """Where a flow comes from and goes on.

        Raises:
            StorageError: it cannot be read.
        """
        ...


class OneDevice:
    """Implements ``FlowClaims`` where there is no account: every flow goes on here."""

    async def claim(
        self,
        session: str,  # noqa: ARG002
        service: str,  # noqa: ARG002
        understands: Callable[[Mapping[str, Any]], bool],  # noqa: ARG002
        *,
        take_over: bool = False,  # noqa: ARG002
    ) -> FlowHindered | None:
        """It may go on."""
        return None

    async def settled(self, session: str, service: str) -> bool:  # noqa: ARG002
        """Nobody else ends it."""
        return False

    async def place(self, session: str, service: str) -> FlowPlace:  # noqa: ARG002
        """It has always been here."""
        return FlowPlace()
