"""The pages that the window's menu opens: one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from PySide6.QtWidgets import QDialog, QWidget

from assistant.core.texts import Texts
from assistant.core.updates import Update
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.theme import Theme
from assistant.desktop.names.names_dialog import NamesDialog
from assistant.desktop.traces.trace_dialog import TraceDialog


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNeeds:
    """What a page is made of.

    Attributes:
        texts: the user's texts.
        theme: colours.
        home: the folder with the settings.
        ask: sends requests to the engine.
        window: the window to which the page belongs.
        show: shows another page by its name, at what is named there.
        restart: starts Sori again; ``None`` for a window that belongs to another program's engine.
    """

    texts: Texts
    theme: Theme
    home: Path
    ask: WindowRequests
    window: QWidget
    show: Callable[..., None]
    restart: Callable[[], None] | None


@runtime_checkable
class GoesTo(Protocol):
    """A page that can show one of its parts."""

    @property
    def shown(self) -> str:
        """The name of the part that it shows."""
        ...

    def go_to(self, name: str) -> None:
        """Show what has this name."""
        ...


@runtime_checkable
class ShowsUpdates(Protocol):
    """A page that shows what the engine tells while it is open."""

    def show_update(self, update: Update) -> None:
        """Show an update, if it concerns the page."""
        ...


@dataclass(frozen=True, slots=True)
class MenuPage:
    """A page.

    Attributes:
        name: its entry in the menu has the text ``desktop.action.<name>``.
        keys: the keys that open it.
        make: makes its dialog.
    """

    name: str
    keys: str
    make: Callable[[PageNeeds], QDialog]


def _settings(of: PageNeeds) -> QDialog:
    # Imported when it is opened: a window that starts needs none of it.
    from assistant.desktop.settings.settings_page import SettingsPage

    pages = [*(page.name for page in PAGES), MODELS_PAGE]
    open_page = partial(of.show, at="")
    return SettingsPage(of.texts, of.theme, of.home, of.ask, open_page, pages, of.restart, of.window)


MODELS_PAGE: Final = "models"
"""The name of the page of models and keys in ``PageOffer``; the menu of models opens it."""
PAGES: Final = (
    MenuPage("settings", "Ctrl+,", _settings),
    MenuPage("names", "Ctrl+Shift+N", lambda of: NamesDialog(of.texts, of.theme, of.ask, of.window)),
    MenuPage("traces", "Ctrl+Shift+T", lambda of: TraceDialog(of.texts, of.ask, of.window)),
)
"""In the order of the menu. ``MainWindow.show_page`` opens one by its name.

A dialog that has a method ``go_to(name)`` can be opened at what it shows: ``show_page("settings", "voice.speed")``.
"""


def page_names() -> frozenset[str]:
    """The names of all pages that ``MainWindow.show_page`` shows."""
    return frozenset({MODELS_PAGE, *(each.name for each in PAGES)})
