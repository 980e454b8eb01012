"""Whether a request is certain, so that its answer may have effects."""

import asyncio
from collections.abc import Callable


class GoAhead:
    """The permission to have effects. Work on a probable request waits for it before its first effect.

    Args:
        given: whether the request is certain from the beginning.
    """

    def __init__(self, *, given: bool = False) -> None:
        self._given = asyncio.Event()
        self._then: list[Callable[[], None]] = []
        self.needed = asyncio.Event()
        """Set when the work waits for the permission."""
        if given:
            self._given.set()

    @property
    def given(self) -> bool:
        """Whether the request is certain."""
        return self._given.is_set()

    def give(self) -> None:
        """Permit effects from now on."""
        self._given.set()
        for act in self._then:
            act()
        self._then.clear()

    def then(self, act: Callable[[], None]) -> None:
        """Call ``act`` when the permission is given; at once, if it was."""
        if self.given:
            act()
        else:
            self._then.append(act)

    async def wait(self) -> None:
        """Wait until the request is certain."""
        if not self.given:
            self.needed.set()
            await self._given.wait()
