"""The window: hears of everything through events, asks for everything through requests, decides nothing itself."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog
from typing_extensions import override

from assistant.core.errors import ErrorCode
from assistant.core.machine.states import NO_TURN, InteractionState, TurnId
from assistant.core.messages import Attachment
from assistant.core.records.memory import MemoryChange
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import ListWorkspaces, SwitchAgent
from assistant.core.service.requests.conversations import (
    FollowConversation,
    LoadMessages,
    MessagePage,
    NewConversation,
    RestoreMessages,
)
from assistant.core.service.requests.engine import FirstRunStanding, ShowFirstRun
from assistant.core.service.requests.memory import UndoMemory
from assistant.core.service.requests.models import ChooseModel, FetchModel, ListModels, OfferedModels, UnlistedModels
from assistant.core.service.requests.timers import CancelTimer, DismissTimers, SnoozeTimers
from assistant.core.service.requests.turns import BeginTurn, GiveAnswer, QuestionShown, StopTurn
from assistant.core.service.requests.voice import HoldToTalk, ReadAloud, SetMuted, Stop, ToggleVoice
from assistant.core.settings import DesktopSettings
from assistant.core.texts import Texts
from assistant.core.updates import ModelChosen, Severity, Update
from assistant.desktop.asking import Asks, WindowRequests
from assistant.desktop.chrome.leaving import Leaving
from assistant.desktop.chrome.notices import announce
from assistant.desktop.chrome.notifications import Notifications
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.composer.attachment_checks import AttachmentChecks
from assistant.desktop.conversation.message_requests import MessageRequests
from assistant.desktop.conversations.dropping import DroppedFiles
from assistant.desktop.conversations.open_one import OpenConversationView
from assistant.desktop.dictation.ways.way import TypingWay
from assistant.desktop.dictation.window_dictation import WindowDictation
from assistant.desktop.frame.page import PageNeeds, ShowsUpdates
from assistant.desktop.keyboard import global_keys
from assistant.desktop.keyboard.focus_return import FocusReturn
from assistant.desktop.keyboard.writing_window import WritingWindow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.microphone.talk_key import TalkKey
from assistant.desktop.pages import FIRST_RUN, PAGES, page_names
from assistant.desktop.reading.window_reading import WindowReading
from assistant.desktop.update_view import UpdateView
from assistant.desktop.window_parts import WindowParts

if TYPE_CHECKING:
    from assistant.desktop.first_run.first_run import FirstRunWindow
    from assistant.desktop.frame.pages_window import PagesWindow

SMALLEST = (320, 480)
_INPUT, _MODELS = "input", "list of models"
"""What notices of the window are about. They go when that is solved."""


class MainWindow(WritingWindow):
    """The conversation, where to type, and how Sori is.

    Args:
        connection: the connection to the engine; its replies come on Qt's thread.
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
        home: where the window's place is remembered and ``config.toml`` is.
        talk_key: the key that is held to talk, such as ``F9``.
        ends_sori: whether Sori ends with the window.
        typing: the ways to type into other programs.
    """

    restart_wanted = Signal()
    """The user wants Sori to start again, because a setting acts only then."""

    def __init__(
        self,
        connection: Asks,
        texts: Texts,
        icons: Icons,
        theme: Theme,
        home: Path,
        *,
        talk_key: str,
        ends_sori: bool = True,
        typing: Sequence[TypingWay] = (),
    ) -> None:
        self._connected = False
        super().__init__(Tray(texts, icons, theme), home)
        self._texts, self._icons, self._theme, self._home = texts, icons, theme, home
        self._ends_sori = ends_sori
        self._ask = WindowRequests(connection, lambda words: self.notices.post(words, Severity.WARNING))
        self.notifications = Notifications(self.tray, parent=self)
        self.setWindowTitle(texts("desktop.name"))
        self.setWindowIcon(icons.application())
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self._parts = parts = WindowParts(self, self._ask, texts, icons, theme, home, talk_key)
        self.menu, self.strip, self.notices, self.timers = parts.menu, parts.strip, parts.notices, parts.timers
        self.conversation, self.empty, self.composer = parts.conversation, parts.empty, parts.composer
        self.drafting, self.model, self.models, self.undo = parts.drafting, parts.model, parts.models, parts.undo
        self.side, self.drawer, self.browsing = parts.side, parts.drawer, parts.browsing
        self.centre, self.listening = parts.centre, parts.listening
        self.better = parts.better
        self.setCentralWidget(self.drawer)
        self.dictation = WindowDictation(self._ask, texts, theme, typing, self)
        self.reading = WindowReading(self._ask, parts.reading, self)
        self.beside = parts.beside
        self._view = UpdateView(parts, self.tray, texts, self._call_for, self._refetch, self.dictation, self.reading)
        told = partial(self.notices.post, severity=Severity.WARNING)
        self._messages = MessageRequests(self.conversation, self._ask, self._view, told)
        self.dropped = DroppedFiles(self, self._ask, texts, self.composer.attach_files, self._import)
        self.open_conversation = OpenConversationView(
            self,
            self.strip.title,
            parts.find,
            self.conversation,
            self._view,
            self._ask,
            self._view.show_opened,
            partial(self.notices.post, severity=Severity.INFO),
            texts,
            theme,
        )
        self.talk_key = TalkKey(self, self.composer.voice, talk_key)
        self.leaving = Leaving(self, self._ask.within(self), texts)
        self._file_checks = AttachmentChecks(
            self.composer.files, self.composer.file_warning, self._ask, lambda: self._view.conversation
        )
        self._connect()
        self._connected = True
        self._restore_place()
        self.centre.want_listening(wanted=self.remembered_choice("listening/wanted", otherwise=True))
        self.drawer.wanted_beside = self.remembered_choice("sidebar/beside", otherwise=True)
        self.composer.input.setFocus()
        FocusReturn(self, self.composer.input)

    def _connect(self) -> None:
        self.composer.submitted.connect(self._submit)
        self.undo.undo_wanted.connect(lambda deletion: self._ask(RestoreMessages(deletion=deletion)))
        self.notices.undo_wanted.connect(self._undo_memory)
        self.notices.page_wanted.connect(self._open_remedy)
        self.notices.fetch_wanted.connect(lambda model: self._ask(FetchModel(model=model)))
        self.composer.refused.connect(
            lambda words: self.notices.post(words, Severity.WARNING, about=f"{_INPUT}: {words}")
        )
        self.composer.stop_wanted.connect(self._stop)
        self.composer.file_warning.model_wanted.connect(self.show_models)
        self.composer.voice_wanted.connect(self.toggle_voice)
        self.talk_key.held.connect(lambda held: self.hold_to_talk(held=held))
        self.strip.mute.mute_wanted.connect(lambda muted: self._ask(SetMuted(muted=muted)))
        self.composer.input.page_wanted.connect(self.conversation.scroll_page)
        self._messages.sent.connect(self.composer.input.setFocus)
        self.conversation.file_told.connect(lambda words: self.notices.post(words, Severity.INFO))
        self.conversation.rest_wanted.connect(lambda: self._submit(self._texts("desktop.failure.continue")))
        self.conversation.refused.connect(self._take_back)
        self.conversation.take_back_wanted.connect(lambda turn: self._ask(StopTurn(turn=turn)))
        self.drafting.failed.connect(self._drafts_unkept)
        self.side.restore_wanted.connect(self.drafting.restore)
        self.conversation.model_wanted.connect(self.show_models)
        self.conversation.answer_chosen.connect(self._answer)
        self.conversation.question_seen.connect(self._show_question)
        self.conversation.question_held.connect(self._hold_question)
        self.conversation.key_wanted.connect(self.show_key_dialog)
        self.conversation.page_wanted.connect(self.show_page)
        self.conversation.told.connect(lambda text: announce(self.conversation, text))
        self.conversation.filled.connect(self.centre.fill)
        self.centre.preferred.connect(partial(self.remember, "listening/wanted"))
        self.centre.changed.connect(
            lambda: self.strip.make_way(voiced=self.centre.voiced, listening=self.centre.listening)
        )
        self.strip.told.connect(self.listening.tell)
        self.strip.listen.clicked.connect(self.centre.toggle)
        self.menu.listen_wanted.connect(self.centre.toggle)
        self.side.open_wanted.connect(self.centre.step_aside)
        self.conversation.answered.connect(lambda text: announce(self.conversation, text))
        self.empty.chosen.connect(self._submit)
        self.empty.begun.connect(self.composer.begin)
        self.empty.files_wanted.connect(self._choose_files)
        self.empty.voice_wanted.connect(self.toggle_voice)
        self.empty.page_wanted.connect(self.show_page)
        self.conversation.earlier_wanted.connect(self._load_earlier)
        self.strip.side.clicked.connect(self.browsing.toggle)
        self.drawer.folded.connect(self._side_folded)
        self.browsing.done.connect(self.composer.input.setFocus)
        self.browsing.message_wanted.connect(self.conversation.show_message)
        self.menu.side_wanted.connect(self.browsing.toggle)
        self.menu.search_wanted.connect(self.browsing.search)
        self.menu.conversation_wanted.connect(self.open_conversation.act)
        self.browsing.changed.connect(self.open_conversation.read_title)
        self.side.export_wanted.connect(self.open_conversation.export_other)
        self.strip.new.clicked.connect(lambda: self._ask(NewConversation()))
        self.model.clicked.connect(self.show_models)
        self.models.chosen.connect(self._choose_model)
        self.models.more_wanted.connect(partial(self.show_page, "models"))
        self.models.trouble_chosen.connect(self._tell_of_unlisted)
        self.timers.cancel_wanted.connect(lambda timer: self._ask(CancelTimer(timer=timer)))
        self.timers.rang.connect(self._tell_of_ringing)
        self.timers.snooze_wanted.connect(self._snooze)
        self.tray.snooze_wanted.connect(self._snooze)
        self.notifications.chosen.connect(lambda _: self._snooze())
        self.tray.opening.connect(self._fill_tray)
        self.tray.copy_wanted.connect(self._copy_answer)
        self.tray.aloud_wanted.connect(lambda: self._ask(ReadAloud(text=self.conversation.last_answer)))
        self.tray.agent_wanted.connect(lambda place, name: self._ask(SwitchAgent(agent=name, workspace=place)))
        self.notifications.show_wanted.connect(self.present)
        self.notifications.unshown.connect(self.come_forward)
        self.tray.quiet_wanted.connect(lambda: self._ask(DismissTimers()))
        self.tray.voice_wanted.connect(self.toggle_voice)
        self.tray.mute_wanted.connect(lambda muted: self._ask(SetMuted(muted=muted)))
        self.menu.new_wanted.connect(lambda: self._ask(NewConversation()))
        self.menu.voice_wanted.connect(self.toggle_voice)
        self.menu.mute_wanted.connect(lambda muted: self._ask(SetMuted(muted=muted)))
        self.menu.stop_wanted.connect(self._stop)
        self.menu.copy_wanted.connect(self._copy_answer)
        self.menu.read_wanted.connect(self.read_chosen)
        self.beside.submitted.connect(self._submit)
        self.beside.voice_wanted.connect(self.toggle_voice)
        self.beside.open_wanted.connect(self.present)
        self.beside.stop_wanted.connect(lambda: self._ask(Stop()))
        self.tray.quick_wanted.connect(lambda: self.beside.quick.toggle())
        self.menu.attach_wanted.connect(self.composer.choose_files)
        self.menu.model_wanted.connect(self.show_models)
        self.menu.page_wanted.connect(self.show_page)
        self.menu.quit_wanted.connect(self.want_end)
        self.leaving.leave.connect(self.quit_wanted)
        self.leaving.stay.connect(self.hide)

    def use(self, settings: DesktopSettings) -> None:
        """Follow the settings of the window."""
        self.talk_key.use(settings.talk_key)
        self.composer.show_talk_key(settings.talk_key)

    def show_update(self, update: Update) -> None:
        """Show an update of the engine. Call on Qt's thread."""
        self._view.show_update(update)
        if isinstance(update, ModelChosen):
            self._file_checks.check()
        for dialog in self.findChildren(QDialog, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if isinstance(dialog, ShowsUpdates):
                dialog.show_update(update)

    # What the user wants

    def toggle_voice(self) -> None:
        """Begin or end a spoken conversation."""
        self._ask(ToggleVoice())

    def hold_to_talk(self, *, held: bool) -> None:
        """The key for talking is down or up."""
        self._ask(HoldToTalk(held=held))

    def use_shortcut(self, name: str) -> None:
        """A shortcut of ``global_keys`` was pressed."""
        match name:
            case global_keys.TOGGLE:
                self.toggle_voice()
            case global_keys.QUICK:
                self.beside.quick.toggle()
            case global_keys.READ:
                self.read_chosen()
            case _:
                pass

    def read_chosen(self) -> None:
        """Have the selection or the clipboard read aloud."""
        if not self.reading.read_chosen():
            self.notices.post(self._texts("desktop.reading.nothing"), Severity.INFO)

    def hold_shortcut(self, name: str, *, held: bool) -> None:
        """A shortcut of ``global_keys`` that is held was pressed or released."""
        if name == global_keys.DICTATE:
            self.dictation.press(down=held)
        else:
            self.hold_to_talk(held=held)

    def _refetch(self) -> None:
        """Show anew what events would have shown."""
        self.follow()
        self.side.refresh()

    def follow(self) -> None:
        """Show the open conversation, wherever it goes."""
        self._ask(FollowConversation(), self._view.show_opened)
        self.dictation.offer()

    def _submit(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        if self._view.stopped:
            self._take_back(NO_TURN, text, attachments, self._texts("desktop.notice.not_sent"))
        else:
            turn, shown = self._ask.new_turn(), self._view.conversation
            self.centre.step_aside()
            self.conversation.send(turn, text, attachments)
            self.notices.settle(_INPUT)
            self.drafting.sent(turn, text)
            request = BeginTurn(turn=turn, conversation=shown, text=text, attachments=attachments)
            if shown:
                self._ask(request, otherwise=partial(self._refuse, turn))
            else:
                self._view.when_shown(
                    lambda first: self._ask(replace(request, conversation=first), otherwise=partial(self._refuse, turn))
                )
        self.composer.input.setFocus()

    def _choose_files(self, words: str) -> None:
        """Let the user choose files to be sent with these words."""
        self.composer.begin(words)
        self.composer.choose_files()

    def _refuse(self, turn: TurnId, refusal: Refusal) -> None:
        self.conversation.refuse(turn, refusal.message)

    def _take_back(self, turn: TurnId, text: str, attachments: tuple[Attachment, ...], reason: str) -> None:
        """What was not taken is back where it was typed."""
        self.drafting.give_back(turn, text, attachments)
        if reason:
            self.notices.post(reason, Severity.WARNING, about=_INPUT)

    def _drafts_unkept(self, reason: str) -> None:
        self.notices.post(self._texts("desktop.notice.drafts_unkept"), Severity.WARNING, about="drafts", detail=reason)

    def _side_folded(self, folded: bool) -> None:
        self.strip.show_side(is_open=not folded)
        self.remember("sidebar/beside", self.drawer.wanted_beside)

    def _tell_of_ringing(self, words: str) -> None:
        """Whoever does not look at the window is told on the desktop."""
        announce(self.timers, words, urgent=True)
        self._call_for(words, self._texts("desktop.timer.rang_hint"), {"snooze": self._texts("desktop.timer.snooze")})

    def _snooze(self) -> None:
        """What rings is silent, and rings again later."""
        self._ask(SnoozeTimers())

    def _fill_tray(self) -> None:
        """The menu of the tray is about to be shown."""
        self.tray.show_answer(there=bool(self.conversation.last_answer))
        self._ask(ListWorkspaces(), self.tray.show_agents, otherwise=lambda _: None)

    def _call_for(self, words: str, hint: str, actions: Mapping[str, str] | None = None) -> None:
        """Whoever does not look at the window is called by the desktop."""
        if not (self.isVisible() and self.isActiveWindow()):
            self.notifications.tell(words, hint, actions)
            QApplication.alert(self)

    def _show_question(self, turn: TurnId, question: str) -> None:
        self._ask(QuestionShown(turn=turn, question=question))

    def _hold_question(self, turn: TurnId, question: str, held: bool) -> None:
        self._ask(QuestionShown(turn=turn, question=question, held=held))

    def _answer(self, turn: TurnId, question: str, choice: str, text: str) -> None:
        self._ask(GiveAnswer(turn=turn, question=question, choice=choice, text=text))
        self.composer.input.setFocus()

    def _stop(self) -> None:
        """Stop what rings, else what goes on; when nothing does, put away what lies over the conversation."""
        if self.timers.ringing:
            self._ask(DismissTimers())
        elif self._view.background_turn != NO_TURN:
            self._ask(StopTurn(turn=self._view.background_turn))
        elif self._view.snapshot.interaction is not InteractionState.IDLE:
            self._ask(Stop())
        else:
            self.browsing.put_away()
        if not (self.drawer.is_open and self.drawer.over):  # What is typed beneath a side bar is not seen.
            self.composer.input.setFocus()

    def _copy_answer(self) -> None:
        if text := self.conversation.last_answer:
            QGuiApplication.clipboard().setText(text)
            self.notices.post(self._texts("desktop.action.copied"), Severity.INFO)

    def show_models(self) -> None:
        """Let the user choose a model for this conversation, from those that are found meanwhile."""
        self.models.show_searching(searching=True)
        self._ask(ListModels(conversation=self._view.conversation), self._show_offered, self._search_failed)
        self.models.open_above(self.model.mapToGlobal(QPoint(self.model.width(), 0)))

    def _show_offered(self, offered: OfferedModels) -> None:
        self.models.show_models(offered.models)
        self.models.show_chosen(offered.chosen)
        self.models.show_unlisted(offered.unlisted)
        if not offered.unlisted:
            self.notices.settle(_MODELS)
        self.models.show_searching(searching=False)

    def _tell_of_unlisted(self, unlisted: UnlistedModels) -> None:
        """Tell what to do about models that could not be listed; a key can be entered at once."""
        if unlisted.code == ErrorCode.AUTHENTICATION:
            self.show_key_dialog(unlisted.provider)
        self.notices.post(unlisted.message, Severity.WARNING, about=_MODELS)

    def _search_failed(self, refusal: Refusal) -> None:
        self.models.show_searching(searching=False)
        self.notices.post(refusal.message, Severity.WARNING, about=_MODELS)

    def _choose_model(self, reference: str) -> None:
        self._use_model(reference)
        self.composer.input.setFocus()

    def _use_model(self, reference: str) -> None:
        """Use a model in the shown conversation."""
        self._view.when_shown(lambda shown: self._ask(ChooseModel(conversation=shown, model=reference)))

    def _load_earlier(self, before: str) -> None:
        conversation = self._view.conversation

        def show(page: MessagePage) -> None:
            if conversation == self._view.conversation:
                self.conversation.show_earlier(page.messages, more=page.more)

        self._ask(LoadMessages(conversation=conversation, before=before), show)

    def _undo_memory(self, change: str) -> None:
        def tell(undone: MemoryChange | None) -> None:
            key = "memory.nothing_to_undo" if undone is None else "memory.undone"
            fact = "" if undone is None else undone.text
            self.notices.post(self._texts(key, fact=fact), Severity.INFO)

        self._ask(UndoMemory(change=change), tell)

    @property
    def open_pages(self) -> list[QDialog]:
        """The dialogs that are open."""
        return [each for each in self.findChildren(QDialog) if each.isVisible()]

    @property
    def shown_page(self) -> tuple[str, str] | None:
        """The name of the page that is shown with the part that it shows, for another window."""
        pages = self._pages
        return None if pages is None else (pages.shown, pages.shown_page.shown)

    @property
    def _pages(self) -> "PagesWindow | None":
        """The window of pages, if it is open."""
        from assistant.desktop.frame.pages_window import PagesWindow

        return next((each for each in self.open_pages if isinstance(each, PagesWindow)), None)

    def _open_remedy(self, page: str) -> None:
        self.show_page(page if page in page_names() else "settings")

    def show_page(self, name: str, at: str = "") -> None:
        """Show one of ``PAGES`` in the window of pages, which may be open already.

        Args:
            name: the name of the page.
            at: what it shows first, such as the name of a setting; empty for its beginning.
        """
        # Imported when it is opened: a window that starts needs none of it.
        from assistant.desktop.frame.pages_window import PagesWindow

        if name == FIRST_RUN:
            self.show_first_run()
            return
        pages = self._pages
        if pages is None:
            pages = PagesWindow(PAGES, self._page_needs(), self)
        pages.show_page(name, at)
        pages.show()
        pages.raise_()
        pages.activateWindow()

    def _page_needs(self) -> PageNeeds:
        return PageNeeds(
            texts=self._texts,
            theme=self._theme,
            home=self._home,
            ask=self._ask,
            show=self.show_page,
            restart=self.restart_wanted.emit if self._ends_sori else None,
            model=lambda: self._view.model,
            use_model=self._use_model,
            conversation=lambda: self._view.conversation,
        )

    @property
    def first_run(self) -> "FirstRunWindow | None":
        """The first run, while it is shown."""
        from assistant.desktop.first_run.first_run import FirstRunWindow

        return next((each for each in self.open_pages if isinstance(each, FirstRunWindow)), None)

    def begin_first_run(self) -> None:
        """Lead a new user through the settings, from where the first run stands, unless it is over."""

        def show(standing: FirstRunStanding) -> None:
            if standing.over:
                self._parts.better.begin()
            else:
                self.show_first_run(standing.step)

        self._ask(ShowFirstRun(), show, lambda _: None)

    def show_first_run(self, step: str = "") -> None:
        """Show the first run, which may be shown already.

        Args:
            step: the name of its step; empty for the beginning.
        """
        from assistant.desktop.first_run.first_run import FirstRunWindow

        shown = self.first_run
        if shown is None:
            shown = FirstRunWindow(self._page_needs(), step, self)
            shown.asked.connect(self._submit)
            shown.show()
        shown.raise_()
        shown.activateWindow()

    @override
    def take_dropped(self, data: QMimeData) -> None:
        """Take dropped files: exports of conversations can be imported, all others are attached."""
        self.dropped.drop(data)

    def _import(self, path: Path) -> None:
        """Import the conversations of a file, on the page of conversations."""
        from assistant.desktop.conversations.conversations_page import ConversationsPage

        self.show_page("conversations")
        page = self._pages.shown_page if self._pages is not None else None
        if isinstance(page, ConversationsPage):
            page.imports.take([path])

    def show_key_dialog(self, provider: str) -> None:
        """Take the API key of a provider."""
        used = self._view.model.provider if self._view.model is not None else ""
        self.show_page("models", provider or used)

    @override
    def want_end(self) -> None:
        """End Sori, after a question if something would be lost. What is lost with a window alone is nothing."""
        if self._ends_sori:
            self.leaving.begin(in_tray=self.tray.available)
        else:
            self.quit_wanted.emit()

    @override
    def close_without_tray(self) -> None:
        """End Sori; the first time the user is told that this is what closing the window means here."""
        if self._ends_sori:
            self.leaving.begin(in_tray=False, surprises=self.tells("no_tray"))
        else:
            self.quit_wanted.emit()

    @override
    def event(self, event: QEvent) -> bool:
        """Let the overlay stand in for a window that is closed or minimised."""
        taken = super().event(event)
        if event.type() in {QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.WindowStateChange} and self._connected:
            self.beside.see_window(seen=self.isVisible() and not self.isMinimized())
        return taken

    @override
    def leave(self) -> None:
        """Close what floats beside the window as well."""
        self.dictation.close()
        self.beside.close()
        super().leave()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Whatever becomes of the window, what was typed is on the disk."""
        self.drafting.flush()
        super().closeEvent(event)
