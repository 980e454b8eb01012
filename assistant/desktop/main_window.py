"""The window: hears of everything through updates, asks for everything through controls, decides nothing itself."""

from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.controls import (
    Answer,
    CancelTimer,
    ChooseModel,
    Control,
    Controls,
    DismissTimers,
    ListModels,
    LoadEarlier,
    NewConversation,
    Retry,
    SetMuted,
    Stop,
    SubmitText,
    ToggleVoice,
)
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.core.messages import Attachment, Role
from assistant.core.packets import Ask
from assistant.core.texts import Texts
from assistant.core.updates import (
    AnswerInterrupted,
    ConversationDeleted,
    ConversationOpened,
    ConversationsChanged,
    ConversationsListed,
    EarlierLoaded,
    EmbeddedModelMemory,
    EngineProgressed,
    EngineStopped,
    LevelMeasured,
    MessageAdded,
    ModelChosen,
    ModelsKept,
    ModelsOffered,
    NoticePosted,
    PacketEmitted,
    PartialHeard,
    Severity,
    StateChanged,
    TimersChanged,
    TurnWithdrawn,
    Update,
    VoiceAvailable,
)
from assistant.desktop.chrome.notices import NoticeBar, announce
from assistant.desktop.chrome.state_strip import StateStrip
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.chrome.window_menu import ATTACH_KEYS, VOICE_KEYS, WindowMenu, written
from assistant.desktop.composer.composer import Composer
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.empty_state import EmptyState
from assistant.desktop.conversation.row_list import CentredColumn
from assistant.desktop.drafts.drafting import Drafting
from assistant.desktop.keyboard.focus_return import FocusReturn
from assistant.desktop.keyboard.writing_window import WritingWindow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.kit.words import say
from assistant.desktop.models.model_button import ModelButton
from assistant.desktop.models.model_dialog import KeyDialog, ModelDialog
from assistant.desktop.models.model_menu import ModelMenu
from assistant.desktop.sidebar.browsing import Browsing
from assistant.desktop.sidebar.drawer import Drawer
from assistant.desktop.sidebar.side_bar import SideBar
from assistant.desktop.timers.timer_bar import TimerBar

SMALLEST = (320, 480)


class MainWindow(WritingWindow):
    """The conversation, where to type, and how Sori is.

    Args:
        controls: where the user's wishes go.
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
        home: where the window's place is remembered and ``config.toml`` is.
    """

    def __init__(self, controls: Controls, texts: Texts, icons: Icons, theme: Theme, home: Path) -> None:
        super().__init__(Tray(texts, icons, theme), home)
        self._controls, self._texts, self._icons, self._theme, self._home = controls, texts, icons, theme, home
        self._snapshot = Snapshot()
        self._muted = False
        self._model: ModelChosen | None = None
        self._stopped = False
        self._conversation = ""
        self.setWindowTitle(texts("desktop.name"))
        self.setWindowIcon(icons.application())
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self._restore_place()
        self.drawer.wanted_beside = self.remembered_choice("sidebar/beside", otherwise=True)
        self.composer.input.setFocus()
        FocusReturn(self, self.composer.input)

    # Building

    def _build(self) -> None:
        self.menu = WindowMenu(self._texts, self)
        self.strip = StateStrip(self._texts, self._icons, self._theme, self.menu)
        self.notices = NoticeBar(self._texts, self._icons, self._theme)
        self.timers = TimerBar(self._texts, self._icons, self._theme)
        self.conversation = MessageList(self._texts, self._icons, self._theme)
        self.empty = EmptyState(self._texts, self._icons)
        self.composer = Composer(
            self._texts,
            self._icons,
            self._theme,
            voice_keys=written(VOICE_KEYS),
            attach_keys=written(ATTACH_KEYS),
        )
        self.drafting = Drafting(self.composer, self._home / "drafts.json")
        self.model = ModelButton(self._texts)
        self.models = ModelMenu(self._texts, self)
        self.side = SideBar(self._texts, self._icons, self._theme)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.conversation)
        foot = CentredColumn()
        foot.setSpacing(3)
        foot.addWidget(self.composer)
        foot.addWidget(self.model, 0, Qt.AlignmentFlag.AlignHCenter)
        centre = QWidget()
        centre.setObjectName("centre")
        layout = QVBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.strip)
        layout.addWidget(self.notices)
        layout.addWidget(self.timers)
        layout.addWidget(self._pages, 1)
        layout.addLayout(foot)
        self.drawer = Drawer(self.side, centre)
        self.browsing = Browsing(self.side, self.drawer, self._controls)
        self.setCentralWidget(self.drawer)

    def _connect(self) -> None:
        self.composer.submitted.connect(self._submit)
        self.composer.refused.connect(lambda words: self.notices.post(words, Severity.WARNING))
        self.composer.stop_wanted.connect(self._stop)
        self.composer.voice_wanted.connect(lambda: self._send(ToggleVoice()))
        self.strip.mute.mute_wanted.connect(lambda muted: self._send(SetMuted(muted=muted)))
        self.composer.input.page_wanted.connect(self.conversation.scroll_page)
        self.conversation.retry_wanted.connect(self._retry)
        self.conversation.refused.connect(self._take_back)
        self.drafting.failed.connect(self._drafts_unkept)
        self.side.restore_wanted.connect(self.drafting.restore)
        self.conversation.model_wanted.connect(self.show_models)
        self.conversation.answer_chosen.connect(self._answer)
        self.conversation.key_wanted.connect(self.show_key_dialog)
        self.conversation.told.connect(lambda text: announce(self.conversation, text))
        self.conversation.filled.connect(lambda filled: self._pages.setCurrentIndex(int(filled)))
        self.conversation.answered.connect(lambda text: announce(self.conversation, text))
        self.empty.chosen.connect(self._submit)
        self.conversation.earlier_wanted.connect(lambda before: self._send(LoadEarlier(before=before)))
        self.strip.side.clicked.connect(self.browsing.toggle)
        self.drawer.folded.connect(self._side_folded)
        self.browsing.done.connect(self.composer.input.setFocus)
        self.menu.side_wanted.connect(self.browsing.toggle)
        self.menu.search_wanted.connect(self.browsing.search)
        self.strip.new.clicked.connect(lambda: self._send(NewConversation()))
        self.model.clicked.connect(self.show_models)
        self.models.chosen.connect(self._choose_model)
        self.models.more_wanted.connect(self.show_model_dialog)
        self.without_tray.connect(lambda: self.notices.post(self._texts("desktop.notice.no_tray"), Severity.INFO))
        self.timers.cancel_wanted.connect(lambda timer: self._send(CancelTimer(timer=timer)))
        self.timers.rang.connect(self._tell_of_ringing)
        self.tray.quiet_wanted.connect(lambda: self._send(DismissTimers()))
        self.tray.voice_wanted.connect(lambda: self._send(ToggleVoice()))
        self.tray.mute_wanted.connect(lambda muted: self._send(SetMuted(muted=muted)))
        self.menu.new_wanted.connect(lambda: self._send(NewConversation()))
        self.menu.voice_wanted.connect(lambda: self._send(ToggleVoice()))
        self.menu.mute_wanted.connect(lambda muted: self._send(SetMuted(muted=muted)))
        self.menu.stop_wanted.connect(self._stop)
        self.menu.copy_wanted.connect(self._copy_answer)
        self.menu.attach_wanted.connect(self.composer.choose_files)
        self.menu.model_wanted.connect(self.show_models)
        self.menu.quit_wanted.connect(self.quit_wanted)

    # What the engine tells

    def show_update(self, update: Update) -> None:
        """Show what the engine tells. Call on Qt's thread."""
        match update:
            case StateChanged():
                self._enter(update.snapshot)
            case LevelMeasured():
                self.strip.show_level(update.level_db)
            case (
                PartialHeard()
                | MessageAdded()
                | PacketEmitted()
                | AnswerInterrupted()
                | TurnWithdrawn()
                | ConversationOpened()
                | EarlierLoaded()
            ):
                if isinstance(update, ConversationOpened) or self._conversation in {"", update.conversation}:
                    self._show_conversation(update)
            case ConversationsChanged() | ConversationsListed() | ConversationDeleted():
                if isinstance(update, ConversationDeleted):
                    self.drafting.withdraw(update.conversation)
                self.browsing.show_update(update)
            case NoticePosted() | ModelChosen() | VoiceAvailable() | EngineProgressed() | EngineStopped():
                self._show_surroundings(update)
            case TimersChanged():
                self.timers.show_timers(update)
                self.tray.show_ringing(ringing=self.timers.ringing)
            case ModelsOffered() | ModelsKept() | EmbeddedModelMemory():
                self._show_models(update)
            case _:
                assert_never(update)

    def _show_models(self, update: ModelsOffered | ModelsKept | EmbeddedModelMemory) -> None:
        match update:
            case ModelsOffered():
                self.models.show_models(update)
            case ModelsKept():
                for dialog in self.findChildren(ModelDialog):
                    dialog.show_kept(update)
                for key in self.findChildren(KeyDialog):
                    key.show_kept(update)
            case EmbeddedModelMemory():
                self.model.show_memory(update)
            case _:
                assert_never(update)

    def _show_conversation(
        self,
        update: PartialHeard
        | MessageAdded
        | PacketEmitted
        | AnswerInterrupted
        | TurnWithdrawn
        | ConversationOpened
        | EarlierLoaded,
    ) -> None:
        match update:
            case PartialHeard():
                self.conversation.hear(update.turn, update.text, update.stable)
            case MessageAdded():
                self.conversation.add(update.turn, update.message)
                if update.message.role is Role.USER:
                    self.drafting.accepted(update.message.text)
            case PacketEmitted():
                self.strip.show_packet(update.packet)
                self.conversation.show_packet(update.turn, update.packet)
                if isinstance(update.packet, Ask):
                    self._call_for(update.packet.text, self._texts("desktop.ask.hint"))
            case AnswerInterrupted():
                self.conversation.interrupt(update.turn)
            case TurnWithdrawn():
                self.conversation.withdraw(update.turn)
            case ConversationOpened():
                self.conversation.open(update.messages, more=update.more)
                self.side.show_open(update.conversation)
                self.drafting.open(update.conversation, empty=not update.messages)
                self._conversation = update.conversation
                self._enter(self._snapshot)  # An engine that shows a conversation is up, even if nothing happens.
            case EarlierLoaded():
                self.conversation.show_earlier(update.messages, more=update.more)
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
                for dialog in self.findChildren(ModelDialog):
                    dialog.show_model(update)
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
        self.composer.show_microphone(reason=reason)
        self._show_checks()

    def _show_checks(self) -> None:
        self.menu.show_checks(talking=self._snapshot.session is not SessionState.INACTIVE, muted=self._muted)

    def _engine_stopped(self, reason: str) -> None:
        self._stopped = True
        self._enter(Snapshot())
        self.strip.show_stopped()
        self.model.show_stopped()
        self.conversation.stop()
        if reason:
            words = say(self._texts, reason)
            self.notices.post(self._texts("desktop.notice.engine_stopped", reason=words), Severity.ERROR)

    # What the user wants

    def _send(self, control: Control) -> None:
        self._controls.send(control)

    def _submit(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        if self._stopped:
            self._take_back(text, attachments, self._texts("desktop.notice.not_sent"))
        else:
            self.conversation.send(text, attachments)
            self.drafting.sent(text)
            self._send(SubmitText(text=text, attachments=attachments))
        self.composer.input.setFocus()

    def _take_back(self, text: str, attachments: tuple[Attachment, ...], reason: str) -> None:
        """What was not taken is back where it was typed."""
        self.drafting.give_back(text, attachments)
        if reason:
            self.notices.post(reason, Severity.WARNING)

    def _drafts_unkept(self, reason: str) -> None:
        self.notices.post(self._texts("desktop.notice.drafts_unkept", reason=reason), Severity.WARNING)

    def _retry(self, model: str) -> None:
        if self._stopped:
            return  # A notice has said so, and that Sori is to be started again.
        self.conversation.retry()
        self._send(Retry(model=model))
        self.composer.input.setFocus()

    def _side_folded(self, folded: bool) -> None:
        self.strip.show_side(is_open=not folded)
        self.remember("sidebar/beside", self.drawer.wanted_beside)

    def _tell_of_ringing(self, timer: str) -> None:
        """Whoever does not look at the window is told on the desktop."""
        words = self._texts("desktop.timer.rang", timer=timer)
        announce(self.timers, words, urgent=True)
        self._call_for(words, self._texts("desktop.timer.rang_hint"))

    def _call_for(self, words: str, hint: str) -> None:
        """Whoever does not look at the window is called by the desktop."""
        if not (self.isVisible() and self.isActiveWindow()):
            self.tray.tell(words, hint)
            QApplication.alert(self)

    def _answer(self, turn: TurnId, question: str, choice: str) -> None:
        self._send(Answer(turn=turn, question=question, choice=choice))
        self.composer.input.setFocus()

    def _stop(self) -> None:
        """Stop what rings, else what goes on; when nothing does, put away what lies over the conversation."""
        if self.timers.ringing:
            self._send(DismissTimers())
        elif self._snapshot.interaction is not InteractionState.IDLE:
            self._send(Stop())
        else:
            self.browsing.put_away()
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
        """Let the user fetch, use and remove models, and enter API keys."""
        ModelDialog(self._texts, self._home, self._model, self._send, self).open()

    def show_key_dialog(self, provider: str) -> None:
        """Take the API key of a provider."""
        used = self._model.provider if self._model is not None else ""
        KeyDialog(self._texts, self._home, provider or used, self._send, self).open()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Whatever becomes of the window, what was typed is on the disk."""
        self.drafting.flush()
        super().closeEvent(event)
