"""A part of a page that is a list of records, and pages that are made of parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.updates import Update
from assistant.desktop.asking import WindowRequests
from assistant.desktop.frame.page import Page, PageColumn, PageNeeds, scrolling
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.records.record_list import RecordAction, RecordList
from assistant.desktop.records.record_model import RecordRow
from assistant.desktop.records.word_bar import WordBar

PAGE_ROWS = 200
"""Records of one request."""


class PagePart(QWidget):
    """A part of a page. It puts what it shows into ``column``, and asks with ``ask``, whose replies end with it.

    Args:
        needs: what it is made of.
        name: ``desktop.<name>.intro`` explains the part.
    """

    def __init__(self, needs: PageNeeds, name: str) -> None:
        super().__init__()
        self.needs, self.texts, self.theme, self.name = needs, needs.texts, needs.theme, name
        self.ask: WindowRequests = needs.ask.within(self)
        self.column = PageColumn(self)
        self.column.setContentsMargins(20, 4, 20, 16)
        self.column.setSpacing(8)
        self.intro = paragraph(self.texts(f"desktop.{name}.intro"))
        self.intro.setObjectName("hint")
        self.column.addWidget(self.intro)
        self.bar = FlowLayout(8)
        self.column.addLayout(self.bar)
        self.told = WordBar(self.texts)
        self.column.addWidget(self.told)

    def add_button(self, name: str, clicked: Callable[[], None]) -> QPushButton:
        """Add a button above the content, with the text ``desktop.<part>.<name>``."""
        button = QPushButton(self.texts(f"desktop.{self.name}.{name}"))
        button.setAutoDefault(False)
        button.clicked.connect(lambda: clicked())
        self.bar.addWidget(button)
        return button

    def search(self, query: str) -> None:
        """Show what contains these words; all again for no words."""

    def show_update(self, update: Update) -> None:
        """Show an update of the engine, if it concerns the part."""

    def show_conversation(self, request: OpenConversation) -> None:
        """Show a conversation in the window, which lies behind the pages."""

        def shown(_: None) -> None:
            self.window().close()

        self.ask(request, shown, self.refuse)

    def refuse(self, refusal: Refusal) -> None:
        """Tell why something was not done."""
        self.told.tell(refusal.words)


class RecordsPart(PagePart):
    """A list of records.

    Args:
        needs: what it is made of.
        name: ``desktop.<name>`` has its words.
        actions: what can be done with a record.
    """

    def __init__(self, needs: PageNeeds, name: str, actions: Sequence[RecordAction] = ()) -> None:
        super().__init__(needs, name)
        self._query = ""
        self.kind = ChoiceButton()
        self.kind.rename(self.texts("desktop.records.kind"))
        self.kind.chosen.connect(self._choose_kind)
        self.kind.hide()
        self.bar.addWidget(self.kind)
        self.list = RecordList(self.texts, self.theme, name, actions, self.describe)
        self.list.model.more_wanted.connect(self.load)
        self.column.addWidget(self.list, 1)
        self.setFocusProxy(self.list)

    def load(self, last: RecordRow | None = None) -> None:
        """Ask for the page after a row; for the first one if there is none."""
        raise NotImplementedError

    def describe(self, record: Any) -> str:
        """All that is known of a record, a fact a line."""
        raise NotImplementedError

    def show_page(self, last: RecordRow | None, rows: Sequence[RecordRow], *, more: bool = False) -> None:
        """Show a page that was asked for with ``load``."""
        if last is None:
            self.list.show_rows(rows, more=more)
        else:
            self.list.model.add_rows(rows, more=more)

    def offer_kinds(self, kinds: Sequence[tuple[str, str]]) -> None:
        """Let the user leave out rows by their kind; the first choice is all."""
        self.kind.offer([("", self.texts(f"desktop.{self.name}.all")), *kinds])
        self.kind.show_value(self.kind.value if self.kind.value in dict(kinds) else "")
        self.kind.setVisible(len(kinds) > 1)
        self.list.model.narrow(self._query, self.kind.value)

    @override
    def search(self, query: str) -> None:
        self._query = query
        self.list.model.narrow(query, self.kind.value)

    def _choose_kind(self, kind: str) -> None:
        self.kind.show_value(kind)
        self.list.model.narrow(self._query, kind)


class PartedPage(Page):
    """A page of parts, each of which is made when it is shown for the first time.

    Args:
        needs: what it is made of.
        name: ``desktop.action.<name>`` is its title, ``desktop.<name>.part.<part>`` those of its parts.
        parts: makes each part.
    """

    def __init__(self, needs: PageNeeds, name: str, parts: Mapping[str, Callable[[PageNeeds], PagePart]]) -> None:
        super().__init__(needs, needs.texts(f"desktop.action.{name}"))
        self._needs, self._name, self._makers = needs, name, parts
        self.made: dict[str, PagePart] = {}
        self._shells: dict[str, QWidget] = {}
        self._shown = ""
        self._query = ""
        self._stack = QStackedWidget()
        self.area.hide()
        layout = self.layout()
        if isinstance(layout, QVBoxLayout | QHBoxLayout):
            layout.addWidget(self._stack, 1)
        self.go_to(next(iter(parts)))

    @property
    def part(self) -> PagePart:
        """The part that is shown."""
        return self.made[self._shown]

    @property
    @override
    def parts(self) -> tuple[tuple[str, str], ...]:
        if len(self._makers) < 2:
            return ()
        return tuple((each, self.texts(f"desktop.{self._name}.part.{each}")) for each in self._makers)

    @property
    @override
    def shown(self) -> str:
        return self._shown if len(self._makers) > 1 else ""

    @override
    def go_to(self, name: str) -> None:
        if name not in self._makers:
            return
        if name not in self.made:
            made = self.made[name] = self._makers[name](self._needs)
            # A list scrolls itself.
            self._shells[name] = made if isinstance(made, RecordsPart) else scrolling(made)
            self._stack.addWidget(self._shells[name])
        self._shown = name
        self._stack.setCurrentWidget(self._shells[name])
        # Qt takes no proxy as well, which its types do not say.
        self.setFocusProxy(self.part if isinstance(self.part, RecordsPart) else None)  # type: ignore[arg-type]
        self.part.search(self._query)
        self.part_shown.emit()

    @override
    def search(self, query: str) -> None:
        self._query = query
        self.part.search(query)

    @override
    def show_update(self, update: Update) -> None:
        for each in list(self.made.values()):
            each.show_update(update)
