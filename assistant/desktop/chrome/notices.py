"""Notices outside the conversation, in a bar that blocks nothing."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from assistant.core.texts import Texts
from assistant.core.updates import Severity
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme

MOST_AT_ONCE = 3
INFO_STAYS_MS = 10_000
"""Milliseconds until a plain notice disappears. Warnings and errors stay until they are dismissed."""
_COLORS = {Severity.INFO: "accent", Severity.WARNING: "warning", Severity.ERROR: "error"}


class Notice(QFrame):
    """One notice with a button to dismiss it, and others for what can be done about it.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        message: for the user.
        severity: how important it is.
        undoable: whether a button undoes what it tells.
        detail: technical text that a button shows; empty for none.
        fetchable: whether a button fetches again what is missing.
    """

    def __init__(
        self,
        texts: Texts,
        icons: Icons,
        theme: Theme,
        message: str,
        severity: Severity,
        *,
        undoable: bool = False,
        detail: str = "",
        fetchable: bool = False,
    ) -> None:
        super().__init__()
        self.message = message
        self.severity = severity
        self.about = ""
        self.setObjectName("notice")
        self.setProperty("severity", str(severity))
        self.setAccessibleName(message)
        words = QLabel(message)
        words.setTextFormat(Qt.TextFormat.PlainText)
        words.setWordWrap(True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.dismiss = IconButton(icons, theme, "close", texts("desktop.action.dismiss"), size=14)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(13, 7, 7, 7)
        layout.setSpacing(10)
        layout.addWidget(TintedIcon(icons, theme, str(severity), _COLORS[severity], 18))
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(words)
        self.detail = QLabel(detail)
        self.detail.setObjectName("hint")
        self.detail.setTextFormat(Qt.TextFormat.PlainText)
        self.detail.setWordWrap(True)
        self.detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.detail.hide()
        column.addWidget(self.detail)
        self.undo, self.fetch, self.details = (
            self._button(texts(key), wanted=wanted)
            for key, wanted in (
                ("desktop.sidebar.undo", undoable),
                ("desktop.notice.fetch", fetchable),
                ("desktop.notice.details", bool(detail)),
            )
        )
        self.details.setProperty("flat", True)
        self.details.clicked.connect(lambda: self.detail.setVisible(self.detail.isHidden()))
        if fetchable or detail:
            buttons = FlowLayout(8)
            buttons.addWidget(self.fetch)
            buttons.addWidget(self.details)
            column.addLayout(buttons)
        layout.addLayout(column, 1)
        layout.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)

    def _button(self, text: str, *, wanted: bool) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(f"{text}: {self.message}")
        button.setVisible(wanted)
        return button


class NoticeBar(QWidget):
    """Shows the newest notices; a repeated notice replaces the earlier one.

    Attributes:
        undo_wanted: emitted with the name of the change that the user wants to undo.
        fetch_wanted: emitted with the name of the model that the user wants to be fetched again.
    """

    undo_wanted = Signal(str)
    fetch_wanted = Signal(str)

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts, self._icons, self._theme = texts, icons, theme
        self._notices: list[Notice] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 8, 12, 0)
        self._layout.setSpacing(6)
        self.hide()

    @property
    def messages(self) -> tuple[str, ...]:
        """Texts of the shown notices, oldest first."""
        return tuple(notice.message for notice in self._notices)

    def post(
        self, message: str, severity: Severity, *, undo: str = "", about: str = "", detail: str = "", fetch: str = ""
    ) -> None:
        """Show a notice and announce it to screen readers.

        Args:
            message: for the user.
            severity: how important it is.
            undo: the name of a change that a button undoes; empty for no button.
            about: what it is about; an earlier notice about the same thing goes. Empty for nothing.
            detail: technical text that a button shows; empty for none.
            fetch: the name of a model that a button fetches again; empty for none.
        """
        for notice in [*self._notices]:
            if notice.message == message or (about and notice.about == about):
                self._drop(notice)
        while len(self._notices) >= MOST_AT_ONCE:
            plain = [notice for notice in self._notices if notice.severity is Severity.INFO]
            self._drop((plain or self._notices)[0])
        notice = Notice(
            self._texts,
            self._icons,
            self._theme,
            message,
            severity,
            undoable=bool(undo),
            detail=detail,
            fetchable=bool(fetch),
        )
        notice.about = about
        notice.undo.clicked.connect(lambda: self._undo(notice, undo))
        notice.fetch.clicked.connect(lambda: self.fetch_wanted.emit(fetch))
        notice.dismiss.clicked.connect(lambda: self._drop(notice))
        self._notices.append(notice)
        self._layout.addWidget(notice)
        if severity is Severity.INFO:
            QTimer.singleShot(INFO_STAYS_MS, notice, lambda: self._drop(notice))
        self.show()
        announce(self, message, urgent=severity is Severity.ERROR)

    def _undo(self, notice: Notice, change: str) -> None:
        self._drop(notice)
        self.undo_wanted.emit(change)

    def _drop(self, notice: Notice) -> None:
        if notice not in self._notices:
            return
        self._notices.remove(notice)
        self._layout.removeWidget(notice)
        notice.hide()
        notice.deleteLater()
        self.setVisible(bool(self._notices))


def announce(source: QObject, message: str, *, urgent: bool = False) -> None:
    """Have a screen reader say ``message``, if one is running.

    Args:
        source: object of the message.
        message: for the user.
        urgent: whether it interrupts the screen reader.
    """
    if not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(source, message)
    event.setPoliteness(
        QAccessible.AnnouncementPoliteness.Assertive if urgent else QAccessible.AnnouncementPoliteness.Polite
    )
    QAccessible.updateAccessibility(event)
