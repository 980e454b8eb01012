"""The window: hears of everything through updates, asks for everything through controls, decides nothing itself."""

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QPoint, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.controls import (
    ChooseModel,
    Control,
    Controls,
    ListModels,
    NewConversation,
    Retry,
    SetMuted,
    Stop,
    SubmitText,
    ToggleVoice,
)
from assistant.core.messages import Attachment
from assistant.core.states import InteractionState, SessionState, Snapshot
from assistant.core.texts import Texts
from assistant.core.updates import (
    AnswerInterrupted,
    ConversationOpened,
    EmbeddedModelMemory,
    EngineProgressed,
    EngineStopped,
    LevelMeasured,
    MessageAdded,
    ModelChosen,
    ModelsOffered,
    NoticePosted,
    PacketEmitted,
    PartialHeard,
    Severity,
    StateChanged,
    Update,
    VoiceAvailable,
)
from assistant.desktop.attachment_bar import has_files
from assistant.desktop.composer import Composer
from assistant.desktop.conversation import Conversation
from assistant.desktop.empty_state import EmptyState
from assistant.desktop.icons import Icons
from assistant.desktop.model_button import ModelButton
from assistant.desktop.model_dialog import KeyDialog, ModelDialog
from assistant.desktop.model_menu import ModelMenu
from assistant.desktop.notices import NoticeBar, announce
from assistant.desktop.row_list import COLUMN_WIDTH_PX
from assistant.desktop.state_strip import StateStrip
from assistant.desktop.theme import Theme
from assistant.desktop.tray import Tray
from assistant.desktop.words import say

SMALLEST = (320, 480)
FIRST_SIZE = (500, 760)
VOICE_KEYS = "Ctrl+T"
MUTE_KEYS = "Ctrl+Shift+M"
ATTACH_KEYS = "Ctrl+O"
MODEL_KEYS = "Ctrl+M"
_TRAY_GRACE_MS = 2000
"""A desktop that is just starting shows its tray a moment after our window."""


class MainWindow(QMainWindow):
    """The conversation, where to type, and how Sori is.

    Args:
        controls: where the user's wishes go.
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
        home: where the window's place is remembered and ``config.toml`` is.
    """

    quit_wanted = Signal()
    """The user wants Sori to end."""

    def __init__(self, controls: Controls, texts: Texts, icons: Icons, theme: Theme, home: Path) -> None:
        super().__init__()
        self._controls, self._texts, self._icons, self._theme, self._home = controls, texts, icons, theme, home
        self._snapshot = Snapshot()
        self._muted = False
        self._model: ModelChosen | None = None
        self._stopped = False
        self._leaving = False
        self._memory = QSettings(str(home / "window.ini"), QSettings.Format.IniFormat)
        self.setWindowTitle(texts("desktop.name"))
        self.setWindowIcon(icons.application())
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self._restore_place()
        self.composer.input.setFocus()

    # Building

    def _build(self) -> None:
        self.strip = StateStrip(self._texts, self._icons, self._theme, self._make_menu())
        self.notices = NoticeBar(self._texts, self._icons, self._theme)
        self.conversation = Conversation(self._texts, self._icons, self._theme)
        self.empty = EmptyState(self._texts, self._icons)
        self.composer = Composer(
            self._texts,
            self._icons,
            self._theme,
            voice_keys=_written(VOICE_KEYS),
            mute_keys=_written(MUTE_KEYS),
            attach_keys=_written(ATTACH_KEYS),
        )
        self.model = ModelButton(self._texts)
        self.models = ModelMenu(self._texts, self)
        self.tray = Tray(self._texts, self._icons, self._theme, self)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.conversation)
        self._foot = QVBoxLayout()
        self._foot.setSpacing(3)
        self._foot.addWidget(self.composer)
        self._foot.addWidget(self.model)
        centre = QWidget()
        centre.setObjectName("centre")
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.strip)
        layout.addWidget(self.notices)
        layout.addWidget(self._pages, 1)
        layout.addLayout(self._foot)
        self.setCentralWidget(centre)

    def _make_menu(self) -> QMenu:
        """Everything the window can do, with the keys that do it."""
        menu = QMenu(self)
        self._voice_action = self._action("voice", VOICE_KEYS, lambda: self._send(ToggleVoice()))
        self._voice_action.setCheckable(True)
        self._voice_action.triggered.connect(self._show_checks)
        self._mute_action = self._action("mute", MUTE_KEYS, lambda: self._send(SetMuted(muted=not self._muted)))
        self._mute_action.setCheckable(True)
        self._mute_action.triggered.connect(self._show_checks)
        menu.addAction(self._action("new", "Ctrl+N", lambda: self._send(NewConversation())))
        menu.addSeparator()
        menu.addActions([self._voice_action, self._mute_action])
        menu.addAction(self._action("stop", "Esc", self._stop))
        menu.addSeparator()
        menu.addAction(self._action("copy_answer", "Ctrl+Shift+C", self._copy_answer))
        menu.addAction(self._action("attach", ATTACH_KEYS, lambda: self.composer.choose_files()))
        menu.addAction(self._action("model", MODEL_KEYS, self.show_models))
        menu.addSeparator()
        menu.addAction(self._action("quit", "Ctrl+Q", self.quit_wanted.emit))
        return menu

    def _action(self, name: str, keys: str, act: Callable[[], object]) -> QAction:
        action = QAction(self._texts(f"desktop.action.{name}"), self)
        action.setObjectName(name)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda: act())
        self.addAction(action)
        return action

    def _connect(self) -> None:
        self.composer.submitted.connect(self._submit)
        self.composer.refused.connect(lambda words: self.notices.post(words, Severity.WARNING))
        self.composer.stop_wanted.connect(self._stop)
        self.composer.voice_wanted.connect(lambda: self._send(ToggleVoice()))
        self.composer.mute_wanted.connect(lambda muted: self._send(SetMuted(muted=muted)))
        self.composer.input.page_wanted.connect(self.conversation.scroll_page)
        self.conversation.retry_wanted.connect(self._retry)
        self.conversation.resend_wanted.connect(self._submit)
        self.conversation.model_wanted.connect(self.show_models)
        self.conversation.key_wanted.connect(self.show_key_dialog)
        self.conversation.told.connect(lambda text: announce(self.conversation, text))
        self.conversation.filled.connect(lambda filled: self._pages.setCurrentIndex(int(filled)))
        self.conversation.answered.connect(lambda text: announce(self.conversation, text))
        self.empty.chosen.connect(self._submit)
        self.strip.new.clicked.connect(lambda: self._send(NewConversation()))
        self.model.clicked.connect(self.show_models)
        self.models.chosen.connect(self._choose_model)
        self.models.more_wanted.connect(self.show_model_dialog)
        self.tray.show_wanted.connect(self.present)
        self.tray.voice_wanted.connect(lambda: self._send(ToggleVoice()))
        self.tray.mute_wanted.connect(lambda muted: self._send(SetMuted(muted=muted)))
        self.tray.quit_wanted.connect(self.quit_wanted)

    # What the engine tells

    def show_update(self, update: Update) -> None:
        """Show what the engine tells. Call on Qt's thread."""
        match update:
            case StateChanged():
                self._enter(update.snapshot)
            case LevelMeasured():
                self.strip.show_level(update.level_db)
            case PartialHeard() | MessageAdded() | PacketEmitted() | AnswerInterrupted() | ConversationOpened():
                self._show_conversation(update)
            case NoticePosted() | ModelChosen() | VoiceAvailable() | EngineProgressed() | EngineStopped():
                self._show_surroundings(update)
            case ModelsOffered():
                self.models.show_models(update)
            case EmbeddedModelMemory():
                self.model.show_memory(update)
            case _:
                assert_never(update)

    def _show_conversation(
        self, update: PartialHeard | MessageAdded | PacketEmitted | AnswerInterrupted | ConversationOpened
    ) -> None:
        match update:
            case PartialHeard():
                self.conversation.hear(update.turn, update.text, update.stable)
            case MessageAdded():
                self.conversation.add(update.turn, update.message)
            case PacketEmitted():
                self.strip.show_packet(update.packet)
                self.conversation.show_packet(update.turn, update.packet)
            case AnswerInterrupted():
                self.conversation.interrupt(update.turn)
            case ConversationOpened():
                self.conversation.open(update.messages)
                self._enter(self._snapshot)  # An engine that shows a conversation is up, even if nothing happens.
            case _:
                assert_never(update)

    def _show_surroundings(
        self, update: NoticePosted | ModelChosen | VoiceAvailable | EngineProgressed | EngineStopped
    ) -> None:
        match update:
            case NoticePosted():
                self.notices.post(say(self._texts, update.key, update.values), update.severity)
            case ModelChosen():
                self._model = update
                self.model.show_model(update)
            case VoiceAvailable():
                self._show_voice(update)
            case EngineProgressed():
                self.strip.show_progress(update)
            case EngineStopped():
                self._engine_stopped(update.reason)
            case _:
                assert_never(update)

    def _enter(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.strip.enter(snapshot)
        self.tray.enter(snapshot)
        self.conversation.enter(snapshot)
        self.composer.show_voice(talking=snapshot.session is not SessionState.INACTIVE)
        self.composer.show_busy(busy=snapshot.interaction in {InteractionState.PROCESSING, InteractionState.SPEAKING})
        self._show_checks()

    def _show_voice(self, voice: VoiceAvailable) -> None:
        self._muted = voice.muted
        self.strip.show_voice(voice)
        self.tray.show_voice(voice)
        self.empty.show_voice(voice)
        reason = say(self._texts, voice.microphone_reason) if voice.microphone_reason else ""
        self.composer.show_microphone(muted=voice.muted, reason=reason)
        self._show_checks()

    def _show_checks(self) -> None:
        """Checks follow the engine, not the click."""
        self._voice_action.setChecked(self._snapshot.session is not SessionState.INACTIVE)
        self._mute_action.setChecked(self._muted)

    def _engine_stopped(self, reason: str) -> None:
        self._stopped = True
        self._enter(Snapshot())
        self.strip.show_stopped()
        self.conversation.stop()
        if reason:
            words = say(self._texts, reason)
            self.notices.post(self._texts("desktop.notice.engine_stopped", reason=words), Severity.ERROR)

    # What the user wants

    def _send(self, control: Control) -> None:
        self._controls.send(control)

    def _submit(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        self.conversation.send(text, attachments)
        if self._stopped:
            self.conversation.fail_pending()
        else:
            self._send(SubmitText(text=text, attachments=attachments))
        self.composer.input.setFocus()

    def _retry(self, model: str) -> None:
        if self._stopped:
            return  # A notice has said so, and that Sori is to be started again.
        self.conversation.retry()
        self._send(Retry(model=model))
        self.composer.input.setFocus()

    def _stop(self) -> None:
        if self._snapshot.interaction is not InteractionState.IDLE:
            self._send(Stop())
            self.composer.input.setFocus()

    def _copy_answer(self) -> None:
        if text := self.conversation.last_answer:
            QGuiApplication.clipboard().setText(text)
            self.notices.post(self._texts("desktop.action.copied"), Severity.INFO)

    def show_models(self) -> None:
        """Let the user choose a model for this conversation, from those that are found meanwhile."""
        self._send(ListModels())
        self.models.open_above(self.model.mapToGlobal(QPoint(0, 0)))

    def _choose_model(self, reference: str) -> None:
        self._send(ChooseModel(model=reference))
        self.composer.input.setFocus()

    def show_model_dialog(self) -> None:
        """Tell which model is in use and how to add others."""
        ModelDialog(self._texts, self._home, self._model, self).open()

    def show_key_dialog(self, provider: str) -> None:
        """Tell where the API key of a provider belongs."""
        used = self._model.provider if self._model is not None else ""
        KeyDialog(self._texts, self._home, provider or used, self).open()

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files can be dropped anywhere in the window."""
        if has_files(event.mimeData()):
            event.acceptProposedAction()
            self.composer.show_dropping(dropping=True)

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """They were taken elsewhere."""
        self.composer.show_dropping(dropping=False)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Attach what was dropped."""
        self.composer.show_dropping(dropping=False)
        event.acceptProposedAction()
        self.composer.attach_files(event.mimeData())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What is typed anywhere goes into the input."""
        field = self.composer.input
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier)
        if plain and event.text().isprintable() and event.text() and not field.hasFocus():
            field.setFocus()
            QApplication.sendEvent(field, event)
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the input in the middle of a wide window, as wide as the conversation."""
        super().resizeEvent(event)
        side = max((self.width() - COLUMN_WIDTH_PX) // 2 - 2, 12)
        self._foot.setContentsMargins(side, 6, side, 6)

    # Coming and going

    def present(self) -> None:
        """Show the window in front, wherever it was."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def let_close(self) -> None:
        """Do not hide into the tray any more: the desktop session is ending."""
        self._leaving = True

    def leave(self) -> None:
        """Go away for good: nothing hides any more, the place is remembered."""
        self._leaving = True
        self._remember_place()
        self.tray.hide()
        self.close()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Once, tell whoever has no tray what closing will do."""
        super().showEvent(event)
        if not self._memory.value("told/no_tray", defaultValue=False, type=bool):
            QTimer.singleShot(_TRAY_GRACE_MS, self, self._tell_no_tray)

    def _tell_no_tray(self) -> None:
        if not self.tray.available and self.isVisible():
            self._memory.setValue("told/no_tray", True)
            self.notices.post(self._texts("desktop.notice.no_tray"), Severity.INFO)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide into the tray; without one the window is all there is, and closing it ends Sori."""
        self._remember_place()
        if self._leaving:
            event.accept()
        elif self.tray.available:
            event.ignore()
            self.hide()
            if not self._memory.value("told/hidden", defaultValue=False, type=bool):
                self._memory.setValue("told/hidden", True)
                self.tray.tell_hidden()
        else:
            event.accept()
            self.quit_wanted.emit()

    def _remember_place(self) -> None:
        self._memory.setValue("geometry", self.saveGeometry())
        self._memory.sync()

    def _restore_place(self) -> None:
        geometry = self._memory.value("geometry")
        if geometry is not None and self.restoreGeometry(geometry):
            return
        room = QGuiApplication.primaryScreen().availableGeometry()
        self.resize(min(FIRST_SIZE[0], room.width()), min(FIRST_SIZE[1], room.height() - 40))


def _written(keys: str) -> str:
    """A shortcut as this platform writes it."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
