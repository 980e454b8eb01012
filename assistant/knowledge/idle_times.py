"""When background work on the user's files may go on."""

from typing import Protocol


class IdleTimes(Protocol):
    """Tells when background work may go on."""

    async def free(self) -> None:
        """Wait until Sori neither answers nor speaks."""
        ...


class AlwaysIdle:
    """For a process that does nothing else."""

    async def free(self) -> None:
        """Wait for nothing."""
