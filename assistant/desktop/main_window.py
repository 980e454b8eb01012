"""The window: hears of everything through updates, asks for everything through controls, decides nothing itself."""

from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from assistant.core.controls import (
    Answer,
    CancelTimer,
    ChooseModel,
    Control,
    Controls,
    DismissTimers,
    HoldToTalk,
    ListModels,
    LoadEarlier,
    NewConversation,
    Retry,
    SetMuted,
    ShowQuestion,
    Stop,
    SubmitText,
    ToggleVoice,
    UndoMemory,
)
from assistant.core.machine.states import NO_TURN, InteractionState, TurnId
from assistant.core.messages import Attachment
from assistant.core.settings import DesktopSettings
from assistant.core.texts import Texts
from assistant.core.updates import Severity, Update
from assistant.desktop.chrome.notices import announce
from assistant.desktop.chrome.notifications import Notifications
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.keyboard.focus_return import FocusReturn
from assistant.desktop.keyboard.writing_window import WritingWindow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.microphone.talk_key import TalkKey
from assistant.desktop.models.model_dialog import KeyDialog, ModelDialog
from assistant.desktop.names.names_dialog import NamesDialog
from assistant.desktop.traces.trace_dialog import TraceDialog
from assistant.desktop.update_view import UpdateView
from assistant.desktop.window_parts import WindowParts

SMALLEST = (320, 480)


class MainWindow(WritingWindow):
    """The conversation, where to type, and how Sori is.

    Args:
        controls: where the user's wishes go.
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
        home: where the window's place is remembered and ``config.toml`` is.
        talk_key: the key that is held to talk, such as ``F9``.
    """

    def __init__(
        self, controls: Controls, texts: Texts, icons: Icons, theme: Theme, home: Path, *, talk_key: str
    ) -> None:
        super().__init__(Tray(texts, icons, theme), home)
        self._controls, self._texts, self._icons, self._theme, self._home = controls, texts, icons, theme, home
        self.notifications = Notifications(self.tray, parent=self)
        self.setWindowTitle(texts("desktop.name"))
        self.setWindowIcon(icons.application())
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self._parts = parts = WindowParts(self, controls, texts, icons, theme, home, talk_key)
        self.menu, self.strip, self.notices, self.timers = parts.menu, parts.strip, parts.notices, parts.timers
        self.conversation, self.empty, self.composer = parts.conversation, parts.empty, parts.composer
        self.drafting, self.model, self.models = parts.drafting, parts.model, parts.models
        self.side, self.drawer, self.browsing = parts.side, parts.drawer, parts.browsing
        self.setCentralWidget(self.drawer)
        self._view = UpdateView(self, parts, self.tray, texts, self._call_for)
        self.talk_key = TalkKey(self, self.composer.voice, talk_key)
        self._connect()
        self._restore_place()
        self.drawer.wanted_beside = self.remembered_choice("sidebar/beside", otherwise=True)
        self.composer.input.setFocus()
        FocusReturn(self, self.composer.input)

    def _connect(self) -> None:
        self.composer.submitted.connect(self._submit)
        self.notices.undo_wanted.connect(lambda change: self._send(UndoMemory(change=change)))
        self.composer.refused.connect(lambda words: self.notices.post(words, Severity.WARNING))
        self.composer.stop_wanted.connect(self._stop)
        self.composer.voice_wanted.connect(lambda: self._send(ToggleVoice()))
        self.talk_key.held.connect(lambda held: self._send(HoldToTalk(held=held)))
        self.strip.mute.mute_wanted.connect(lambda muted: self._send(SetMuted(muted=muted)))
        self.composer.input.page_wanted.connect(self.conversation.scroll_page)
        self.conversation.retry_wanted.connect(self._retry)
        self.conversation.rest_wanted.connect(lambda: self._submit(self._texts("desktop.failure.continue")))
        self.conversation.refused.connect(self._take_back)
        self.drafting.failed.connect(self._drafts_unkept)
        self.side.restore_wanted.connect(self.drafting.restore)
        self.conversation.model_wanted.connect(self.show_models)
        self.conversation.answer_chosen.connect(self._answer)
        self.conversation.question_seen.connect(self._show_question)
        self.conversation.key_wanted.connect(self.show_key_dialog)
        self.conversation.told.connect(lambda text: announce(self.conversation, text))
        self.conversation.filled.connect(lambda filled: self._parts.pages.setCurrentIndex(int(filled)))
        self.conversation.answered.connect(lambda text: announce(self.conversation, text))
        self.empty.chosen.connect(self._submit)
        self.conversation.earlier_wanted.connect(lambda before: self._send(LoadEarlier(before=before)))
        self.strip.side.clicked.connect(self.browsing.toggle)
        self.drawer.folded.connect(self._side_folded)
        self.browsing.done.connect(self.composer.input.setFocus)
        self.browsing.message_wanted.connect(self.conversation.show_message)
        self.menu.side_wanted.connect(self.browsing.toggle)
        self.menu.search_wanted.connect(self.browsing.search)
        self.strip.new.clicked.connect(lambda: self._send(NewConversation()))
        self.model.clicked.connect(self.show_models)
        self.models.chosen.connect(self._choose_model)
        self.models.more_wanted.connect(self.show_model_dialog)
        self.without_tray.connect(lambda: self.notices.post(self._texts("desktop.notice.no_tray"), Severity.INFO))
        self.timers.cancel_wanted.connect(lambda timer: self._send(CancelTimer(timer=timer)))
        self.timers.rang.connect(self._tell_of_ringing)
        self.notifications.show_wanted.connect(self.present)
        self.notifications.unshown.connect(self.come_forward)
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
        self.menu.names_wanted.connect(self.show_names)
        self.menu.traces_wanted.connect(self.show_traces)
        self.menu.quit_wanted.connect(self.quit_wanted)

    def use(self, settings: DesktopSettings) -> None:
        """Follow the settings of the window."""
        self.talk_key.use(settings.talk_key)
        self.composer.show_talk_key(settings.talk_key)
        self.strip.meter.want(wanted=settings.level_meter)

    def show_update(self, update: Update) -> None:
        """Show an update of the engine. Call on Qt's thread."""
        self._view.show_update(update)

    # What the user wants

    def _send(self, control: Control) -> None:
        self._controls.send(control)

    def _submit(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        if self._view.stopped:
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
        if self._view.stopped:
            return  # A notice has said so, and that Sori is to be started again.
        self.conversation.retry()
        self._send(Retry(model=model))
        self.composer.input.setFocus()

    def _side_folded(self, folded: bool) -> None:
        self.strip.show_side(is_open=not folded)
        self.remember("sidebar/beside", self.drawer.wanted_beside)

    def _tell_of_ringing(self, words: str) -> None:
        """Whoever does not look at the window is told on the desktop."""
        announce(self.timers, words, urgent=True)
        self._call_for(words, self._texts("desktop.timer.rang_hint"))

    def _call_for(self, words: str, hint: str) -> None:
        """Whoever does not look at the window is called by the desktop."""
        if not (self.isVisible() and self.isActiveWindow()):
            self.notifications.tell(words, hint)
            QApplication.alert(self)

    def _show_question(self, turn: TurnId, question: str) -> None:
        self._send(ShowQuestion(turn=turn, question=question))

    def _answer(self, turn: TurnId, question: str, choice: str, text: str) -> None:
        self._send(Answer(turn=turn, question=question, choice=choice, text=text))
        self.composer.input.setFocus()

    def _stop(self) -> None:
        """Stop what rings, else what goes on; when nothing does, put away what lies over the conversation."""
        if self.timers.ringing:
            self._send(DismissTimers())
        elif self._view.background_turn != NO_TURN:
            self._send(Stop(turn=self._view.background_turn))
        elif self._view.snapshot.interaction is not InteractionState.IDLE:
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
        ModelDialog(self._texts, self._home, self._view.model, self._send, self).open()

    def show_traces(self) -> None:
        """Show the steps of the last turns with their times."""
        TraceDialog(self._texts, self._home, self._send, self).open()

    def show_names(self) -> None:
        """Let the user choose what agents are called, and have Sori learn the way they say it."""
        NamesDialog(self._texts, self._theme, self._home, self._send, self).open()

    def show_key_dialog(self, provider: str) -> None:
        """Take the API key of a provider."""
        used = self._view.model.provider if self._view.model is not None else ""
        KeyDialog(self._texts, self._home, provider or used, self._send, self).open()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Whatever becomes of the window, what was typed is on the disk."""
        self.drafting.flush()
        super().closeEvent(event)
