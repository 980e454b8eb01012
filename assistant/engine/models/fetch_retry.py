"""Decides when a fetch that the network has failed is worth another attempt."""

from collections.abc import Callable

from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.setup.network import LOOK_S, RetryPause, has_route

NO_NETWORK = "error.model_no_network"


def may_pass(error: SoriError) -> bool:
    """Whether the same fetch may succeed later without the user: a server could not be reached, or broke off."""
    return error.message_key == NO_NETWORK


class FetchRetry:
    """Waits between the attempts of one fetch.

    Args:
        clock: waits.
        route: whether the system knows a way to other computers.
    """

    def __init__(self, clock: Clock, route: Callable[[], bool] = has_route) -> None:
        self._clock, self._route = clock, route
        self._failures = 0

    async def wait(self) -> None:
        """Wait after a failure: until the computer has a way to others again, or for a pause that grows."""
        self._failures += 1
        pause = RetryPause(self._failures, route=self._route())
        while True:
            await self._clock.sleep(LOOK_S)
            if pause.is_over(route=self._route()):
                break
        if pause.is_back:
            self._failures = 0
