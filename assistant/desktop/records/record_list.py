"""A list of records with what is known of the chosen one, and what can be done with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QListView, QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from assistant.core.texts import Texts
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.theme import Theme
from assistant.desktop.records.fitting_text import FittingText
from assistant.desktop.records.record_model import RecordModel, RecordRow
from assistant.desktop.records.record_painter import RecordPainter


def _always(_: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordAction:
    """What can be done with a record.

    Attributes:
        name: names it, and its text ``desktop.<list>.<name>``.
        do: does it to a record.
        fits: whether a record allows it.
        keys: keys that do it to the chosen row; empty for none.
    """

    name: str
    do: Callable[[Any], None]
    fits: Callable[[Any], bool] = _always
    keys: str = ""


class RecordList(QWidget):
    """The list. Below it stands what ``describe`` tells of the chosen record, with a button for each action.

    Args:
        texts: the user's texts.
        theme: colours.
        name: ``desktop.<name>`` has the words of the list: ``list``, ``empty``, and one for each action.
        actions: what can be done with a record; Return does the first one that fits.
        describe: tells all of a record, a fact a line.

    Attributes:
        model: its rows.
        panel: the layout below the words of the chosen record, for what a page adds there.
    """

    chosen = Signal(object)
    """Another record was chosen; ``None`` for none."""

    def __init__(
        self,
        texts: Texts,
        theme: Theme,
        name: str,
        actions: Sequence[RecordAction],
        describe: Callable[[Any], str],
    ) -> None:
        super().__init__()
        self._texts, self._name, self._actions, self._describe = texts, name, actions, describe
        self.model = RecordModel(self)
        self.view = QListView()
        self.view.setObjectName("records")
        self.view.setAccessibleName(texts(f"desktop.{name}.list"))
        self.view.setModel(self.model)
        self.view.setItemDelegate(RecordPainter(theme, self.view))
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self.view.selectionModel().currentChanged.connect(self._current_changed)
        self.view.activated.connect(lambda _: self._do_first())
        self.empty = paragraph("")
        self.empty.setObjectName("hint")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setContentsMargins(24, 24, 24, 24)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        self.buttons: dict[str, QPushButton] = {}
        self._lay_out()
        self.setFocusProxy(self.view)
        self._key = ""
        for signal in (self.model.modelReset, self.model.rowsInserted):
            signal.connect(self._show_state)
        self._read = False
        self._show_state()

    def _lay_out(self) -> None:
        self.frame = QFrame()
        self.frame.setObjectName("kept")
        self.frame.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.words = FittingText(self._texts(f"desktop.{self._name}.list"))
        flow = FlowLayout(8)
        for action in self._actions:
            button = QPushButton(self._texts(f"desktop.{self._name}.{action.name}"))
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, action=action: self._do(action))
            flow.addWidget(button)
            self.buttons[action.name] = button
            if action.keys:
                keys = QShortcut(QKeySequence(action.keys), self.view)
                keys.setContext(Qt.ShortcutContext.WidgetShortcut)
                keys.activated.connect(lambda action=action: self._do(action))
        self.panel = QVBoxLayout(self.frame)
        self.panel.setContentsMargins(14, 10, 14, 10)
        self.panel.setSpacing(8)
        self.panel.addWidget(self.words)
        self.panel.addLayout(flow)
        self.frame.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self.frame)

    @property
    def record(self) -> Any:
        """The chosen record; ``None`` for none."""
        row = self.model.row_at(self.view.currentIndex())
        return None if row is None else row.record

    def show_rows(self, rows: Sequence[RecordRow], *, more: bool = False) -> None:
        """Show these rows; the chosen one stays chosen if it is still there."""
        self._read = True
        key = self._key
        self.model.show_rows(rows, more=more)
        self.choose(key)

    def choose(self, key: str) -> None:
        """Choose the row with this key; none if it is not shown."""
        index = self.model.index_of(key) if key else QModelIndex()
        if index == self.view.currentIndex():
            self._current_changed(index)
        else:
            self.view.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def tell_more(self, key: str, words: str) -> None:
        """Add a line to what is told of a record, if it is still the chosen one."""
        if key == self._key:
            self.words.show_text(f"{self.words.toPlainText()}\n{words}")

    def _current_changed(self, index: QModelIndex, _before: QModelIndex | None = None) -> None:
        row = self.model.row_at(index)
        self._key = "" if row is None else row.key
        self.frame.setVisible(row is not None)
        if row is not None:
            self.words.show_text(self._describe(row.record))
            for action in self._actions:
                button = self.buttons[action.name]
                button.setVisible(action.fits(row.record))
                button.setAccessibleName(f"{button.text()}: {row.title}")
        self.chosen.emit(None if row is None else row.record)

    def _show_state(self, *_: object) -> None:
        filled = bool(self.model.rowCount())
        key = f"desktop.{self._name}.empty" if self._read else "desktop.records.reading"
        self.empty.setText(self._texts("desktop.records.none_found" if self.model.narrowed else key))
        self._pages.setCurrentIndex(int(filled))
        if not filled:
            self.frame.hide()

    def _do(self, action: RecordAction) -> None:
        record = self.record
        if record is not None and action.fits(record):
            action.do(record)

    def _do_first(self) -> None:
        record = self.record
        if record is not None:
            first = next((each for each in self._actions if each.fits(record)), None)
            if first is not None:
                first.do(record)

    def _open_menu(self, point: QPoint) -> None:
        record = self.record
        if record is None:
            return
        menu = Menu(self)
        for action in self._actions:
            if action.fits(record):
                entry = menu.addAction(self._texts(f"desktop.{self._name}.{action.name}"))
                entry.triggered.connect(lambda _=False, action=action: self._do(action))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if menu.actions():
            menu.popup(self.view.viewport().mapToGlobal(point))
