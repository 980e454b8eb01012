"""The settings as they are now: the one place that holds them while Sori runs.

Whoever needs a setting reads ``current`` when it needs it. Whoever has built something from a setting subscribes and
rebuilds it. Nobody keeps a copy, so a change holds from the next turn on, without a restart.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.core.settings import ModelFacts, Provider, Settings

Told = Callable[[Settings], None]


class LiveSettings:
    """Holds the settings, and tells subscribers of each change. Lives on one thread.

    Args:
        written: what the user has written.

    Attributes:
        written: what the user has written; ``change`` replaces it.
        current: the same, with the providers and models that were found on this machine.
    """

    def __init__(self, written: Settings) -> None:
        self.written = written
        self.current = written
        self._found: tuple[tuple[Provider, ...], tuple[ModelFacts, ...]] = ((), ())
        self._subscribers: list[Told] = []

    def change(self, written: Settings) -> None:
        """Replace what the user has written. What was found on this machine stays."""
        self.written = written
        self._renew()

    def find(self, providers: Sequence[Provider], models: Sequence[ModelFacts]) -> None:
        """Replace what was found on this machine: servers, and what they tell of their models."""
        self._found = tuple(providers), tuple(models)
        self._renew()

    def subscribe(self, told: Told) -> Callable[[], None]:
        """Tell ``told`` of every change from now on, with the new settings.

        Returns:
            Ends the subscription; harmless when it has ended.
        """
        self._subscribers.append(told)

        def end() -> None:
            if told in self._subscribers:
                self._subscribers.remove(told)

        return end

    def _renew(self) -> None:
        providers, models = self._found
        written = self.written
        current = replace(written, providers=(*written.providers, *providers), models=(*written.models, *models))
        if current == self.current:
            return
        self.current = current
        for told in tuple(self._subscribers):
            told(current)
