"""The current settings: the one place that holds them while Sori runs.

Code that needs a setting reads ``current`` at that moment. Code that builds something from a setting subscribes and
rebuilds it. No copies are kept, so a change takes effect from the next turn on, without a restart.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.core.listeners import Listeners
from assistant.core.settings import ModelFacts, Provider, Settings

Subscriber = Callable[[Settings], None]


class LiveSettings:
    """Holds the settings and notifies subscribers of each change. Use it on one thread.

    Args:
        written: the user's settings.
        in_file: what the settings file contained when they were read, without the options of a command; ``None`` if
            that is not known.

    Attributes:
        in_file: the same.
        written: the user's settings; ``change`` replaces them.
        current: the user's settings plus the providers and models that were found on this machine.
    """

    def __init__(self, written: Settings, *, in_file: Settings | None = None) -> None:
        self.in_file = in_file
        self.written = written
        self.current = written
        self._found: tuple[tuple[Provider, ...], tuple[ModelFacts, ...]] = ((), ())
        self._subscribers: Listeners[[Settings], None] = Listeners()

    def change(self, written: Settings) -> None:
        """Replace the user's settings. The providers and models that were found on this machine stay."""
        self.written = written
        self._renew()

    def find(self, providers: Sequence[Provider], models: Sequence[ModelFacts]) -> None:
        """Replace the providers found on this machine and the facts about their models."""
        self._found = tuple(providers), tuple(models)
        self._renew()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with the new settings after every change.

        Returns:
            A function that ends the subscription. It may be called again without effect.
        """
        return self._subscribers.add(subscriber)

    def _renew(self) -> None:
        providers, models = self._found
        written = self.written
        current = replace(written, providers=(*written.providers, *providers), models=(*written.models, *models))
        if current == self.current:
            return
        self.current = current
        self._subscribers.tell(current)
