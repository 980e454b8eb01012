"""Shows a dictation over all programs: the level, and what is heard (D-08)."""

from html import escape

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout

from assistant.core.texts import Texts
from assistant.core.updates import DictationChanged, DictationStage
from assistant.desktop.kit.floating import FloatingPanel
from assistant.desktop.kit.level_bars import LevelBars
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

_TOLD_MS = 5_000
"""Time for which the reason of a dictation that cannot be is shown."""
_WIDTH = 460
_MOST_LETTERS = 140
"""Letters of what is heard that are shown, the newest ones."""


class DictationOverlay(FloatingPanel):
    """Ignores the mouse, and is gone by itself.

    Args:
        texts: the user's words.
        theme: colours.
    """

    def __init__(self, texts: Texts, theme: Theme) -> None:
        super().__init__(passes_clicks=True)
        self._texts, self._theme = texts, theme
        self.setAccessibleName(texts("desktop.dictation.name"))
        self.bars = LevelBars(theme, texts("desktop.composer.level"))
        self.words = PlainLabel()
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.words.setFixedWidth(_WIDTH)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 12, 18, 12)
        row.setSpacing(14)
        row.addWidget(self.bars, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        self._leaving = QTimer(self, singleShot=True, interval=_TOLD_MS)
        self._leaving.timeout.connect(self.hide)

    def show_dictation(self, changed: DictationChanged) -> None:
        """Show how far a dictation is."""
        self.bars.set_live(live=changed.stage is DictationStage.LISTENING)
        if changed.stage is DictationStage.OVER:
            if changed.trouble:
                self.tell(changed.trouble)
            elif not self._leaving.isActive():
                self.hide()
            return
        self._leaving.stop()
        if changed.stage is DictationStage.READING:
            self._write(_dim(self._texts("desktop.dictation.reading"), self._theme))
        elif changed.heard:
            self._write(_heard(changed.heard, changed.stable, self._theme))
        else:
            again, first = self._texts("desktop.dictation.unheard"), self._texts("desktop.dictation.listening")
            self._write(_dim(again if changed.unheard else first, self._theme))

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        self.bars.show_level(level_db)

    def tell(self, words: str) -> None:
        """Show words for a few seconds."""
        self.bars.set_live(live=False)
        self._write(f'<span style="color: {self._theme.colors.warning}">{escape(words)}</span>')
        self._leaving.start()

    def _write(self, rich: str) -> None:
        self.words.setText(rich)
        self.float()


def _dim(words: str, theme: Theme) -> str:
    return f'<span style="color: {theme.colors.dim}">{escape(words)}</span>'


def _heard(text: str, stable: int, theme: Theme) -> str:
    """The newest words; those that may still change are dim."""
    left_out = max(0, len(text) - _MOST_LETTERS)
    settled, rest = text[left_out : max(stable, left_out)], text[max(stable, left_out) :]
    return f"{'…' if left_out else ''}{escape(settled)}{_dim(rest, theme)}"
