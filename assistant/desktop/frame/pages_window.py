"""One window of all pages, as the settings of a system have it: a list at the left, the shown page at the right."""

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.finding import is_found
from assistant.core.updates import Update
from assistant.desktop.frame.page import MenuPage, Page, PageNeeds
from assistant.desktop.frame.page_list import PageList
from assistant.desktop.frame.page_words import page_words, pages_with
from assistant.desktop.kit.fields import ChoiceButton, EntryField
from assistant.desktop.kit.floating import resize_within_screen

_NARROW_PX = 700
"""Below this width the list is a button that opens it."""
_SETTINGS = "settings"
_LIST_PX = 224


class PagesWindow(QDialog):
    """Shows one page at a time. A page is made when it is shown for the first time.

    Args:
        pages: all pages, in the order of the list.
        needs: what they are made of.
        parent: the window to which it belongs.
    """

    def __init__(self, pages: Sequence[MenuPage], needs: PageNeeds, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._texts, self._needs = needs.texts, needs
        self._pages = {each.name: each for each in pages}
        self._titles = {each.name: self._texts(f"desktop.action.{each.name}") for each in pages}
        self._words = page_words(self._texts, self._titles)
        self._made: dict[str, Page] = {}
        self.shown = ""
        self._narrow: bool | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._make_parts()
        self._lay_out()
        self.finished.connect(lambda: self._made[self.shown].leave())
        self.setMinimumSize(320, 360)
        resize_within_screen(self, 960, 720)

    def _make_parts(self) -> None:
        texts = self._texts
        self.search = EntryField()
        self.search.setPlaceholderText(texts("desktop.pages.search"))
        self.search.setAccessibleName(texts("desktop.pages.search"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        groups = [
            (texts(f"desktop.pages.group.{group}"), [(each.name, self._titles[each.name]) for each in pages])
            for group, pages in groupby(self._pages.values(), key=lambda each: each.group)
        ]
        self.list = PageList(texts("desktop.pages.title"), groups)
        self.list.setFixedWidth(_LIST_PX)
        self.list.chosen.connect(self._choose)
        self.page = ChoiceButton()
        self.page.rename(texts("desktop.pages.title"))
        self.page.offer(list(self._titles.items()))
        self.page.chosen.connect(lambda name: self._choose(name, ""))
        self.part = ChoiceButton()
        self.part.rename(texts("desktop.pages.parts"))
        self.part.chosen.connect(lambda part: self._choose(self.shown, part))
        self.stack = QStackedWidget()

    def _lay_out(self) -> None:
        side = self._side = QVBoxLayout()
        side.setSpacing(8)
        self._at_side = QVBoxLayout()
        side.addLayout(self._at_side)
        side.addWidget(self.list, 1)
        choices = QHBoxLayout()
        choices.setSpacing(6)
        choices.addWidget(self.page)
        choices.addWidget(self.part)
        choices.addStretch(1)
        self._on_top = QVBoxLayout()
        self._on_top.setSpacing(8)
        self._on_top.addLayout(choices)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addLayout(self._on_top)
        right.addWidget(self.stack, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(side)
        layout.addLayout(right, 1)
        self._show_width()

    def show_page(self, name: str, at: str = "") -> None:
        """Show a page.

        Args:
            name: its name.
            at: what it shows first; empty for where it is.
        """
        self.search.clear()
        page = self._put(name)
        if at:
            page.go_to(at)
        self.list.show_page(name, page.shown if at else "")
        (page if page.focusProxy() is not None else self.list).setFocus()

    def show_update(self, update: Update) -> None:
        """Show an update in the pages that were made."""
        for page in list(self._made.values()):
            page.show_update(update)

    @property
    def shown_page(self) -> Page:
        """The page that is shown."""
        return self._made[self.shown]

    def _choose(self, name: str, part: str) -> None:
        """Show what the user has chosen in the list, where the focus stays."""
        page = self._put(name)
        if part:
            page.go_to(part)
        self.list.show_page(name, part)
        self.search.clear()

    def _put(self, name: str) -> Page:
        if self.shown and self.shown != name:
            self.shown_page.leave()
        if name not in self._made:
            page = self._made[name] = self._pages[name].make(self._needs)
            page.setObjectName(name)
            page.parts_changed.connect(lambda: self._list_parts(name))
            page.part_shown.connect(lambda: self._mark_part(name))
            self.stack.addWidget(page)
            self._list_parts(name)
        self.shown = name
        page = self._made[name]
        self.stack.setCurrentWidget(page)
        self.setWindowTitle(f"{self._titles[name]} — {self._texts('desktop.name')}")
        self._show_width()
        return page

    def _list_parts(self, name: str) -> None:
        self.list.show_parts(name, self._made[name].parts)
        self._mark_part(name)

    def _mark_part(self, name: str) -> None:
        if name == self.shown:
            self.list.show_page(name, self.shown_page.shown)
            self._show_width()

    def _search(self, words: str) -> None:
        query = words.strip()
        if not query:
            self.list.show_found(None)
        else:
            named = [name for name, title in self._titles.items() if is_found(query, title)]
            named += pages_with(query, self._words)
            searched = [name for name, page in self._pages.items() if page.searches]
            # Settings are searched too, and the shown page searches what it shows. Where pages are about the words, no
            # other page is of use.
            self.list.show_found({*named, self.shown, _SETTINGS} if named else searched)
            if self.shown not in {*named, *searched}:
                self._put([*named, *searched][0])
        self.shown_page.search(query)
        self.list.show_page(self.shown, "" if query else self.shown_page.shown)

    def _show_width(self) -> None:
        """Have the list at the side, or where there is little width as a button on top."""
        narrow = self.width() < _NARROW_PX
        if narrow != self._narrow:
            self._narrow = narrow
            self.list.setVisible(not narrow)
            self.page.setVisible(narrow)
            (self._on_top if narrow else self._at_side).addWidget(self.search)
            self._side.setContentsMargins(*((0, 0, 0, 0) if narrow else (12, 14, 0, 12)))
            self._on_top.setContentsMargins(12, 10 if narrow else 0, 12, 0)
        if self.shown:
            page = self.shown_page
            self.page.show_value(self.shown)
            self.part.offer(page.parts)
            self.part.show_value(page.shown or next((part for part, _ in page.parts), ""))
        self.part.setVisible(narrow and bool(self.shown) and bool(self.shown_page.parts))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the page all the width where there is little."""
        super().resizeEvent(event)
        self._show_width()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape empties the search before it closes the window."""
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        else:
            super().keyPressEvent(event)
