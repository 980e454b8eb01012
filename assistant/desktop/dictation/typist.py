"""Types what was dictated into the program that has the keyboard (D-08)."""

import logging
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QClipboard

from assistant.desktop.dictation.pasting import Pasting
from assistant.desktop.dictation.ways.way import TypingError, TypingWay

log = logging.getLogger(__name__)

_LOOK_MS: Final = 30
"""Time between two looks whether the user has let go of the keys."""


class Typist(QObject):
    """Types changes one after another; those that wait become one.

    Args:
        ways: the ways of this desktop, best first. Where none works, the text is left in the clipboard.
        clipboard: the clipboard.
    """

    copied = Signal()
    """Nothing can be typed here; the text is in the clipboard."""

    def __init__(self, ways: Sequence[TypingWay], clipboard: QClipboard, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ways = list(ways)
        self._way: TypingWay | None = None
        self._pasting = Pasting(clipboard, self)
        self._pasting.done.connect(self._go_on)
        self._clipboard = clipboard
        self._erased, self._text, self._copied = 0, "", ""
        self._held = False
        self._looking = QTimer(self, interval=_LOOK_MS, singleShot=True)
        self._looking.timeout.connect(self._go_on)

    def begin(self) -> None:
        """Another dictation begins."""
        self._copied = ""

    @property
    def idle(self) -> bool:
        """Whether nothing is being typed or waits for it."""
        return not (self._pasting.runs or self._erased or self._text)

    def hold(self, *, held: bool) -> None:
        """The user holds the key for dictation: what is typed meanwhile would go to the shortcut."""
        self._held = held
        self._go_on()

    def take(self, erased: int, text: str) -> None:
        """Take a change at the cursor."""
        kept = len(self._text) - erased
        if kept >= 0:
            self._text = self._text[:kept] + text
        else:
            self._erased, self._text = self._erased - kept, text
        self._go_on()

    def close(self) -> None:
        """Give the clipboard and the keys back."""
        self._looking.stop()
        self._pasting.end()
        if self._way is not None:
            self._way.close()
            self._way = None

    def _go_on(self) -> None:
        if self._held or self._pasting.runs or self.idle:
            return
        while self._way is None and self._ways:
            self._start(self._ways[0])
        if self._way is None:
            self._copy()
            return
        try:
            self._type(self._way)
        except TypingError as error:
            log.warning("typing failed: %s", error)
            self._way.close()
            self._way = None
            self._ways.pop(0)
            self._go_on()

    def _start(self, way: TypingWay) -> None:
        try:
            way.start()
            self._way = way
        except TypingError as error:
            log.warning("cannot type: %s", error)
            way.close()
            self._ways.pop(0)

    def _type(self, way: TypingWay) -> None:
        if not way.is_free():
            self._looking.start()
            return
        erased, self._erased = self._erased, 0
        way.erase(erased)
        text, self._text = self._text, ""
        if not text:
            return
        if way.can_write(text):
            way.write(text)
        else:
            self._pasting.paste(text, way.paste)

    def _copy(self) -> None:
        """Leave all of the dictation in the clipboard."""
        kept = len(self._copied) - self._erased
        self._copied = self._copied[: max(kept, 0)] + self._text
        self._text, self._erased = "", 0
        self._clipboard.setText(self._copied)
        self.copied.emit()
