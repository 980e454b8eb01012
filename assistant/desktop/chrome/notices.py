"""Notices outside the conversation, one at a time, in a bar that blocks nothing."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from assistant.core.display.remedies import for_window
from assistant.core.texts import Texts
from assistant.core.updates import Severity
from assistant.desktop.chrome.clamped_label import ClampedLabel
from assistant.desktop.kit.answer_blocks import TintedIcon
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

MOST_KEPT = 8
"""Most notices that wait; the oldest ones beyond go."""
INFO_STAYS_MS = 10_000
"""Milliseconds for which a plain notice is shown. Warnings and errors stay until they are solved or dismissed."""
_COLORS = {Severity.INFO: "accent", Severity.WARNING: "warning", Severity.ERROR: "error"}
_RANKS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


class Notice(QFrame):
    """One notice in two lines, with a button to dismiss it, and others for what can be done about it.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        message: for the user.
        severity: how important it is.
        about: what it is about; empty for nothing.
        undoable: whether a button undoes what it tells.
        detail: technical text that a button shows; empty for none.
        fetchable: whether a button fetches again what is missing.
        page: whether a button opens a page where the user can do something about it.
    """

    def __init__(
        self,
        texts: Texts,
        icons: Icons,
        theme: Theme,
        message: str,
        severity: Severity,
        *,
        about: str = "",
        undoable: bool = False,
        detail: str = "",
        fetchable: bool = False,
        page: bool = False,
    ) -> None:
        super().__init__()
        self.message, self.severity, self.about = message, severity, about
        self.setObjectName("notice")
        self.setAccessibleName(message)
        self.words = ClampedLabel(message)
        self.detail = PlainLabel(detail)
        self.detail.setObjectName("hint")
        self.detail.setWordWrap(True)
        self.detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.detail.hide()
        self.dismiss = IconButton(icons, theme, "close", texts("desktop.action.dismiss"), size=14)
        self.waiting = PlainLabel()
        self.waiting.setObjectName("hint")
        self.undo = self._button(texts("desktop.sidebar.undo"), wanted=undoable)
        self.fetch = self._button(texts("desktop.notice.fetch"), wanted=fetchable)
        self.page = self._button(texts("desktop.notice.page"), wanted=page)
        self.details = self._button(texts("desktop.notice.details"), wanted=bool(detail))
        self.details.setCheckable(True)
        self.details.toggled.connect(self._open)
        self.words.cut_changed.connect(self._offer_rest)
        self._buttons = QWidget()
        buttons = FlowLayout(4)
        self._buttons.setLayout(buttons)
        for each in (self.undo, self.fetch, self.page, self.details):
            buttons.addWidget(each)
        self._buttons.setVisible(undoable or fetchable or page or bool(detail))
        self._lay_out(TintedIcon(icons, theme, str(severity), _COLORS[severity], 18))

    def _lay_out(self, sign: TintedIcon) -> None:
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.words)
        column.addWidget(self.detail)
        column.addWidget(self._buttons)
        top = Qt.AlignmentFlag.AlignTop
        layout = QHBoxLayout(self)
        layout.setContentsMargins(13, 8, 7, 7)
        layout.setSpacing(10)
        layout.addWidget(sign, 0, top)
        layout.addLayout(column, 1)
        layout.addWidget(self.waiting, 0, top)
        layout.addWidget(self.dismiss, 0, top)

    def _button(self, text: str, *, wanted: bool) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("flat", True)
        button.setAccessibleName(f"{text}: {self.message}")
        button.setVisible(wanted)
        return button

    def _open(self, opened: bool) -> None:
        self.words.open(opened=opened)
        self.detail.setVisible(opened and bool(self.detail.text()))

    def _offer_rest(self) -> None:
        """Offer the rest of a notice that needs more than its two lines."""
        if self.words.cut and self.details.isHidden():
            self.details.show()
            self._buttons.show()


class NoticeBar(QWidget):
    """Shows one notice: the most important one, of several the newest. The others wait behind it.

    A notice about the same thing, or with the same words, takes the place of the earlier one.

    Attributes:
        undo_wanted: emitted with the name of the change that the user wants to undo.
        fetch_wanted: emitted with the name of the model that the user wants to be fetched again.
        page_wanted: emitted with the name of the page that the user wants to open.
    """

    undo_wanted = Signal(str)
    page_wanted = Signal(str)
    fetch_wanted = Signal(str)

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts, self._icons, self._theme = texts, icons, theme
        self._notices: list[Notice] = []
        self._staying = QTimer(self, singleShot=True, interval=INFO_STAYS_MS)
        self._staying.timeout.connect(self._pass)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 8, 12, 0)
        self.hide()

    @property
    def messages(self) -> tuple[str, ...]:
        """Texts of the notice that is shown and of those that wait, oldest first."""
        return tuple(notice.message for notice in self._notices)

    @property
    def shown(self) -> Notice | None:
        """The notice that is shown."""
        if not self._notices:
            return None
        return max(enumerate(self._notices), key=lambda each: (_RANKS[each[1].severity], each[0]))[1]

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

        A command for a terminal that the message names gives way to a button that opens the page for it.
        """
        told = for_window(message)
        message, page = told.words, told.page
        for notice in [*self._notices]:
            if notice.message == message or (about and notice.about == about):
                self._remove(notice)
        while len(self._notices) >= MOST_KEPT:
            self._remove(min(self._notices, key=lambda each: _RANKS[each.severity]))
        notice = Notice(
            self._texts,
            self._icons,
            self._theme,
            message,
            severity,
            about=about,
            undoable=bool(undo),
            detail=detail,
            fetchable=bool(fetch),
            page=bool(page) and not fetch,
        )
        notice.undo.clicked.connect(lambda: self._undo(notice, undo))
        notice.fetch.clicked.connect(lambda: self.fetch_wanted.emit(fetch))
        notice.page.clicked.connect(lambda: self.page_wanted.emit(page))
        notice.dismiss.clicked.connect(lambda: self._drop(notice))
        notice.hide()
        self._notices.append(notice)
        self._layout.addWidget(notice)
        self._show()
        announce(self, message, urgent=severity is Severity.ERROR)

    def settle(self, about: str) -> None:
        """What notices told about this, or about a part of it (``about: part``), is solved: they go."""
        for notice in [*self._notices]:
            if notice.about == about or notice.about.startswith(f"{about}: "):
                self._remove(notice)
        self._show()

    def _show(self) -> None:
        shown = self.shown
        for notice in self._notices:
            notice.setVisible(notice is shown)
        self.setVisible(shown is not None)
        if shown is None or shown.severity is not Severity.INFO:
            self._staying.stop()
        else:
            self._staying.start()
        if shown is not None:
            others = len(self._notices) - 1
            shown.waiting.setText(f"+{others}")
            shown.waiting.setVisible(others > 0)

    def _pass(self) -> None:
        """Let the plain notice go that was shown for its time."""
        if (shown := self.shown) is not None:
            self._drop(shown)

    def _undo(self, notice: Notice, change: str) -> None:
        self._drop(notice)
        self.undo_wanted.emit(change)

    def _drop(self, notice: Notice) -> None:
        if notice in self._notices:
            self._remove(notice)
            self._show()

    def _remove(self, notice: Notice) -> None:
        self._notices.remove(notice)
        self._layout.removeWidget(notice)
        notice.hide()
        notice.deleteLater()


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
