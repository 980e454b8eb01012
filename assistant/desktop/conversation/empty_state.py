"""The empty conversation: a greeting and three examples."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.words import wake_name
from assistant.core.texts import Texts
from assistant.core.updates import VoiceAvailable
from assistant.desktop.kit.icons import Icons

EXAMPLES = ("desktop.empty.example_time", "desktop.empty.example_timer", "desktop.empty.example_volume")
"""Examples that plain commands answer without a model, so they work from the first minute."""
_MARK_PX = 64
_COLUMN_PX = 360
_MARGIN_PX = 16
_ROOM_FOR_MARK_PX = 380


class EmptyState(QScrollArea):
    """Greets the user, and offers examples that are sent when clicked."""

    chosen = Signal(str)

    def __init__(self, texts: Texts, icons: Icons) -> None:
        super().__init__()
        self._texts = texts
        self._mark = QLabel()
        self._mark.setFixedSize(_MARK_PX, _MARK_PX)
        self._mark.setPixmap(icons.application().pixmap(QSize(_MARK_PX, _MARK_PX), self.devicePixelRatioF()))
        title = QLabel(texts("desktop.empty.title"))
        title.setObjectName("title")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        title.setFont(font)
        self.intro = QLabel(texts("desktop.empty.intro_text"))
        self.intro.setObjectName("intro")
        self.intro.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.intro.setWordWrap(True)
        column = QVBoxLayout()
        column.setSpacing(8)
        centred = Qt.AlignmentFlag.AlignHCenter
        column.addWidget(self._mark, 0, centred)
        column.addSpacing(6)
        column.addWidget(title, 0, centred)
        column.addWidget(self.intro)
        column.addSpacing(10)
        for key in EXAMPLES:
            column.addWidget(self._example(texts(key)))
        holder = QWidget()
        holder.setLayout(column)
        self._holder = holder
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(_MARGIN_PX, 8, _MARGIN_PX, 8)
        layout.addStretch(1)
        layout.addWidget(holder)
        layout.addStretch(1)
        layout.setAlignment(holder, centred)
        self.setObjectName("empty")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(page)

    def _example(self, text: str) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName("example")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self.chosen.emit(text))
        return button

    def show_voice(self, voice: VoiceAvailable) -> None:
        """Invite the user to speak if that is possible."""
        spoken = voice.wake_word and not voice.microphone_reason and not voice.muted
        self.intro.setText(
            self._texts("desktop.empty.intro_voice", wake_word=wake_name(voice.wake_word))
            if spoken
            else self._texts("desktop.empty.intro_text")
        )

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the logo in a small window."""
        super().resizeEvent(event)
        self._holder.setFixedWidth(min(_COLUMN_PX, self.viewport().width() - 2 * _MARGIN_PX))
        self._mark.setVisible(self.height() >= _ROOM_FOR_MARK_PX)
