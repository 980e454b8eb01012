"""What a page of the window is made of, for a page that stands alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from assistant.core.texts import Texts
from assistant.desktop.asking import Asks, WindowRequests
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.theme import Theme
from assistant.host.texts import load_texts


def _ignore(*_: object) -> None:
    pass


def page_needs(
    connection: Asks,
    language: str = "ko",
    *,
    texts: Texts | None = None,
    theme: Theme | None = None,
    home: Path = Path("home"),
    show: Callable[..., None] = _ignore,
    restart: Callable[[], None] | None = None,
    conversation: Callable[[], str] = str,
) -> PageNeeds:
    """What a page is made of; a refusal that it does not handle fails the test."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return PageNeeds(
        texts=texts or load_texts(language),
        theme=theme or Theme(application, "light"),
        home=home,
        ask=WindowRequests(connection, pytest.fail),
        show=show,
        restart=restart,
        model=lambda: None,
        use_model=_ignore,
        conversation=conversation,
    )
