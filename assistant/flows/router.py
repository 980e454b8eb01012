"""Which handler takes a turn (F-01)."""

from collections.abc import Mapping


class BaseFlowRouter:
    """Maps scenarios to the keys of handlers.

    Args:
        flows: the key by scenario.
        otherwise: the key for all other scenarios.
    """

    def __init__(self, flows: Mapping[str, str], otherwise: str) -> None:
        self._flows, self._otherwise = flows, otherwise

    def route(self, scenario: str) -> str:
        """The key of the handler."""
        return self._flows.get(scenario, self._otherwise)

    @property
    def keys(self) -> frozenset[str]:
        """All keys that it may answer."""
        return frozenset((*self._flows.values(), self._otherwise))
