"""The start page of an empty conversation: a greeting, cards of what Sori can do, and a line on privacy."""

from collections.abc import Callable
from typing import Final, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.core.updates import VoiceAvailable
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

_MARK_PX = 56
_COLUMN_PX, _NARROW_PX = 640, 460
"""Width of the page, and the one below which it has one column of cards."""
_MARGIN_PX, _GAP_PX = 16, 10
_ROOM_FOR_MARK_PX = 520


class StartCard(NamedTuple):
    """A card; its texts are ``desktop.start.<name>.title`` and ``….line``.

    Attributes:
        icon: name of its icon.
        page: the page that it opens, and at what; empty for one that does something itself.
    """

    icon: str
    page: tuple[str, str] = ("", "")


CARDS: Final = {
    "reminder": StartCard("timer"),
    "memory": StartCard("thought"),
    "files": StartCard("file"),
    "talk": StartCard("talk"),
    "dictation": StartCard("edit", ("settings", "desktop.global_dictate")),
    "model": StartCard("chip", ("models", "")),
}
"""In reading order."""


class CardButton(QPushButton):
    """A card with an icon, a title and a line.

    Args:
        sign: the icon.
        title: what Sori can do.
        line: how, or an example.
    """

    def __init__(self, sign: TintedIcon, title: str, line: str) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setAccessibleName(f"{title}. {line}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        head, below = paragraph(title), paragraph(line)
        head.setObjectName("cardTitle")
        below.setObjectName("hint")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(head)
        words.addWidget(below)
        words.addStretch(1)
        self._inside = QHBoxLayout(self)
        self._inside.setContentsMargins(14, 11, 14, 11)
        self._inside.setSpacing(12)
        self._inside.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        self._inside.addLayout(words, 1)
        for each in (sign, head, below):
            each.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def height_at(self, width: int) -> int:
        """The height that the words need at a width."""
        return self._inside.heightForWidth(width)


class EmptyState(QScrollArea):
    """Greets the user, and shows in cards what Sori can do. A card does, or opens, what it says.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
    """

    chosen = Signal(str)
    """The user wants this text to be sent."""
    begun = Signal(str)
    """The user wants to go on with this text."""
    files_wanted = Signal(str)
    """The user wants to choose files, to be sent with this text."""
    voice_wanted = Signal()
    page_wanted = Signal(str, str)
    """The user wants to see a page, at what it shows."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts = texts
        self._mark = PlainLabel()
        self._mark.setFixedSize(_MARK_PX, _MARK_PX)
        self._mark.setPixmap(icons.application().pixmap(QSize(_MARK_PX, _MARK_PX), self.devicePixelRatioF()))
        title = paragraph(texts("desktop.empty.title"))
        title.setObjectName("title")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        title.setFont(font)
        self.intro = paragraph(texts("desktop.empty.intro_text"))
        self.intro.setObjectName("intro")
        self.privacy = paragraph(texts("desktop.empty.privacy"))
        self.privacy.setObjectName("hint")
        self.cards = {name: self._card(name, card, icons, theme) for name, card in CARDS.items()}
        for each in (title, self.intro, self.privacy):
            each.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP_PX)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(6)
        column.addWidget(title)
        column.addWidget(self.intro)
        column.addSpacing(12)
        column.addLayout(self._grid)
        column.addSpacing(10)
        column.addWidget(self.privacy)
        self.column = column
        self._lay_out()

    def _lay_out(self) -> None:
        self._holder = QWidget()
        self._holder.setLayout(self.column)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(_MARGIN_PX, 12, _MARGIN_PX, 12)
        layout.addStretch(1)
        layout.addWidget(self._holder, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        self.setObjectName("empty")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(page)

    def _card(self, name: str, card: StartCard, icons: Icons, theme: Theme) -> CardButton:
        words = self._texts(f"desktop.start.{name}.title"), self._texts(f"desktop.start.{name}.line")
        button = CardButton(TintedIcon(icons, theme, card.icon, "accent", 20), *words)
        acts: dict[str, Callable[[], None]] = {
            "reminder": lambda: self.chosen.emit(self._texts("desktop.start.reminder.say")),
            "memory": lambda: self.begun.emit(self._texts("desktop.start.memory.say")),
            "files": lambda: self.files_wanted.emit(self._texts("desktop.start.files.say")),
            "talk": self.voice_wanted.emit,
        }
        button.clicked.connect(acts.get(name, lambda: self.page_wanted.emit(*card.page)))
        return button

    def show_voice(self, voice: VoiceAvailable) -> None:
        """Invite the user to speak if that is possible."""
        spoken = voice.called and not voice.microphone_reason and not voice.muted
        self.cards["talk"].setEnabled(not voice.microphone_reason)
        self.intro.setText(
            self._texts("desktop.empty.intro_voice", wake_word=voice.called)
            if spoken
            else self._texts("desktop.empty.intro_text")
        )

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the cards, all of one size, in one or two columns, and hide the logo in a small window."""
        super().resizeEvent(event)
        width = min(_COLUMN_PX, self.viewport().width() - 2 * _MARGIN_PX)
        columns = 1 if width < _NARROW_PX else 2
        wide = (width - _GAP_PX * (columns - 1)) // columns
        tall = max(card.height_at(wide) for card in self.cards.values())
        self._holder.setFixedWidth(width)
        for at, card in enumerate(self.cards.values()):
            card.setFixedHeight(tall)
            self._grid.addWidget(card, at // columns, at % columns)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)
        self._mark.setVisible(self.height() >= _ROOM_FOR_MARK_PX)
