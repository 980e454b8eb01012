"""The window: hears of everything through events, asks for everything through requests, decides nothing itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Signal
from PySide6.QtGui import QCloseEvent, QCursor
from typing_extensions import override

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.settings import DesktopSettings
from assistant.core.texts import Texts
from assistant.core.updates import ModelChosen, Severity, Update
from assistant.desktop.asking import Asks, WindowRequests
from assistant.desktop.chrome.leaving import Leaving
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.composer.attachment_checks import AttachmentChecks
from assistant.desktop.conversation.message_requests import MessageRequests
from assistant.desktop.conversations.dropping import DroppedFiles
from assistant.desktop.conversations.open_one import OpenConversationView
from assistant.desktop.dictation.ways.way import TypingWay
from assistant.desktop.dictation.window_dictation import WindowDictation
from assistant.desktop.drafts.drafting import Unsent
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.keyboard.focus_return import FocusReturn
from assistant.desktop.keyboard.writing_window import WritingWindow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.microphone.talk_key import TalkKey
from assistant.desktop.projects.attached_texts import AttachedTexts
from assistant.desktop.projects.dropping import DroppedPaths, paths_in
from assistant.desktop.reading.window_reading import WindowReading
from assistant.desktop.update_view import UpdateView
from assistant.desktop.window.calling import Calling
from assistant.desktop.window.message_sending import MessageSending
from assistant.desktop.window.model_choosing import ModelChoosing
from assistant.desktop.window.page_opening import PageOpening
from assistant.desktop.window.shortcuts import Shortcuts
from assistant.desktop.window_parts import WindowParts

SMALLEST = (320, 480)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """What the user is at in a window, and what the engine does not know.

    Attributes:
        unsent: what is typed and attached.
        being_sent: messages that the engine has not confirmed: turn, text and files.
        edits: what is written in the place of messages, by their ids.
        title: what is written as the title of the open conversation; ``None`` if it is not being changed.
        renamed: the conversation of the list that is being renamed, and its name so far.
    """

    unsent: Unsent
    being_sent: tuple[tuple[TurnId, str, tuple[Attachment, ...]], ...]
    edits: Mapping[str, str]
    title: str | None
    renamed: tuple[str, str] | None


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

    Attributes:
        pages: opens the pages and the first run.
        shortcuts: carries out the shortcuts of the whole desktop.
        calling: calls a user who does not look at the window.
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
        self._ends_sori = ends_sori
        self._ask = ask = WindowRequests(connection, lambda words: self.notices.post(words, Severity.WARNING))
        self.setWindowTitle(texts("desktop.name"))
        self.setWindowIcon(icons.application())
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        parts = self._parts = WindowParts(self, ask, texts, icons, theme, home, talk_key)
        self._name_parts(parts)
        self.setCentralWidget(self.drawer)
        self.dictation = WindowDictation(ask, texts, theme, typing, self)
        self.reading = WindowReading(ask, parts.reading, self)
        self.calling = Calling(self, parts, ask, texts)
        self._view = UpdateView(parts, self.tray, texts, self.calling.call, self._refetch, self.dictation, self.reading)
        self._models = ModelChoosing(parts, ask, self._view, lambda provider: self.pages.show_key(provider), self)
        needs = PageNeeds(
            texts=texts,
            theme=theme,
            home=home,
            ask=ask,
            show=self.show_page,
            restart=self.restart_wanted.emit if ends_sori else None,
            model=lambda: self._view.model,
            use_model=self._models.use,
            conversation=lambda: self._view.conversation,
        )
        self.pages = PageOpening(self, needs)
        self._sending = MessageSending(parts, ask, self._view, texts, self)
        self.talk_key = TalkKey(self, self.composer.voice, talk_key)
        self.shortcuts = Shortcuts(parts, self.tray, ask, self.dictation, self.reading, self.talk_key, texts)
        self._make_the_rest(texts)
        self._connect()
        self._connected = True
        self._restore_place()
        self.centre.want_listening(wanted=self.remembered_choice("listening/wanted", otherwise=True))
        self.drawer.wanted_beside = self.remembered_choice("sidebar/beside", otherwise=True)
        self.composer.input.setFocus()
        FocusReturn(self, self.composer.input)

    def _name_parts(self, parts: WindowParts) -> None:
        self.menu, self.strip, self.notices, self.timers = parts.menu, parts.strip, parts.notices, parts.timers
        self.conversation, self.empty, self.composer = parts.conversation, parts.empty, parts.composer
        self.drafting, self.model, self.models, self.undo = parts.drafting, parts.model, parts.models, parts.undo
        self.side, self.drawer, self.browsing = parts.side, parts.drawer, parts.browsing
        self.centre, self.listening = parts.centre, parts.listening
        self.better, self.beside = parts.better, parts.beside

    def _make_the_rest(self, texts: Texts) -> None:
        """Make what works with the open conversation and its files, and what ends Sori."""
        told = partial(self.notices.post, severity=Severity.WARNING)
        self._messages = MessageRequests(self.conversation, self._ask, self._view, told, texts)
        self._dropped_folders = DroppedPaths(texts, self._ask, self, partial(self.notices.post, severity=Severity.INFO))
        self.dropped = DroppedFiles(self, self._ask, texts, self.composer.attach_files, self.pages.import_from)
        self.open_conversation = OpenConversationView(
            self,
            self.strip.title,
            self._parts.find,
            self.conversation,
            self._view,
            self._ask,
            self._view.show_opened,
            partial(self.notices.post, severity=Severity.INFO),
            texts,
        )
        self.leaving = Leaving(self, self._ask.within(self), texts)
        self._file_checks = AttachmentChecks(
            self.composer.files, self.composer.file_warning, self._ask, lambda: self._view.conversation, texts
        )
        self._attached_texts = AttachedTexts(
            self.composer.files, self._dropped_folders, self._ask, lambda: self._view.conversation
        )

    def _connect(self) -> None:
        self._messages.sent.connect(self.composer.input.setFocus)
        for page in (self.menu.page_wanted, self.empty.page_wanted, self.conversation.page_wanted):
            page.connect(self.show_page)
        self.composer.file_warning.project_wanted.connect(self._add_attached_to_project)
        self._parts.project.page_wanted.connect(partial(self.show_page, "projects"))
        self.models.more_wanted.connect(partial(self.show_page, "models"))
        self.notices.page_wanted.connect(self.pages.show_remedy)
        self.conversation.key_wanted.connect(self.pages.show_key)
        self.pages.asked.connect(self._sending.submit)
        self.pages.first_run_over.connect(self.better.begin)
        self._connect_views()
        self.menu.conversation_wanted.connect(self.open_conversation.act)
        self.browsing.changed.connect(self.open_conversation.read_title)
        self.side.export_wanted.connect(self.open_conversation.export_other)
        self.menu.quit_wanted.connect(self.want_end)
        self.leaving.leave.connect(self.quit_wanted)
        self.leaving.stay.connect(self.hide)

    def _add_attached_to_project(self) -> None:
        """Ask to which project the attached files go that are too long to be sent."""
        if chips := tuple(self._file_checks.for_project):
            button = self.composer.file_warning.project
            self._attached_texts.offer(chips, button.mapToGlobal(button.rect().bottomLeft()))

    def _connect_views(self) -> None:
        """Connect what decides whether the side bar, the listening view or the conversation is seen."""
        self.conversation.filled.connect(self.centre.fill)
        self.centre.preferred.connect(partial(self.remember, "listening/wanted"))
        self.centre.changed.connect(
            lambda: self.strip.make_way(voiced=self.centre.voiced, listening=self.centre.listening)
        )
        self.strip.told.connect(self.listening.tell)
        self.strip.listen.clicked.connect(self.centre.toggle)
        self.menu.listen_wanted.connect(self.centre.toggle)
        self.side.open_wanted.connect(self.centre.step_aside)
        self.strip.side.clicked.connect(self.browsing.toggle)
        self.drawer.folded.connect(self._side_folded)
        self.browsing.done.connect(self.composer.input.setFocus)
        self.browsing.message_wanted.connect(self.conversation.show_message)
        self.menu.side_wanted.connect(self.browsing.toggle)
        self.menu.search_wanted.connect(self.browsing.search)

    def use(self, settings: DesktopSettings) -> None:
        """Follow the settings of the window."""
        self.talk_key.use(settings.talk_key)
        self.composer.show_talk_key(settings.talk_key)

    def show_update(self, update: Update) -> None:
        """Show an update of the engine. Call on Qt's thread."""
        self._view.show_update(update)
        if isinstance(update, ModelChosen):
            self._file_checks.check()
        self.pages.show_update(update)

    def show_page(self, name: str, at: str = "") -> None:
        """Show a page (``PageOpening.show``)."""
        self.pages.show(name, at)

    def _refetch(self) -> None:
        """Show anew what events would have shown."""
        self.follow()
        self.side.refresh()

    def follow(self) -> None:
        """Show the open conversation, wherever it goes."""
        self._ask(FollowConversation(), self._view.show_opened)
        self.dictation.offer()

    def _side_folded(self, folded: bool) -> None:
        self.strip.show_side(is_open=not folded)
        self.remember("sidebar/beside", self.drawer.wanted_beside)

    @override
    def take_dropped(self, data: QMimeData) -> None:
        """Take what was dropped: folders for projects, exports to be imported; other files are attached."""
        if any(each.is_dir() for each in paths_in(data)):
            self._dropped_folders.take(paths_in(data), QCursor.pos())
        else:
            self.dropped.drop(data)

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

    def hand_over(self) -> Unfinished:
        """Give away what the user is at, to a window that replaces this one."""
        return Unfinished(
            unsent=self.drafting.hand_over(),
            being_sent=self.conversation.being_sent,
            edits=self.conversation.edits,
            title=self.strip.title.written,
            renamed=self.side.rows.written,
        )

    def take_over(self, unfinished: Unfinished) -> None:
        """Let the user go on with what stood in a window that this one replaces."""
        self.drafting.take_over(unfinished.unsent)
        for turn, text, files in unfinished.being_sent:
            self.conversation.send(turn, text, files)
            self.drafting.sent(turn, text)
        self.conversation.take_edits(unfinished.edits)
        if unfinished.title is not None:
            self.strip.title.take_written(unfinished.title)
        if unfinished.renamed is not None:
            self.side.take_written(*unfinished.renamed)
            self.drawer.unfold()

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
