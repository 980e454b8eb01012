"""What the user wants of the open conversation as a whole: its title, words in it, a file or paper with it (T-08)."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from assistant.core.service.requests.conversations import (
    ExportConversation,
    ExportForm,
    FindInConversation,
    FollowConversation,
    PinConversation,
    ReadTitle,
    RenameConversation,
)
from assistant.core.texts import Texts
from assistant.core.updates import ConversationOpened
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.title_label import TitleLabel
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.message_requests import ShownConversation
from assistant.desktop.conversations.exporting import export
from assistant.desktop.conversations.find_bar import FindBar


class OpenConversationView(QObject):
    """Keeps the title up to date, and carries out what the user wants of the open conversation.

    Args:
        window: parent of the dialogs.
        title: shows the title.
        find: the bar to find words.
        messages: shows the messages.
        shown: the conversation that is shown.
        ask: sends requests.
        show_opened: shows a conversation that was followed.
        tell: takes words for the user.
        texts: the user's texts.
    """

    def __init__(
        self,
        window: QWidget,
        title: TitleLabel,
        find: FindBar,
        messages: MessageList,
        shown: ShownConversation,
        ask: WindowRequests,
        show_opened: Callable[[ConversationOpened], None],
        tell: Callable[[str], None],
        texts: Texts,
    ) -> None:
        super().__init__(window)
        self._window, self._title, self._find, self._messages = window, title, find, messages
        self._shown, self._ask, self._show_opened, self._tell = shown, ask, show_opened, tell
        self._texts = texts
        title.renamed.connect(lambda name: ask(RenameConversation(conversation=shown.conversation, title=name)))
        find.find_wanted.connect(self._look_for)
        find.shown.connect(self._show_found)
        find.closed.connect(self._end_finding)

    def act(self, name: str) -> None:
        """Do something of ``CONVERSATION_KEYS``."""
        acts = {"find": self.find, "rename": self.rename, "pin": self.pin, "export": self.export, "print": self.print}
        if self._shown.conversation:
            acts[name]()

    def read_title(self) -> None:
        """Show the title anew: another conversation may be open, or the title another one."""
        conversation = self._shown.conversation
        if not conversation:
            return

        def show(title: str) -> None:
            if conversation == self._shown.conversation and not self._title.editing:
                self._title.show_title(title, can_change=bool(title))

        self._ask(ReadTitle(conversation=conversation), show, lambda _: None)

    def rename(self) -> None:
        """Let the user change the title where it stands."""
        self._title.edit()

    def pin(self) -> None:
        """Keep the conversation at the top of the list."""
        self._ask(PinConversation(conversation=self._shown.conversation))

    # Words

    def find(self) -> None:
        """Let the user find words in the conversation."""
        self._find.enter()

    def _look_for(self, query: str) -> None:
        self._messages.mark_words("")
        request = FindInConversation(conversation=self._shown.conversation, query=query)
        self._ask(request, lambda found: self._find.show_found(query, found))

    def _show_found(self, message: str) -> None:
        if self._messages.shows(message):
            self._messages.show_message(message)
            self._messages.mark_words(self._find.query)
        else:

            def show(opened: ConversationOpened) -> None:
                self._show_opened(opened)
                self._messages.mark_words(self._find.query)

            self._ask(FollowConversation(message=message), show)

    def _end_finding(self) -> None:
        self._messages.mark_words("")
        self._messages.setFocus(Qt.FocusReason.OtherFocusReason)

    # Files and paper

    def export(self) -> None:
        """Let the user write the conversation into a file."""
        export(self._texts, self._ask, self._window, self._tell, (self._shown.conversation,), self._title.text())

    def export_other(self, conversation: str, title: str) -> None:
        """Let the user write another conversation into a file."""
        export(self._texts, self._ask, self._window, self._tell, (conversation,), title)

    def print(self) -> None:
        """Let the user print the conversation, or make a PDF of it."""
        from assistant.desktop.conversations.printing import print_page  # A window that starts needs no printer.

        title = self._title.text()
        self._ask(
            ExportConversation(conversation=self._shown.conversation, form=ExportForm.PAGE),
            lambda page: print_page(page, title, self._window),
        )
