"""The page of all conversations: by workspace, several at once, with files (T-08)."""

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem
from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.records.agents import DEFAULT_WORKSPACE, ListedWorkspace
from assistant.core.records.conversations import ConversationEntry, ConversationMark
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.conversations import (
    DeleteConversation,
    ListConversations,
    MoveConversation,
    OpenConversation,
    PinConversation,
    RestoreConversation,
)
from assistant.core.updates import ConversationMarked, ConversationsChanged, ImportProgressed, Update
from assistant.desktop.conversations.exporting import export
from assistant.desktop.conversations.import_panel import ImportPanel
from assistant.desktop.frame.page import Page, PageNeeds
from assistant.desktop.frame.portions import Portions
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.undo_bar import Undoable, UndoBar

_ID = Qt.ItemDataRole.UserRole
_ROWS_PX = 380
UNDO_S = 8.0
"""Seconds for which the engine can undo a deletion."""


class ConversationsPage(Page):
    """Lists all conversations by workspace. What is chosen can be opened, pinned, moved, written to a file, deleted."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, needs.texts("desktop.action.conversations"))
        self._query = ""
        self._workspaces: tuple[ListedWorkspace, ...] = ()
        self._entries: tuple[ConversationEntry, ...] = ()
        self._marks: dict[str, ConversationMark] = {}
        self._filling = Portions(self)
        note = paragraph(self.texts("desktop.conversations.note"))
        note.setObjectName("hint")
        self.imports = ImportPanel(self.texts, self.ask)
        self.imports.changed.connect(self._list)
        self.told = paragraph("")
        self.told.setObjectName("hint")
        self.told.hide()
        self.rows = self._make_rows()
        self.undo = UndoBar(self.texts)
        self.undo.undo_wanted.connect(self._restore)
        self.import_button = self._button("import", self.imports.choose)
        self.export_all = self._button("export_all", partial(self._export, everything=True))
        head = FlowLayout(8)
        head.addWidget(self.import_button)
        head.addWidget(self.export_all)
        self.open_button = self._button("open", self._open)
        self.pin_button = self._button("pin", self._pin)
        self.move_button = self._button("move", self._show_workspaces)
        self.export_button = self._button("export", self._export)
        self.delete_button = self._button("delete", self._delete)
        foot = FlowLayout(8)
        for each in self._actions:
            foot.addWidget(each)
        self.column.addWidget(note)
        self.column.addLayout(head)
        for part in (self.imports, self.told, self.rows):
            self.column.addWidget(part)
        self.column.addLayout(foot)
        self.column.addWidget(self.undo)
        self.column.addStretch(1)
        self._refresh_actions()
        self.ask(ListWorkspaces(), self._take_workspaces)
        self._list()

    def _button(self, name: str, act: Callable[[], None]) -> QPushButton:
        button = QPushButton(self.texts(f"desktop.conversations.{name}"))
        button.clicked.connect(lambda: act())
        return button

    def _make_rows(self) -> "ConversationTree":
        rows = ConversationTree()
        rows.setObjectName("conversationTree")
        rows.setAccessibleName(self.texts("desktop.conversations.list"))
        rows.setColumnCount(3)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(True)
        rows.setUniformRowHeights(True)
        rows.setMinimumHeight(_ROWS_PX)
        rows.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        rows.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows.header().setStretchLastSection(False)
        rows.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            rows.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        rows.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        rows.customContextMenuRequested.connect(self._show_menu)
        rows.itemSelectionChanged.connect(self._refresh_actions)
        rows.itemActivated.connect(lambda _: self._open())
        rows.delete_wanted.connect(self._delete)
        return rows

    @property
    def _actions(self) -> tuple[QPushButton, ...]:
        return (self.open_button, self.pin_button, self.move_button, self.export_button, self.delete_button)

    # The list

    @override
    def search(self, query: str) -> None:
        """Show the conversations that contain these words."""
        self._query = " ".join(query.split())
        self._list()

    @override
    def show_update(self, update: Update) -> None:
        """Follow the list and an import."""
        if isinstance(update, ConversationsChanged):
            if not self.imports.running:
                self._list()
        elif isinstance(update, ConversationMarked):
            self._marks[update.conversation] = update.mark
            for item in self._items():
                if item.data(0, _ID) == update.conversation:
                    item.setText(1, self._mark_of(update.conversation))
        elif isinstance(update, ImportProgressed):
            self.imports.show_progress(update)

    def _list(self) -> None:
        self.ask(ListConversations(query=self._query), self._show)

    def _take_workspaces(self, workspaces: tuple[ListedWorkspace, ...]) -> None:
        self._workspaces = workspaces
        self._show(self._entries)

    def _show(self, entries: tuple[ConversationEntry, ...]) -> None:
        self._entries = entries
        chosen = {each.data(0, _ID) for each in self.rows.selectedItems()}
        current = self.rows.verticalScrollBar().value()
        self.rows.clear()

        def end() -> None:
            self.rows.verticalScrollBar().setValue(current)
            self._refresh_actions()

        self._filling.begin(self._fill(entries, chosen), end)

    def _fill(self, entries: tuple[ConversationEntry, ...], chosen: set[str]) -> Iterator[None]:
        groups: dict[str, QTreeWidgetItem] = {}
        for entry in sorted(entries, key=lambda each: not each.pinned):
            group = groups.get(entry.workspace)
            if group is None:
                group = groups[entry.workspace] = QTreeWidgetItem([self._title_of(entry.workspace)])
                group.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.rows.addTopLevelItem(group)
                group.setFirstColumnSpanned(True)
                group.setExpanded(True)
            title = entry.title or self.texts("desktop.sidebar.untitled")
            item = QTreeWidgetItem([title, self._mark_of(entry.id), local_time(entry.updated_at)])
            item.setData(0, _ID, entry.id)
            group.addChild(item)
            item.setSelected(entry.id in chosen)
            yield

    def _title_of(self, workspace: str) -> str:
        if workspace == DEFAULT_WORKSPACE:
            return self.texts("desktop.conversations.default_workspace")
        return next((each.title for each in self._workspaces if each.name == workspace), workspace)

    def _mark_of(self, conversation: str) -> str:
        mark = self._marks.get(conversation, ConversationMark.NONE)
        if mark is not ConversationMark.NONE:
            return self.texts(f"desktop.sidebar.mark.{mark.value}")
        pinned = any(each.pinned for each in self._entries if each.id == conversation)
        return self.texts("desktop.conversations.pinned") if pinned else ""

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for at in range(self.rows.topLevelItemCount()):
            if (group := self.rows.topLevelItem(at)) is not None:
                yield from filter(None, map(group.child, range(group.childCount())))

    @property
    def chosen(self) -> tuple[ConversationEntry, ...]:
        """The chosen conversations, in the order of the list."""
        ids = {each.data(0, _ID) for each in self.rows.selectedItems()}
        return tuple(each for each in self._entries if each.id in ids)

    # What is done with the chosen ones

    def _refresh_actions(self) -> None:
        chosen = self.chosen
        for each in self._actions:
            each.setEnabled(bool(chosen))
        self.open_button.setEnabled(len(chosen) == 1)
        unpins = bool(chosen) and all(each.pinned for each in chosen)
        self.pin_button.setText(self.texts("desktop.conversations.unpin" if unpins else "desktop.conversations.pin"))
        self.export_all.setEnabled(bool(self._entries))

    def _tell(self, words: str) -> None:
        self.told.setText(words)
        self.told.show()

    def _show_menu(self, at: QPoint) -> None:
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for each in self._actions:
            menu.addAction(each.text(), each.click).setEnabled(each.isEnabled())
        menu.popup(self.rows.viewport().mapToGlobal(at))

    def _open(self) -> None:
        if len(chosen := self.chosen) == 1:
            self.ask(OpenConversation(conversation=chosen[0].id, message=chosen[0].message))
            self.window().close()

    def _pin(self) -> None:
        chosen = self.chosen
        pinned = not all(each.pinned for each in chosen)
        for each in chosen:
            self.ask(PinConversation(conversation=each.id, pinned=pinned))

    def _show_workspaces(self) -> None:
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for each in self._workspaces:
            menu.addAction(self._title_of(each.name).replace("&", "&&"), partial(self._move, each.name))
        menu.popup(self.move_button.mapToGlobal(QPoint(0, self.move_button.height())))

    def _move(self, workspace: str) -> None:
        for each in self.chosen:
            self.ask(MoveConversation(conversation=each.id, workspace=workspace))

    def _export(self, *, everything: bool = False) -> None:
        chosen = () if everything else self.chosen
        title = chosen[0].title if len(chosen) == 1 else self.texts("desktop.conversations.file_name")
        export(self.texts, self.ask, self.window(), self._tell, tuple(each.id for each in chosen), title)

    def _delete(self) -> None:
        chosen = self.chosen
        if not chosen:
            return
        for each in chosen:
            self.ask(DeleteConversation(conversation=each.id))
        count = len(chosen)
        self.undo.offer(
            Undoable(
                name="\n".join(each.id for each in chosen),
                words=self.texts("desktop.conversations.deleted", count=count),
                button_words=self.texts("desktop.conversations.undo_name", count=count),
                undo_s=UNDO_S,
            )
        )

    def _restore(self, conversations: str) -> None:
        for each in conversations.split("\n"):
            self.ask(RestoreConversation(conversation=each))


class ConversationTree(QTreeWidget):
    """The list. Delete deletes what is chosen."""

    delete_wanted = Signal()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete with the usual key."""
        if event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)
