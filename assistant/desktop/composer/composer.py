"""The input field with attached files and the buttons: files, talk, stop, send."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import (
    QDropEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QPlainTextEdit, QTreeView, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.messages import MAX_MESSAGE_LENGTH
from assistant.core.texts import Texts
from assistant.core.updates import FileReading
from assistant.desktop.composer.attachment_bar import AttachmentBar, accept_copy, has_files
from assistant.desktop.composer.attachment_checks import FileWarningLine
from assistant.desktop.kit.buttons import IconButton, repolish
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme

MAX_LINES = 7
_BUTTON_PX = 36
_LONGEST_BUTTON_PX = 220
_ROOM_FOR_WORDS_PX = 400
_DIALOG_LABELS = {
    QFileDialog.DialogLabel.LookIn: "desktop.attach.look_in",
    QFileDialog.DialogLabel.FileType: "desktop.attach.file_type",
    QFileDialog.DialogLabel.Accept: "desktop.attach.accept",
}
"""Texts of Qt's file dialog. Qt's Korean lacks the first two; the third is a better wording."""
_KIND_COLUMN = 2
"""Column with the kind of a file. It is hidden: names and icons show the kind, and Qt's Korean lacks a word for
folders."""


_BLINKS_FOR_MS = 10_000
"""The cursor blinks for this time after a change, as in GTK: each blink paints all that lies behind the field."""


class MessageInput(QPlainTextEdit):
    """Plain text that grows with its lines; Enter sends, Shift+Enter makes a new line.

    While a syllable is being composed, Enter completes it first. So a Korean message does not lose its last letter or
    leave it behind in the empty field.
    """

    send_wanted = Signal()
    files_pasted = Signal(QMimeData)
    """Files or an image were pasted or dropped into the field."""
    page_wanted = Signal(int)
    """The user wants to scroll the conversation by a page: 1 down, -1 up."""
    focus_changed = Signal(bool)
    composed = Signal()
    """What an input method is composing has changed."""

    def __init__(self, name: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = ""
        self._placeholder = hint
        self.setObjectName("input")
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.viewport().setAutoFillBackground(False)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._blinks = QTimer(self, singleShot=True, interval=_BLINKS_FOR_MS)
        self._blinks.timeout.connect(lambda: QGuiApplication.styleHints().setCursorFlashTime(0))
        for changed in (self.cursorPositionChanged, self.composed, self.focus_changed):
            changed.connect(self._blink)
        self._fit()

    def hint(self, words: str) -> None:
        """Say in the empty field what can be done."""
        self._placeholder = words
        self._show_hint()

    def _show_hint(self) -> None:
        """Show the hint, shortened to the field, while nothing is composed over it."""
        room = self.viewport().width() - 8
        fitting = self.fontMetrics().elidedText(self._placeholder, Qt.TextElideMode.ElideRight, room)
        self.setPlaceholderText("" if self._composing else fitting)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends; page keys scroll the conversation while the text fits."""
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not shift:
            event.accept()
            if not event.isAutoRepeat():
                self.send()
        elif event.key() in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown} and self.verticalScrollBar().maximum() == 0:
            self.page_wanted.emit(1 if event.key() == Qt.Key.Key_PageDown else -1)
        else:
            super().keyPressEvent(event)

    @property
    def composing(self) -> str:
        """The text that an input method is composing, which is not yet in the field."""
        return self._composing

    @property
    def send(self) -> Callable[[], object]:
        """Asks for the text to be sent, with what is being composed."""
        return self._finish_syllable if self._composing else self.send_wanted.emit

    def _finish_syllable(self) -> None:
        """Commit what is being composed, and send the text then."""
        QGuiApplication.inputMethod().commit()
        if self._composing:  # No input method answered. Commit the syllable as shown.
            finished = QInputMethodEvent()
            finished.setCommitString(self._composing)
            self.inputMethodEvent(finished)
            QGuiApplication.inputMethod().reset()
        QTimer.singleShot(0, self, self.send_wanted.emit)  # Some input methods commit with a later event.

    @override
    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Store the text that is being composed."""
        self._composing = event.preeditString()
        super().inputMethodEvent(event)
        self._show_hint()
        self.composed.emit()
        self._fit()

    @override
    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept files and images in addition to text."""
        return has_files(source) or super().canInsertFromMimeData(source)

    @override
    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert text into the field, and attach files."""
        if has_files(source):
            self.files_pasted.emit(source)
        else:
            super().insertFromMimeData(source)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Insert dropped text; attach dropped files, which stay where they are."""
        super().dropEvent(event)
        if has_files(event.mimeData()):
            accept_copy(event)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Report the focus to the frame."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report the focus to the frame."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height, because a narrower field has more lines."""
        super().resizeEvent(event)
        self._show_hint()
        self._fit()

    def _blink(self) -> None:
        """Let cursors blink as the desktop wants, for a while if this one does."""
        QGuiApplication.styleHints().setCursorFlashTime(-1)
        if self.hasFocus():
            self._blinks.start()
        else:
            self._blinks.stop()

    def _fit(self) -> None:
        """Fit the height to the text, from one line to ``MAX_LINES``."""
        block, lines = self.document().firstBlock(), 0
        while block.isValid():
            lines += max(block.layout().lineCount(), 1)
            block = block.next()
        height = round(self.fontMetrics().lineSpacing() * min(max(lines, 1), MAX_LINES)) + 6
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > MAX_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if height != self.minimumHeight():
            self.setFixedHeight(height)


class Composer(QFrame):
    """The input with its buttons.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        voice_keys: the shortcut of the voice button, as shown to the user.
        attach_keys: the shortcut of the button that attaches files, as shown to the user.
    """

    submitted = Signal(str, tuple)
    """A message and its attachments."""
    refused = Signal(str)
    """A file cannot be attached, or the message cannot be sent; holds the reason for the user."""
    stop_wanted = Signal()
    voice_wanted = Signal()

    def __init__(
        self, texts: Texts, icons: Icons, theme: Theme, *, voice_keys: str, attach_keys: str, talk_key: str
    ) -> None:
        super().__init__()
        self._texts = texts
        self._voice_keys = voice_keys
        self._talk_key = talk_key
        self._talking = False
        self._busy = False
        self._reason = ""
        self._sends = False
        self._folder = ""
        self.setObjectName("composer")
        self.files = AttachmentBar(texts, icons, theme)
        self.file_warning = FileWarningLine(texts, icons, theme)
        self.input = MessageInput(texts("desktop.composer.input"), texts("desktop.composer.placeholder"))
        self.attach = self._button(icons, theme, "attach", texts("desktop.attach.button", shortcut=attach_keys))
        self.voice = self._button(icons, theme, "talk")
        self.voice.setMinimumWidth(_BUTTON_PX)
        self.voice.setMaximumWidth(_LONGEST_BUTTON_PX)
        self.voice.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.voice.setObjectName("talk")
        self.stop = self._button(icons, theme, "stop", texts("desktop.composer.stop"))
        self.stop.draw("stop", "on_accent", filled=True)
        self.send = self._button(icons, theme, "send", texts("desktop.composer.send"))
        self._lay_out()
        self.input.send_wanted.connect(self.submit)
        self.input.files_pasted.connect(self.attach_files)
        self.files.changed.connect(self._files_changed)
        self.files.refused.connect(self.refused)
        self.files.left.connect(self.input.setFocus)
        self.attach.clicked.connect(self.choose_files)
        self.input.textChanged.connect(self._refresh)
        self.input.focus_changed.connect(lambda focused: self._show_ring(focused=focused))
        self.send.clicked.connect(lambda: self.input.send())
        self.input.composed.connect(self._refresh)
        self.stop.clicked.connect(self.stop_wanted)
        self.voice.clicked.connect(self.voice_wanted)
        self._refresh()

    def show_file_reading(self, update: FileReading) -> None:
        """Show how far an attached file has been read."""
        for chip in self.files.chips:
            if chip.id == update.file:
                chip.show_reading(update.fraction)

    def _button(self, icons: Icons, theme: Theme, icon: str, name: str = "") -> IconButton:
        button = IconButton(icons, theme, icon, name)
        button.setFixedSize(_BUTTON_PX, _BUTTON_PX)
        button.setProperty("round", True)
        return button

    def _lay_out(self) -> None:
        self._buttons = buttons = QHBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(self.attach)
        buttons.addWidget(self.voice)
        buttons.addStretch(1)
        buttons.addWidget(self.stop)
        buttons.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 9, 8, 7)
        layout.setSpacing(5)
        layout.addWidget(self.files)
        layout.addWidget(self.file_warning)
        layout.addWidget(self.input)
        layout.addLayout(buttons)
        QWidget.setTabOrder(self.input, self.send)
        order = (self.send, self.stop, self.attach, self.voice)
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def add_chip(self, chip: QWidget) -> None:
        """Add a chip before the button that sends, such as the one that names the model."""
        self._buttons.insertWidget(self._buttons.indexOf(self.stop), chip, 1000, Qt.AlignmentFlag.AlignRight)
        QWidget.setTabOrder(self.voice, chip)

    def add_subject(self, chip: QWidget) -> None:
        """Add a chip beside the voice button, such as the one that names the project."""
        self._buttons.insertWidget(self._buttons.indexOf(self.voice) + 1, chip)
        QWidget.setTabOrder(self.voice, chip)

    @property
    def text(self) -> str:
        """The text in the field."""
        return self.input.toPlainText()

    def put(self, text: str) -> None:
        """Replace the text in the field."""
        if text != self.text:
            self.input.setPlainText(text)
            self.input.moveCursor(QTextCursor.MoveOperation.End)

    def begin(self, text: str) -> None:
        """Let the user go on with a text, unless something is written already."""
        if not self.text.strip():
            self.put(text)
        self._go_on_writing()

    def submit(self) -> None:
        """Send the text and the attached files, once every file has been read."""
        text = self.text.encode(errors="replace").decode().strip()  # Lone surrogates cannot be stored.
        self._sends = self.files.reading and self._sendable
        if len(text) > MAX_MESSAGE_LENGTH:
            self._sends = False
            length, limit = f"{len(text):,}", f"{MAX_MESSAGE_LENGTH:,}"
            self.refused.emit(self._texts("desktop.composer.too_long", length=length, limit=limit))
            return
        if self._sendable and not self._sends:
            self.input.clear()
            self.submitted.emit(text, self.files.take())

    def choose_files(self) -> None:
        """Let the user choose files to attach."""
        dialog = QFileDialog(self, self._texts("desktop.attach.choose"), self._folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        for label, key in _DIALOG_LABELS.items():
            dialog.setLabelText(label, self._texts(key))
        if details := dialog.findChild(QTreeView):  # The desktop's native dialog has none.
            details.hideColumn(_KIND_COLUMN)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._files_chosen)
        dialog.finished.connect(self._go_on_writing)
        dialog.open()

    def _files_chosen(self, names: list[str]) -> None:
        paths = [Path(name) for name in names]
        self._folder = str(paths[0].parent)
        self.files.add_files(paths)

    def attach_files(self, mime: QMimeData) -> None:
        """Attach dropped or pasted files and focus the field for the text about them."""
        self.files.add_dropped(mime)
        self.window().activateWindow()  # They may come from another program's window.
        self._go_on_writing()

    def _go_on_writing(self) -> None:
        self.input.setFocus()
        self.input.moveCursor(QTextCursor.MoveOperation.End)

    def show_dropping(self, *, dropping: bool) -> None:
        """Show whether files are dragged over the window."""
        self._show_ring(focused=dropping or self.input.hasFocus())

    def _files_changed(self) -> None:
        self._refresh()
        if self._sends and not self.files.reading:
            self.submit()

    @property
    def _sendable(self) -> bool:
        return bool(self.input.toPlainText().strip() or self.files.files or self.files.reading)

    def show_voice(self, *, talking: bool) -> None:
        """Show whether a spoken conversation is active."""
        self._talking = talking
        self._refresh()

    def show_microphone(self, *, reason: str, wake_word: str = "") -> None:
        """Show what the microphone is good for.

        Args:
            reason: why it is unusable; empty if it is usable, even if it is turned off.
            wake_word: what Sori is called by now; empty if it does not listen for that.
        """
        self._reason = reason
        key = "desktop.composer.placeholder_wake" if wake_word else "desktop.composer.placeholder"
        self.input.hint(self._texts(key, wake_word=wake_word))
        self._refresh()

    def show_talk_key(self, key: str) -> None:
        """Name the key that is held to talk."""
        self._talk_key = key
        self._refresh()

    def show_busy(self, *, busy: bool) -> None:
        """Show whether something can be stopped."""
        if self._busy and not busy and self.stop.hasFocus():
            self.input.setFocus()  # Otherwise the focus would vanish with the button.
        self._busy = busy
        self._refresh()

    def _refresh(self) -> None:
        self.voice.draw(
            "talk", "dim" if self._reason else "on_accent" if self._talking else "text", filled=self._talking
        )
        self.voice.setText(self._texts("desktop.composer.talking" if self._talking else "desktop.composer.talk"))
        if self._reason:
            self.voice.rename(self._texts("desktop.composer.voice_unavailable", reason=self._reason))
        else:
            key = "desktop.composer.voice_end" if self._talking else "desktop.composer.voice_start"
            self.voice.rename(self._texts(key, shortcut=self._voice_keys, talk=self._talk_key))
        written = self._sendable or bool(self.input.composing)
        self.stop.setVisible(self._busy)
        self.send.setVisible(written or not self._busy)
        self.send.setEnabled(written)
        self.send.draw("send", "on_accent" if written else "dim", filled=written)

    def _show_ring(self, *, focused: bool) -> None:
        self.setProperty("focused", focused)
        repolish(self)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room of a narrow window to the chip; the button to talk has its sign and its name."""
        super().resizeEvent(event)
        roomy = self.width() >= _ROOM_FOR_WORDS_PX
        beside, alone = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
        self.voice.setToolButtonStyle(beside if roomy else alone)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Focus the field on a click on the frame."""
        self.input.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)
