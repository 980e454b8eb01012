"""The pages that the window's menu opens: one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from PySide6.QtWidgets import QDialog, QWidget

from assistant.core.texts import Texts
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
    """

    texts: Texts
    theme: Theme
    home: Path
    ask: WindowRequests
    window: QWidget
    show: Callable[[str, str], None]


@runtime_checkable
class GoesTo(Protocol):
    """A page that can show one of its parts."""

    def go_to(self, name: str) -> None:
        """Show what has this name."""
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


MODELS_PAGE: Final = "models"
"""The name of the page of models and keys in ``PageOffer``; the menu of models opens it."""
PAGES: Final = (
    MenuPage("names", "Ctrl+Shift+N", lambda of: NamesDialog(of.texts, of.theme, of.ask, of.window)),
    MenuPage("traces", "Ctrl+Shift+T", lambda of: TraceDialog(of.texts, of.ask, of.window)),
)
"""In the order of the menu. ``MainWindow.show_page`` opens one by its name.

A dialog that has a method ``go_to(name)`` can be opened at what it shows: ``show_page("settings", "voice.speed")``.
"""


def page_names() -> frozenset[str]:
    """The names of all pages that ``MainWindow.show_page`` shows."""
    return frozenset({MODELS_PAGE, *(each.name for each in PAGES)})
