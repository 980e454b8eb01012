"""What a way of shortcuts reports."""

from queue import SimpleQueue

from assistant.core.formats.key_combination import Combination, read_combination
from assistant.desktop.keyboard.shortcuts.way import Shortcut, ShortcutTrouble

LIMIT_S = 20


def shortcut(keys: str) -> Shortcut:
    """A shortcut with keys as in the settings."""
    found = read_combination(keys)
    assert found is not None
    return Shortcut("words", found)


class Recorder:
    """Takes changes and troubles.

    Attributes:
        told: what was reported, in order.
    """

    def __init__(self) -> None:
        self.told: SimpleQueue[tuple[str, bool] | tuple[ShortcutTrouble, str]] = SimpleQueue()

    def changed(self, name: str, down: bool) -> None:
        """Take a press or a release."""
        self.told.put((name, down))

    def troubled(self, trouble: ShortcutTrouble, keys: Combination | None) -> None:
        """Take a trouble."""
        self.told.put((trouble, str(keys)))

    def next(self) -> tuple[str, bool] | tuple[ShortcutTrouble, str]:
        """Wait for the next report."""
        return self.told.get(timeout=LIMIT_S)
