"""Holding a key, or the microphone button, to talk (V-21)."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QWidget
from typing_extensions import override

HOLD_MS = 350
"""Time after which a pressed button is held to talk; a shorter press is a click."""

RELEASE_MS = 30
"""Time after which a released key counts as released. X11 repeats a held key as pairs of release and press, sent
together. Qt takes a pair for a repetition only if both have arrived when it reads the release."""


class TalkKey(QObject):
    """Emits ``held`` while the user holds the key in the window, or the button.

    A window that loses the keyboard gets no release, so its loss counts as one.

    Args:
        window: the window in which the key works.
        button: the button; a short press remains a click.
        key: the key's name as a user reads it, such as ``F9``.
    """

    held = Signal(bool)

    def __init__(self, window: QWidget, button: QAbstractButton, key: str) -> None:
        super().__init__(window)
        self._down = False
        self.use(key)
        self._button = button
        self._holding = QTimer(self, singleShot=True, interval=HOLD_MS)
        self._holding.timeout.connect(lambda: self._set(down=True))
        self._releasing = QTimer(self, singleShot=True, interval=RELEASE_MS)
        self._releasing.timeout.connect(lambda: self._set(down=False))
        self._window = window
        window.installEventFilter(self)
        button.installEventFilter(self)

    def use(self, key: str) -> None:
        """Work with this key from now on. A key that is held is released."""
        if self._down:
            self._set(down=False)
        self._key = Qt.Key[f"Key_{key}"]

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the key and the button."""
        if watched is self._button:
            return self._follow_button(event)
        if event.type() == QEvent.Type.WindowDeactivate:
            self._set(down=False)
        elif isinstance(event, QKeyEvent) and event.key() == self._key:
            if not event.isAutoRepeat() and event.type() in {QEvent.Type.KeyPress, QEvent.Type.KeyRelease}:
                self._follow_key(down=event.type() == QEvent.Type.KeyPress)
            return event.type() != QEvent.Type.ShortcutOverride
        return False

    def _follow_key(self, *, down: bool) -> None:
        if down:
            self._releasing.stop()
            self._set(down=True)
        else:
            self._releasing.start()

    def _follow_button(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self._holding.start()
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self._holding.stop()
            if self._down:
                self._set(down=False)
                self._button.setDown(False)
                return True  # no click
        elif event.type() == QEvent.Type.Hide:
            self._holding.stop()
            self._set(down=False)
        return False

    def _set(self, *, down: bool) -> None:
        if down is not self._down:
            self._down = down
            self.held.emit(down)
