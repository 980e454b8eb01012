"""What can be done with a message: buttons that appear where the mouse or the focus is (T-08)."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QWidget
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.conversation.message_rows import IN_MENU_ALONE, MessageAction, MessageRow
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme

_ICONS: Final = {MessageAction.AGAIN: "retry", MessageAction.DELETE: "delete"}
"""Icons that have another name than the action."""
_EDGE_PX = 26
_OVERLAP_PX = 4
"""How far the buttons lie over the lower edge of their message, so that the mouse reaches them."""
_FACTS_CHARS = 60
_COPIED_MS = 1500
"""Milliseconds for which a copied message is marked."""


class MessageActions(QFrame):
    """One row of buttons for all messages of a list. It lies over the list, so that nothing moves when it appears.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        parent: the widget that holds the messages.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("messageActions")
        self.setAccessibleName(texts("desktop.conversation.actions"))
        self._texts, self._icons, self._theme = texts, icons, theme
        self._list = parent
        self._message: MessageRow | None = None
        self._hovered: MessageRow | None = None
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(3, 2, 3, 2)
        self._line.setSpacing(1)
        shown = [each for each in MessageAction if each not in IN_MENU_ALONE]
        self.buttons = {each: self._button(_ICONS.get(each, each.value), each.value) for each in shown}
        for action, button in self.buttons.items():
            button.clicked.connect(lambda _=False, action=action: self._act(action))
        self.more = self._button("more", "more")
        self.more.clicked.connect(self._show_menu)
        self.facts = ElidedLabel(most_chars=_FACTS_CHARS, mode=Qt.TextElideMode.ElideMiddle)
        self.facts.setObjectName("facts")
        self._line.addWidget(self.facts)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self._settle)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)
        self.hide()

    def _button(self, icon: str, name: str) -> IconButton:
        button = IconButton(self._icons, self._theme, icon, self._texts(f"desktop.action.{name}"), size=16)
        button.draw(icon, "dim")
        button.setFixedSize(_EDGE_PX, _EDGE_PX)
        button.setProperty("small", True)
        button.installEventFilter(self)
        self._line.addWidget(button)
        return button

    @property
    def message(self) -> MessageRow | None:
        """The message whose actions are shown; ``None`` if none are."""
        return self._message

    def follow(self, message: MessageRow, event: QEvent) -> None:
        """Follow an event of a message: the mouse or the focus comes or goes."""
        match event.type():
            case QEvent.Type.Enter:
                self._hovered = message
            case QEvent.Type.Leave:
                self._hovered = None if self._hovered is message else self._hovered
            case QEvent.Type.FocusIn:
                if isinstance(event, QFocusEvent) and event.reason() is not Qt.FocusReason.MouseFocusReason:
                    self._hovered = None  # Whoever uses the keyboard lets the mouse lie.
            case QEvent.Type.FocusOut:
                pass
            case _:
                return
        self._settling.start(0)  # The mouse leaves one widget before it enters the next one.

    def refresh(self, message: MessageRow) -> None:
        """Show the actions of a message anew, if they are shown or would be."""
        if message in {self._message, self._hovered} or message.hasFocus():
            self._settling.start(0)

    def forget(self, message: MessageRow) -> None:
        """Forget a message that is removed."""
        self._hovered = None if self._hovered is message else self._hovered
        if self._message is message:
            self._show_for(None)

    def enter(self, message: MessageRow) -> None:
        """Focus the first button of a message, if it has one."""
        self._show_for(message)
        if self._message is not None:
            self._reachable[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _settle(self) -> None:
        """Show the actions of the message under the mouse, else of the one with the focus."""
        if self._message is not None and (self.underMouse() or self._has_focus):
            self._show_for(self._message)
            return
        self._show_for(self._hovered or self._focused_row())

    def _focused_row(self) -> MessageRow | None:
        """The message that has the focus, or a text of which has it."""
        focused = self._list.focusWidget()
        if focused is None or not focused.hasFocus():
            return None
        within = focused.parentWidget() if isinstance(focused, MessageText) else focused
        return within if isinstance(within, MessageRow) else None

    def _focus_moved(self, former: QWidget | None, _: QWidget | None) -> None:
        if isinstance(former, MessageText):
            self._settling.start(0)

    @property
    def _has_focus(self) -> bool:
        return any(each.hasFocus() for each in self._reachable)

    @property
    def _reachable(self) -> list[IconButton]:
        return [each for each in (*self.buttons.values(), self.more) if not each.isHidden()]

    def _show_for(self, message: MessageRow | None) -> None:
        actions = message.offered if message is not None else ()
        if self._message is not None:
            self._message.removeEventFilter(self)
        self._message = message if actions else None
        if message is None or not actions:
            self.hide()
            return
        for action, button in self.buttons.items():
            button.setVisible(action in actions)
        message.installEventFilter(self)
        told = " · ".join(message.facts)
        self.facts.setText(told)
        self.facts.setVisible(bool(told))
        self._place()
        self.show()
        self.raise_()
        before: QWidget = message
        for button in self._reachable:
            QWidget.setTabOrder(before, button)
            before = button

    def _place(self) -> None:
        message = self._message
        if message is None:
            return
        self._line.activate()
        self.resize(min(self.sizeHint().width(), message.width()), self.sizeHint().height())
        beside = message.from_right and message.free_left >= self.width()
        if beside:
            left, top = message.x() + message.free_left - self.width(), message.geometry().bottom() - self.height()
        else:
            right = message.geometry().right() + 1 - self.width()
            left = right if message.from_right else message.x()
            top = message.geometry().bottom() - _OVERLAP_PX
        self.move(max(left, 0), max(min(top, self._list.height() - self.height()), 0))

    def _act(self, action: MessageAction) -> None:
        if self._message is not None:
            self._message.act(action)
        if action is MessageAction.COPY:
            self.buttons[action].draw("check", "accent")
            QTimer.singleShot(_COPIED_MS, self, lambda: self.buttons[action].draw("copy", "dim"))

    def _show_menu(self) -> None:
        if self._message is not None:
            self._message.show_menu(self.more.mapToGlobal(QPoint(0, self.more.height())))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the message; move between the buttons with the arrow keys, and back to it."""
        if watched is self._message:
            if event.type() in {QEvent.Type.Move, QEvent.Type.Resize}:
                self._place()
            return False
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self._settling.start(0)
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: None, Qt.Key.Key_Down: None}
        if (key := Qt.Key(event.key())) not in steps:
            return False
        step, reachable = steps[key], self._reachable
        at = next((number for number, each in enumerate(reachable) if each is watched), 0)
        if step is None or at + step < 0:
            if self._message is not None:
                self._message.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            reachable[min(at + step, len(reachable) - 1)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    @override
    def leaveEvent(self, event: QEvent) -> None:
        """Go when the mouse goes."""
        super().leaveEvent(event)
        self._settling.start(0)
