"""What every page of the window of pages has, and what it is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from PySide6.QtCore import QRect, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.core.updates import ModelChosen, Update
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.theme import Theme

_MOST_PX = 860
"""Longer lines are hard to read."""


Group = Literal["sori", "yours", "records", "program"]
"""A group of the list: what Sori is and may do, what it keeps for the user, what has happened, the program itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNeeds:
    """What a page is made of.

    Attributes:
        texts: the user's texts.
        theme: colours.
        home: the folder with the settings.
        ask: sends requests to the engine.
        show: shows another page by its name, at what is named there.
        restart: starts Sori again; ``None`` for a window that belongs to another program's engine.
        model: the model that answers the shown conversation; ``None`` while it is unknown.
        use_model: uses the model with this reference in the shown conversation.
        conversation: the id of the shown conversation; empty before there is one.
    """

    texts: Texts
    theme: Theme
    home: Path
    ask: WindowRequests
    show: Callable[..., None]
    restart: Callable[[], None] | None
    model: Callable[[], ModelChosen | None]
    use_model: Callable[[str], None]
    conversation: Callable[[], str] = str


@runtime_checkable
class ShowsUpdates(Protocol):
    """A dialog that shows what the engine tells while it is open."""

    def show_update(self, update: Update) -> None:
        """Show an update, if it concerns the dialog."""
        ...


class PageColumn(QVBoxLayout):
    """The parts of a page, in the middle of a wide window."""

    @override
    def setGeometry(self, place: QRect) -> None:
        """Leave equal margins on both sides of what can be read well."""
        side = max((place.width() - _MOST_PX) // 2, 0)
        super().setGeometry(place.adjusted(side, 0, -side, 0))

    @override
    def heightForWidth(self, width: int) -> int:
        """The height at this width."""
        return super().heightForWidth(min(width, _MOST_PX))


class _Scrolling(QScrollArea):
    """Scrolls to the focus that the user moves, and stays where it is when a part that had the focus is disabled."""

    @override
    def focusNextPrevChild(self, next_: bool) -> bool:
        focused, bar = self.window().focusWidget(), self.verticalScrollBar()
        before = bar.value()
        moved = super().focusNextPrevChild(next_)
        if focused is not None and not (focused.isEnabled() and focused.isVisible()):
            bar.setValue(before)
        return moved


def scrolling(content: QWidget) -> QScrollArea:
    """An area that scrolls its content up and down, and takes no focus itself."""
    area = _Scrolling()
    area.setObjectName("conversation")
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area


class Page(QWidget):
    """A page. It puts its parts into ``column``, and asks with ``ask``, whose replies end with the page.

    Args:
        needs: what it is made of.
        title: its heading.

    Attributes:
        column: its parts, from top to bottom.
        head: the heading, and what belongs beside it.
    """

    parts_changed = Signal()
    part_shown = Signal()
    """The page shows another part without a choice in the list of pages."""

    def __init__(self, needs: PageNeeds, title: str) -> None:
        super().__init__()
        self.texts, self.theme, self.ask = needs.texts, needs.theme, needs.ask.within(self)
        self.title = paragraph(title)
        self.title.setObjectName("pageTitle")
        self.head = QHBoxLayout()
        self.head.setContentsMargins(20, 16, 20, 6)
        self.head.setSpacing(8)
        self.head.addWidget(self.title, 1)
        content = QWidget()
        self.column = PageColumn(content)
        self.column.setContentsMargins(20, 4, 20, 20)
        self.column.setSpacing(8)
        self.area = scrolling(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self.head)
        layout.addWidget(self.area, 1)

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The names and titles of its parts, which the list of pages shows below it."""
        return ()

    @property
    def shown(self) -> str:
        """The name of the part that it shows."""
        return ""

    def go_to(self, name: str) -> None:
        """Show what has this name, as soon as it is there."""

    def search(self, query: str) -> None:
        """Show what contains these words; all again for no words."""

    def show_update(self, update: Update) -> None:
        """Show an update of the engine, if it concerns the page."""

    def leave(self) -> None:
        """Stop what makes no sense while another page is shown, or none."""

    def lead_to(self, part: QWidget) -> None:
        """Scroll so that a part of the page stands at the top, once Qt has laid it out: new parts have no height."""
        QTimer.singleShot(0, part, lambda: self._scroll_to(part))

    def _scroll_to(self, part: QWidget) -> None:
        content, bar = self.area.widget(), self.area.verticalScrollBar()
        if content is not None:
            bar.setValue(min(part.mapTo(content, part.rect().topLeft()).y() - 8, bar.maximum()))

    def add_path(self, path: Path) -> None:
        """Add a file's path as text that can be selected and copied, and a button that opens its folder."""
        label = paragraph(str(path))
        label.setObjectName("mark")
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.column.addWidget(label)
        folder = QPushButton(self.texts("desktop.model.open_folder"))
        folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))))
        self.column.addWidget(folder, 0, Qt.AlignmentFlag.AlignLeft)


@dataclass(frozen=True, slots=True)
class MenuPage:
    """A page.

    Attributes:
        name: its title and its entry in the menu have the text ``desktop.action.<name>``.
        group: its group in the list has the text ``desktop.pages.group.<group>``.
        keys: the keys that open it; empty for none.
        make: makes it, when it is shown for the first time.
        searches: whether it shows what is typed into the search of the window (``Page.search``).
    """

    name: str
    group: Group
    keys: str
    make: Callable[[PageNeeds], Page]
    searches: bool = False
