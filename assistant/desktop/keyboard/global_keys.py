"""Shortcuts that work while another program has the keyboard, where the desktop allows them (V-21)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from PySide6.QtCore import QObject, Signal

from assistant.core.formats.key_combination import Combination, read_combination
from assistant.core.settings import DesktopSettings
from assistant.core.texts import Texts
from assistant.desktop.keyboard.shortcuts.way import Shortcut, ShortcutTrouble, Way

TOGGLE, TALK, DICTATE, QUICK, READ = "toggle", "talk", "dictate", "quick", "read"
_HELD = frozenset({TALK, DICTATE})
"""Shortcuts that do something as long as they are held."""


class GlobalKeys(QObject):
    """Emits which shortcut is used, and ``failed`` with words that name another way.

    Args:
        texts: the user's texts; the desktop shows the descriptions of the shortcuts.
        settings: the wanted keys.
        ways: the ways of this desktop. The next one is tried where one is not available.
    """

    used = Signal(str)
    """A shortcut was pressed."""
    held = Signal(str, bool)
    """A shortcut that is held was pressed or released."""
    failed = Signal(str)

    def __init__(
        self, texts: Texts, settings: DesktopSettings, ways: Sequence[Way], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._texts = texts
        self._shortcuts = _shortcuts(texts, settings)
        self._ways = list(ways)
        self._way: Way | None = None

    def start(self) -> None:
        """Ask the desktop for the shortcuts; returns at once."""
        if self._shortcuts:
            self._try_next()

    def stop(self) -> None:
        """Give the shortcuts back."""
        if self._way is not None:
            self._way.stop()

    def _try_next(self) -> None:
        if self._ways:
            self._way = self._ways.pop(0)
            self._way.start(self._shortcuts, self._changed, self._troubled)
        else:
            self.failed.emit(self._texts(ShortcutTrouble.UNAVAILABLE.value))

    def _changed(self, name: str, down: bool) -> None:
        with suppress(RuntimeError):  # the window was deleted meanwhile
            if name in _HELD:
                self.held.emit(name, down)
            elif down:
                self.used.emit(name)

    def _troubled(self, trouble: ShortcutTrouble, keys: Combination | None) -> None:
        with suppress(RuntimeError):
            if trouble is ShortcutTrouble.UNAVAILABLE:
                self._try_next()
            else:
                self.failed.emit(self._texts(trouble.value, keys=str(keys)))


def _shortcuts(texts: Texts, settings: DesktopSettings) -> Mapping[str, Shortcut]:
    """The shortcuts that have keys."""
    wanted = {
        TOGGLE: (texts("desktop.shortcut.toggle"), settings.global_toggle),
        TALK: (texts("desktop.shortcut.talk"), settings.global_talk),
        DICTATE: (texts("desktop.shortcut.dictate"), settings.global_dictate),
        QUICK: (texts("desktop.shortcut.quick"), settings.global_quick),
        READ: (texts("desktop.shortcut.read"), settings.global_read),
    }
    return {
        name: Shortcut(words, keys)
        for name, (words, text) in wanted.items()
        if (keys := read_combination(text)) is not None
    }
