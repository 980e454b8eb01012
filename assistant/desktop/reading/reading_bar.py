"""The bar above the conversation while a text is read aloud: pause, sentences back and forth, speed, end (D-09)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from assistant.core.service.requests.voice import ReadingStep
from assistant.core.texts import Texts
from assistant.core.updates import ReadingChanged
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme

SPEEDS = (1.0, 1.25, 1.5, 2.0, 0.75)
"""The speeds that the button offers one after another."""


class ReadingBar(QFrame):
    """Hidden while nothing is read.

    Args:
        texts: the user's words.
        icons: source of the icons.
        theme: colours.
    """

    step_wanted = Signal(ReadingStep)
    speed_wanted = Signal(float)

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts = texts
        self._speed, self._paused = 1.0, False
        self.setObjectName("reading")
        self.setAccessibleName(texts("desktop.reading.bar"))
        self.words = ElidedLabel()
        self.back = IconButton(icons, theme, "previous", texts("desktop.reading.previous"), size=18)
        self.pause = IconButton(icons, theme, "pause", texts("desktop.reading.pause"), size=18)
        self.forth = IconButton(icons, theme, "next", texts("desktop.reading.next"), size=18)
        self.speed = QPushButton()
        self.speed.setProperty("flat", True)
        self.speed.setToolTip(tip(texts("desktop.reading.speed")))
        self.speed.setCursor(Qt.CursorShape.PointingHandCursor)
        self.end = IconButton(icons, theme, "close", texts("desktop.reading.end"), size=14)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 3, 8, 3)
        row.setSpacing(4)
        row.addWidget(TintedIcon(icons, theme, "aloud", "speaking", 18))
        row.addWidget(self.words, 1)
        for each in (self.back, self.pause, self.forth, self.speed, self.end):
            row.addWidget(each)
        self.back.clicked.connect(lambda: self.step_wanted.emit(ReadingStep.PREVIOUS))
        self.forth.clicked.connect(lambda: self.step_wanted.emit(ReadingStep.NEXT))
        self.end.clicked.connect(lambda: self.step_wanted.emit(ReadingStep.STOP))
        self.pause.clicked.connect(self._toggle)
        self.speed.clicked.connect(self._faster)
        self.show_speed(1.0)
        self.hide()

    def show_reading(self, reading: ReadingChanged) -> None:
        """Show how far a text is read; nothing if none is."""
        self._paused = reading.paused
        key = "desktop.reading.paused" if reading.paused else "desktop.reading.now"
        self.words.setText(self._texts(key, sentence=reading.sentence, sentences=reading.sentences))
        self.pause.draw("play" if reading.paused else "pause")
        self.pause.rename(self._texts("desktop.reading.go_on" if reading.paused else "desktop.reading.pause"))
        self.setVisible(bool(reading.sentences))

    def show_speed(self, speed: float) -> None:
        """Show the speed of the voice."""
        self._speed = speed
        self.speed.setText(f"{speed:g}×")
        self.speed.setAccessibleName(f"{self._texts('desktop.reading.speed')}: {speed:g}")

    def _toggle(self) -> None:
        self.step_wanted.emit(ReadingStep.GO_ON if self._paused else ReadingStep.PAUSE)

    def _faster(self) -> None:
        at = min(range(len(SPEEDS)), key=lambda each: abs(SPEEDS[each] - self._speed))
        self.speed_wanted.emit(SPEEDS[(at + 1) % len(SPEEDS)])
