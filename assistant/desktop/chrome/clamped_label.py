"""A label of a few lines at most, which says whether it shows all of its text."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextLayout
from PySide6.QtWidgets import QSizePolicy
from typing_extensions import override

from assistant.desktop.kit.plain import PlainLabel


class ClampedLabel(PlainLabel):
    """Shows the beginning of its text, in at most some lines, until it is opened.

    Args:
        text: the whole text.
        most_lines: the number of lines.
    """

    cut_changed = Signal()
    """It now shows all of its text, or no longer."""

    def __init__(self, text: str, most_lines: int = 2) -> None:
        super().__init__(text)
        self._whole, self._most_lines, self._open = text, most_lines, False
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    @property
    def cut(self) -> bool:
        """Whether the end of the text is not shown."""
        return self.text() != self._whole

    def open(self, *, opened: bool) -> None:
        """Show the whole text, or its beginning."""
        self._open = opened
        self._fit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the text to the width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        before, shown = self.cut, self._whole if self._open else self._beginning()
        if shown != self.text():
            self.setText(shown)
        if before is not self.cut:
            self.cut_changed.emit()

    def _beginning(self) -> str:
        """The text in at most so many lines, with an ellipsis where it is cut."""
        room = max(self.width() - 2 * self.fontMetrics().averageCharWidth(), 1)  # A label may break a letter earlier.
        flat = " ".join(self._whole.split())
        layout = QTextLayout(flat, self.font())
        layout.beginLayout()
        start = lines = 0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(room)
            lines += 1
            if lines == self._most_lines:
                start = line.textStart()
        layout.endLayout()
        if lines <= self._most_lines:
            return self._whole if "\n" not in self._whole else flat
        rest = self.fontMetrics().elidedText(flat[start:], Qt.TextElideMode.ElideRight, room)
        return flat[:start] + rest
