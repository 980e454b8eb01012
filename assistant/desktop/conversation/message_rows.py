"""Rows of the conversation: their common base, and the user's message."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import ClassVar, Final, NamedTuple

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QMenu, QPushButton, QTextEdit, QVBoxLayout
from typing_extensions import override

from assistant.core.display.file_names import shown_name
from assistant.core.display.reading import local_time
from assistant.core.messages import Attachment, Message
from assistant.core.texts import Texts
from assistant.desktop.conversation.message_edit import MessageEdit
from assistant.desktop.conversation.message_files import MessageFiles
from assistant.desktop.conversation.message_foot import MessageFoot
from assistant.desktop.conversation.stored_rows import StoredRow
from assistant.desktop.conversation.version_switch import VersionSwitch
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme
from assistant.desktop.opening import open_file
from assistant.desktop.saving import save_as

_BUBBLE_SHARE = 0.82
_BUBBLE_PADDING_PX = 15
EDGE_PX = 8
"""Space for the focus ring and a margin, left and right of every row."""


_FOLDED_CHARS, _FOLDED_LINES = 600, 10
"""How much of a long message is shown. One that is a little longer is shown as a whole."""
_SPARED = 1.5


class MessageAction(StrEnum):
    """An action; its text is ``desktop.action.<value>``."""

    COPY = "copy"
    ALOUD = "aloud"
    AGAIN = "again"
    EDIT = "edit"
    BRANCH = "branch"
    DELETE = "delete_message"
    DELETE_AFTER = "delete_after"
    TRACE = "trace"


IN_MENU_ALONE: Final = frozenset({MessageAction.DELETE_AFTER, MessageAction.TRACE})
"""Actions without a button of their own."""


class MenuEntry(NamedTuple):
    """A further action for a message.

    Attributes:
        title: for the user.
        act: runs the action.
    """

    title: str
    act: Callable[[], None]


class MessageRow(QFrame):
    """A message that can be focused, and what can be done with it.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.

    Attributes:
        message_id: its id, of an answer that of its last part; empty until it is stored.
        turn: id of the turn that stored it; empty for none.
        told_at: when it was stored, in the user's words; empty until then.
        chosen: the selected text while its menu is open; empty for none.
        stored: what it is made from; ``None`` if it holds more than stored messages.
    """

    action_wanted = Signal(str)
    """The user wants one of ``offered`` that the row does not carry out itself."""
    happened = Signal(QEvent)
    """The mouse or the focus has come or gone."""
    changed = Signal()
    """Other actions are possible now."""
    version_wanted = Signal(str)
    """The user wants to see the version with this id in its place."""
    file_told = Signal(str)
    """What became of a file that the user wanted to open or save, for the user."""
    from_right: ClassVar[bool] = False
    """Whether it stands at the right."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self.message_id = self.turn = self.told_at = self.chosen = ""
        self.stored: StoredRow | None = None
        self._texts, self._icons, self._theme = texts, icons, theme
        self._layout = QVBoxLayout(self)
        self._switch: VersionSwitch | None = None
        self.setObjectName("row")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    @property
    def text(self) -> str:
        """The text to copy."""
        raise NotImplementedError

    @property
    def offered(self) -> tuple[MessageAction, ...]:
        """What can be done with it now."""
        return ()

    @property
    def facts(self) -> tuple[str, ...]:
        """Who wrote it, and what that took."""
        return ()

    @property
    def files(self) -> tuple[Attachment, ...]:
        """Its files."""
        return tuple(file for shown in self.findChildren(MessageFiles) for file in shown.files)

    @property
    def can_rest(self) -> bool:
        """Whether its widgets can go and come again without a loss: nobody is at it, and nobody has changed it."""
        focused = QApplication.focusWidget()
        return not (
            self.underMouse()
            or (focused is not None and (focused is self or self.isAncestorOf(focused)))
            or any(words.textCursor().hasSelection() for words in self.findChildren(QTextEdit))
            or any(switch.isChecked() for switch in self.findChildren(QAbstractButton))
            or self.findChild(QMenu) is not None
        )

    @property
    def free_left(self) -> int:
        """Pixels at its left that are free."""
        return 0

    def know(self, message: Message) -> None:
        """Take over the id of the stored message, and its versions."""
        self._identify(message)
        if self._switch is not None:
            self._layout.removeWidget(self._switch)
            self._switch.hide()
            self._switch.deleteLater()
            self._switch = None
        if len(message.versions) > 1 and message.id in message.versions:
            self._switch = VersionSwitch(self._texts, self._icons, self._theme, message.id, message.versions)
            self._switch.wanted.connect(self.version_wanted)
            side = Qt.AlignmentFlag.AlignRight if self.from_right else Qt.AlignmentFlag.AlignLeft
            self._layout.addWidget(self._switch, 0, side)
        self.changed.emit()

    def _identify(self, message: Message) -> None:
        if self.stored is not None:
            self.stored.learn(message)
        self.message_id, self.turn = message.id, message.turn
        self.told_at = local_time(message.created_at) if message.created_at else ""

    @property
    def _of_stored(self) -> tuple[MessageAction, ...]:
        """What can be done with whatever is stored."""
        if not self.message_id:
            return ()
        trace = (MessageAction.TRACE,) if self.turn else ()
        return (MessageAction.BRANCH, MessageAction.DELETE, MessageAction.DELETE_AFTER, *trace)

    def act(self, action: MessageAction) -> None:
        """Carry an action out."""
        if action is MessageAction.COPY:
            self.copy()
        else:
            self.action_wanted.emit(action)

    def fit(self, width: int) -> None:
        """Take ``width`` pixels."""
        raise NotImplementedError

    def _forget_chosen(self) -> None:
        self.chosen = ""

    def menu_entries(self) -> list[MenuEntry]:
        """Actions for parts of this message."""
        return []

    def copy(self) -> None:
        """Put the whole message on the clipboard."""
        QGuiApplication.clipboard().setText(self.text)

    def show_menu(self, at: QPoint, words: MessageText | None = None) -> None:
        """Show the menu of the message's actions.

        Args:
            at: point of the screen.
            words: the clicked text, whose selection is copied if there is one.
        """
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.chosen = words.textCursor().selectedText().replace("\u2029", "\n") if words is not None else ""
        chosen = bool(self.chosen)
        menu.addAction(self._texts("desktop.action.copy"), words.copy if words and chosen else self.copy)
        if words is not None:
            menu.addAction(self._texts("desktop.action.select_all"), words.selectAll)
        for action in self.offered:
            if action is not MessageAction.COPY:
                aloud = chosen and action is MessageAction.ALOUD
                key = "desktop.action.aloud_chosen" if aloud else f"desktop.action.{action}"
                menu.addAction(self._texts(key), partial(self.act, action))
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self, self._forget_chosen))
        for file in self.files:
            for key, deal in (("open_file", self._open), ("save_file", self._save)):
                title = self._texts(f"desktop.action.{key}", name=file.name).replace("&", "&&")
                menu.addAction(title, partial(deal, file))
        for fact in filter(None, (self.told_at, *self.facts)):
            menu.addAction(fact.replace("&", "&&")).setEnabled(False)
        if entries := self.menu_entries():
            menu.addSeparator()
        for title, act in entries:
            menu.addAction(title.replace("&", "&&"), act)
        menu.popup(at)

    def _open(self, file: Attachment) -> None:
        open_file(self._texts, file, self, self.file_told.emit)

    def _save(self, file: Attachment) -> None:
        save_as(self._texts, shown_name(file.name), file.read, self, self.file_told.emit)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy and delete with the usual keys; open the menu with the menu key or Enter. The list has the rest."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in {Qt.Key.Key_Menu, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.show_menu(self.mapToGlobal(QPoint(self.width() // 2, 12)))
        elif event.key() == Qt.Key.Key_Delete and MessageAction.DELETE in self.offered:
            self.act(MessageAction.DELETE)
        else:
            event.ignore()

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        """Tell that the mouse comes."""
        super().enterEvent(event)
        self.happened.emit(event)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the mouse goes."""
        super().leaveEvent(event)
        self.happened.emit(event)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell that the focus comes."""
        super().focusInEvent(event)
        self.happened.emit(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the focus goes."""
        super().focusOutEvent(event)
        self.happened.emit(event)

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu."""
        self.show_menu(event.globalPos())

    def _words(self, name: str) -> MessageText:
        words = MessageText(name)
        words.menu_wanted.connect(lambda at: self.show_menu(at, words))
        return words


class UserRow(MessageRow):
    """The user's message, in a bubble on the right, with its files above.

    Args:
        text: the message.
        attachments: its files.
        live: whether it is a partial transcript, whose unstable end is dimmed.
    """

    take_back_wanted = Signal()
    """The user takes back the message, which waits."""
    edited = Signal(str)
    """The user has written another text for it."""
    from_right = True

    def __init__(
        self,
        texts: Texts,
        icons: Icons,
        theme: Theme,
        text: str = "",
        attachments: tuple[Attachment, ...] = (),
        *,
        live: bool = False,
    ) -> None:
        super().__init__(texts, icons, theme)
        self.live = live
        self._edit: MessageEdit | None = None
        self.attachments = attachments
        self._text = text
        words = self._words(texts("desktop.conversation.hearing" if live else "desktop.conversation.user"))
        self._bubble = QFrame()
        self._bubble.setObjectName("bubble")
        self._bubble.setProperty("live", live)
        inside = QVBoxLayout(self._bubble)
        inside.setContentsMargins(_BUBBLE_PADDING_PX, 6, _BUBBLE_PADDING_PX, 5)
        inside.setSpacing(2)
        inside.addWidget(words)
        self._fold = QPushButton()
        self._fold.setProperty("flat", True)
        self._fold.setCheckable(True)
        self._fold.setCursor(Qt.CursorShape.PointingHandCursor)
        self._fold.toggled.connect(self._show_whole)
        self._fold.hide()
        inside.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignLeft)
        self._bubble_words = words
        self._foot = MessageFoot(texts("desktop.action.take_back"), self.take_back_wanted.emit)
        self._foot.hide()
        layout = self._layout
        layout.setContentsMargins(EDGE_PX, 1, EDGE_PX, 1)
        layout.setSpacing(3)
        self._files = MessageFiles(texts, icons, theme, attachments, from_right=True)
        self._files.setVisible(bool(attachments))
        self._files.open_wanted.connect(self._open)
        layout.addWidget(self._files)
        if attachments:
            layout.addSpacing(3)
        layout.addWidget(self._bubble, 0, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(self._foot)
        self.show_text(text)

    def settle(self, message: Message) -> None:
        """Take over the saved message, and release the memory of its files."""
        self.attachments = message.attachments
        self._files.settle(message.attachments)
        self.mark("")
        self.know(message)

    @property
    def text(self) -> str:
        """The user's message."""
        return self._text

    @property
    @override
    def offered(self) -> tuple[MessageAction, ...]:
        """It can be copied at any time; what is stored can be edited and be the end of a branch."""
        if self.live or self._edit is not None:
            return ()
        edit = (MessageAction.EDIT,) if self.message_id else ()
        return ((MessageAction.COPY,) if self._text else ()) + edit + self._of_stored

    @property
    @override
    def can_rest(self) -> bool:
        """Whether it also is as it is stored, not edited or marked."""
        as_stored = self.stored is not None and self._text == self.stored.messages[0].text
        return as_stored and self._edit is None and self._foot.isHidden() and super().can_rest

    @property
    @override
    def free_left(self) -> int:
        """The room beside the bubble."""
        return self._bubble.x()

    @property
    def written(self) -> str | None:
        """What the user has written so far in the place of the message; ``None`` if it is not edited."""
        return None if self._edit is None else self._edit.written

    def edit(self, text: str | None = None, *, focused: bool = True) -> None:
        """Let the user write another text in the place of the message.

        Args:
            text: the text to begin with; ``None`` for that of the message.
            focused: whether the keyboard goes to it.
        """
        if self._edit is not None:
            self._edit.field.setFocus()
            return
        self._edit = edit = MessageEdit(self._texts, self._text if text is None else text)
        edit.done.connect(self._take_edited)
        edit.given_up.connect(self._end_edit)
        self._layout.addWidget(edit)
        edit.show()
        self._bubble.hide()
        self.changed.emit()
        if focused:
            edit.field.setFocus()

    def _take_edited(self, text: str) -> None:
        self._end_edit()
        if text and text != self._text:
            self.edited.emit(text)

    def _end_edit(self) -> None:
        edit, self._edit = self._edit, None
        if edit is not None:
            self._layout.removeWidget(edit)
            edit.hide()
            edit.deleteLater()
        self._bubble.setVisible(bool(self._text) or not self.attachments)
        self.setFocus(Qt.FocusReason.TabFocusReason)
        self.changed.emit()

    def show_text(self, text: str, stable: int | None = None) -> None:
        """Show the message, or with ``stable`` a partial transcript."""
        self._text = text
        if stable is None:
            self._fold.setVisible(_beginning(text) != text)
            self._show_whole(self._fold.isChecked())
        else:
            self._bubble_words.show_live(text, stable, self._theme.colors.dim)
        self._bubble.setVisible(bool(text) or not self.attachments)
        names = ", ".join(each.name for each in self.attachments)
        self.setAccessibleName(": ".join(part for part in (self._bubble_words.accessibleName(), text, names) if part))

    def _show_whole(self, whole: bool) -> None:
        """Show all of a long message, or its beginning."""
        self._bubble_words.show_text(self._text if whole else _beginning(self._text))
        key = "desktop.conversation.fold" if whole else "desktop.conversation.unfold"
        self._fold.setText(self._texts(key, length=f"{len(self._text):,}"))

    def mark(self, key: str, *, waits: bool = False) -> None:
        """Show a status below the bubble by the key of its text; an empty key removes it. Who ``waits`` may go back."""
        self._foot.say(self._texts(key) if key else "", "", button=waits)
        self._foot.setVisible(bool(key))

    def fit(self, width: int) -> None:
        """Take ``width`` pixels, the bubble at most four fifths of it."""
        self._bubble_words.fit(int((width - 2 * EDGE_PX) * _BUBBLE_SHARE) - 2 * _BUBBLE_PADDING_PX, shrink=True)
        self._files.fit(width - 2 * EDGE_PX)


def _beginning(text: str) -> str:
    """The beginning of a long message, which ends at a word; a message that is not long as it is."""
    if len(text) <= _FOLDED_CHARS * _SPARED and text.count("\n") < _FOLDED_LINES * _SPARED:
        return text
    part = "\n".join(text.split("\n", _FOLDED_LINES)[:_FOLDED_LINES])
    if len(part) > _FOLDED_CHARS:
        part = part[:_FOLDED_CHARS]
        part = part[: max(part.rfind(" "), part.rfind("\n"), _FOLDED_CHARS // 2)]
    return f"{part.rstrip()} …"
