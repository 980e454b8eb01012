"""Dictation in the window's process: its key, what is typed, and the overlay (D-08)."""

from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import QElapsedTimer, QObject
from PySide6.QtGui import QGuiApplication

from assistant.core.service.requests.voice import HoldDictation, ToggleDictation, TypeDictation
from assistant.core.texts import Texts
from assistant.core.updates import DictationChanged, DictationStage, DictationUpdate, DictationWritten
from assistant.desktop.asking import WindowRequests
from assistant.desktop.dictation.overlay import DictationOverlay
from assistant.desktop.dictation.typist import Typist
from assistant.desktop.dictation.ways.way import TypingWay
from assistant.desktop.kit.theme import Theme
from assistant.desktop.microphone.talk_key import HOLD_MS


class WindowDictation(QObject):
    """Types for the engine.

    A key that is held dictates until it is released. A short press begins a dictation that goes on until the next one.

    Args:
        ask: sends requests.
        texts: the user's words.
        theme: colours.
        ways: the ways to type of this desktop.
    """

    def __init__(
        self, ask: WindowRequests, texts: Texts, theme: Theme, ways: Sequence[TypingWay], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._ask, self._texts, self._theme = ask, texts, theme
        self.typist = Typist(ways, QGuiApplication.clipboard(), self)
        self.typist.copied.connect(lambda: self.overlay.tell(texts("desktop.dictation.copied")))
        self.runs = False
        self._pressed = QElapsedTimer()
        self._ends = False
        """Whether the key was pressed to end a dictation."""

    @cached_property
    def overlay(self) -> DictationOverlay:
        """The overlay, made when it is first needed."""
        return DictationOverlay(self._texts, self._theme)

    def offer(self) -> None:
        """Offer the engine to type."""
        self._ask(TypeDictation(), otherwise=lambda _: None)

    def press(self, *, down: bool) -> None:
        """The key for dictation is pressed or released."""
        self.typist.hold(held=down)
        if down:
            self._pressed.start()
            self._ends = self.runs
            self._ask(HoldDictation(held=not self._ends))
        elif not self._ends and self._pressed.elapsed() >= HOLD_MS:
            self._ask(HoldDictation(held=False))

    def toggle(self) -> None:
        """Begin or end a dictation."""
        self._ask(ToggleDictation())

    def show_update(self, update: DictationUpdate) -> None:
        """Type what was dictated, and show what is heard."""
        match update:
            case DictationWritten():
                self.typist.take(update.erased, update.text)
            case DictationChanged():
                began, self.runs = not self.runs, update.stage is not DictationStage.OVER
                if began and self.runs:
                    self.typist.begin()
                self.overlay.show_dictation(update)

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        if self.runs:
            self.overlay.show_level(level_db)

    def close(self) -> None:
        """Give clipboard and keys back."""
        self.typist.close()
        if "overlay" in self.__dict__:
            self.overlay.close()
            self.overlay.deleteLater()
