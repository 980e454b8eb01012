"""Connects the side bar to the engine: the user's actions become requests, and events are shown in the list."""

from PySide6.QtCore import QObject, QTimer, Signal

from assistant.core.service.request import NO_REQUEST
from assistant.core.service.requests.conversations import (
    DeleteConversation,
    ListConversations,
    NewConversation,
    OpenConversation,
    PinConversation,
    RenameConversation,
    RestoreConversation,
)
from assistant.core.updates import (
    ConversationDeleted,
    ConversationMarked,
    ConversationsChanged,
    ImportProgressed,
    ListUpdate,
)
from assistant.desktop.asking import WindowRequests
from assistant.desktop.sidebar.drawer import Drawer
from assistant.desktop.sidebar.side_bar import SideBar


class Browsing(QObject):
    """Keeps the visible side bar up to date, and folds it after a choice if it covers the conversation.

    Args:
        side: the side bar.
        drawer: unfolds it.
        ask: sends requests.
    """

    message_wanted = Signal(str)
    """The user wants to see the message with this id, if it is shown; nothing if it is empty."""
    changed = Signal()
    """The list is another one: conversations or their titles have changed."""
    done = Signal()
    """The user has left the side bar; the message input gets the focus."""

    def __init__(self, side: SideBar, drawer: Drawer, ask: WindowRequests) -> None:
        super().__init__(drawer)
        self._side, self._drawer, self._ask = side, drawer, ask
        self._listing = NO_REQUEST
        drawer.folded.connect(self._folded)
        side.list_wanted.connect(self._list)
        side.rename_wanted.connect(
            lambda conversation, title: ask(RenameConversation(conversation=conversation, title=title))
        )
        side.pin_wanted.connect(
            lambda conversation, pinned: ask(PinConversation(conversation=conversation, pinned=pinned))
        )
        side.delete_wanted.connect(lambda conversation: ask(DeleteConversation(conversation=conversation)))
        side.restore_wanted.connect(lambda conversation: ask(RestoreConversation(conversation=conversation)))
        side.open_wanted.connect(self._open)
        side.new_wanted.connect(self._begin)
        side.left.connect(self._leave)

    def toggle(self) -> None:
        """Unfold the side bar and focus its list, or fold it."""
        if self._drawer.is_open:
            self._drawer.fold()
        else:
            self._drawer.unfold()
            self._side.enter_search()

    def search(self) -> None:
        """Unfold the side bar and focus the search field."""
        self._drawer.unfold()
        self._side.enter_search()

    def put_away(self) -> bool:
        """Fold a side bar that covers the conversation; returns whether there was one."""
        if self._drawer.is_open and self._drawer.over:
            self._drawer.fold()
            return True
        return False

    def show_update(self, update: ListUpdate) -> None:
        """Show an update of the list."""
        match update:
            case ConversationsChanged():
                self.changed.emit()
                if self._drawer.is_open:
                    self._side.refresh()
            case ConversationMarked():
                self._side.show_mark(update)
            case ConversationDeleted():
                self._side.show_deleted(update)
            case ImportProgressed():
                pass  # The page that imports shows it.

    def _list(self, query: str) -> None:
        """List conversations. The next letter of a search gives up the listing for the last one."""
        self._ask.cancel(self._listing)
        self._listing = self._ask(ListConversations(query=query), lambda found: self._side.show_listed(query, found))

    def _open(self, conversation: str) -> None:
        entry = self._side.model.entry_at(self._side.model.index_of(conversation))
        message = entry.message if entry is not None else ""
        self._ask(OpenConversation(conversation=conversation, message=message))
        # The engine does not open a conversation that is open.
        self.message_wanted.emit(message)
        self._leave()

    def _begin(self) -> None:
        self._ask(NewConversation())
        self._leave()

    def _leave(self) -> None:
        self.put_away()
        self.done.emit()

    def _folded(self, folded: bool) -> None:
        if folded:
            # Run after Qt has moved the focus away from the hidden widgets.
            QTimer.singleShot(0, self, self.done.emit)
        else:
            self._side.refresh()
