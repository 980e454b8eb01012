"""What every kind of desktop gives: shortcuts that work in all windows (V-21)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from assistant.core.formats.key_combination import Combination


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A wanted shortcut: its description for the user, and its keys."""

    words: str
    keys: Combination


class ShortcutTrouble(Enum):
    """Why a shortcut does not work. The value is the key of its text."""

    UNAVAILABLE = "desktop.shortcut.unavailable"
    """The desktop gives no shortcuts."""
    REFUSED = "desktop.shortcut.refused"
    """The user or the desktop has refused them."""
    TAKEN = "desktop.shortcut.taken"
    """Another program has the keys."""
    NO_KEY = "desktop.shortcut.no_key"
    """The keyboard has no such key."""


OnChange = Callable[[str, bool], None]
"""Takes the name of a shortcut, and whether it is pressed. A press that is held is reported once."""
OnTrouble = Callable[[ShortcutTrouble, Combination | None], None]
"""Takes the keys that do not work; ``None`` if none do."""


class Way(Protocol):
    """A kind of desktop. Functions are called on any thread."""

    def start(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        """Bind shortcuts by their names; returns at once. Called in Qt's thread, at most once."""

    def stop(self) -> None:
        """Give the shortcuts back. A key that is held counts as released."""


class Presses:
    """Reports each press and each release once: a held key repeats, and its release may be lost.

    Args:
        on_change: takes what has changed.
    """

    def __init__(self, on_change: OnChange) -> None:
        self._on_change = on_change
        self._down = set[str]()

    def set(self, name: str, *, down: bool) -> None:
        """Report a change of a shortcut, if it is one."""
        if down is not (name in self._down):
            self._down ^= {name}
            self._on_change(name, down)

    def release_all(self) -> None:
        """Release what is held, as nothing more is heard of it."""
        for name in sorted(self._down):
            self.set(name, down=False)
