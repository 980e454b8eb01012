"""Opens the pages of the window, and the first run."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from assistant.core.service.requests.engine import FirstRunStanding, ShowFirstRun
from assistant.core.updates import Update
from assistant.desktop.frame.page import PageNeeds, ShowsUpdates
from assistant.desktop.pages import FIRST_RUN, PAGES, page_names

# Imported when a page is opened: a window that starts needs none of it.
if TYPE_CHECKING:
    from assistant.desktop.first_run.first_run import FirstRunWindow
    from assistant.desktop.frame.pages_window import PagesWindow


class PageOpening(QObject):
    """Opens one window for all pages, and one for the first run.

    Args:
        window: the window to which they belong.
        needs: what pages are made of.
    """

    asked = Signal(str)
    """The first run asks this in the user's name."""
    first_run_over = Signal()
    """The user has been through the first run before."""

    def __init__(self, window: QWidget, needs: PageNeeds) -> None:
        super().__init__(window)
        self._window, self._needs = window, needs

    @property
    def open(self) -> list[QDialog]:
        """The dialogs that are open."""
        return [each for each in self._window.findChildren(QDialog) if each.isVisible()]

    @property
    def shown(self) -> tuple[str, str] | None:
        """The name of the page that is shown with the part that it shows, for another window."""
        pages = self._pages
        return None if pages is None else (pages.shown, pages.shown_page.shown)

    @property
    def _pages(self) -> "PagesWindow | None":
        """The window of pages, if it is open."""
        from assistant.desktop.frame.pages_window import PagesWindow

        return next((each for each in self.open if isinstance(each, PagesWindow)), None)

    def show_update(self, update: Update) -> None:
        """Show an update of the engine in what is open."""
        for dialog in self._window.findChildren(QDialog, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if isinstance(dialog, ShowsUpdates):
                dialog.show_update(update)

    def show(self, name: str, at: str = "") -> None:
        """Show one of ``PAGES`` in the window of pages, which may be open already.

        Args:
            name: the name of the page.
            at: what it shows first, such as the name of a setting; empty for its beginning.
        """
        from assistant.desktop.frame.pages_window import PagesWindow

        if name == FIRST_RUN:
            self.show_first_run()
            return
        pages = self._pages
        if pages is None:
            pages = PagesWindow(PAGES, self._needs, self._window)
        pages.show_page(name, at)
        pages.show()
        pages.raise_()
        pages.activateWindow()

    def show_remedy(self, page: str) -> None:
        """Show the page of a remedy, which may be one that this window does not have."""
        self.show(page if page in page_names() else "settings")

    def show_key(self, provider: str) -> None:
        """Show where the API key of a provider is entered; of the one in use for an empty name."""
        model = self._needs.model()
        self.show("models", provider or ("" if model is None else model.provider))

    def import_from(self, path: Path) -> None:
        """Import the conversations of a file, on the page of conversations."""
        from assistant.desktop.conversations.conversations_page import ConversationsPage

        self.show("conversations")
        page = self._pages.shown_page if self._pages is not None else None
        if isinstance(page, ConversationsPage):
            page.imports.take([path])

    @property
    def first_run(self) -> "FirstRunWindow | None":
        """The first run, while it is shown."""
        from assistant.desktop.first_run.first_run import FirstRunWindow

        return next((each for each in self.open if isinstance(each, FirstRunWindow)), None)

    def begin_first_run(self) -> None:
        """Lead a new user through the settings, from where the first run stands, unless it is over."""

        def show(standing: FirstRunStanding) -> None:
            if standing.over:
                self.first_run_over.emit()
            else:
                self.show_first_run(standing.step)

        self._needs.ask(ShowFirstRun(), show, lambda _: None)

    def show_first_run(self, step: str = "") -> None:
        """Show the first run, which may be shown already.

        Args:
            step: the name of its step; empty for the beginning.
        """
        from assistant.desktop.first_run.first_run import FirstRunWindow

        shown = self.first_run
        if shown is None:
            shown = FirstRunWindow(self._needs, step, self._window)
            shown.asked.connect(self.asked)
            shown.show()
        shown.raise_()
        shown.activateWindow()
