"""In every page and state of the window nothing is cut, nothing lies over its neighbour, and everything has a name."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from assistant.core.settings import Language
from assistant.desktop.chrome.clamped_label import ClampedLabel
from assistant.desktop.conversation.message_actions import MessageActions
from assistant.desktop.kit.buttons import ElidedButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.desktop.markdown.code_area import CodeArea
from assistant.desktop.models.model_button import ModelButton
from tests.fakes.front.engine_window import EngineWindow
from tests.fakes.front.scenes import ANSWER, Stage, is_sized, parts, scenes, show_page
from tests.fakes.model_server.server import Reply, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

CONTROLS = (QAbstractButton, QLineEdit, QTextEdit, QAbstractSlider, QAbstractItemView)
PATIENCE = 25
"""How often a scene is looked at until all is right."""
WIDE_PX = 60
LIES_OVER = (MessageActions, CodeArea, QScrollBar)
"""What lies over other things on purpose, and takes no room of theirs."""
SHORTENED = (ElidedLabel, ClampedLabel, ElidedButton, ModelButton)
"""Labels and buttons that shorten their text themselves, and tell it whole."""


@pytest.fixture(params=["ko", "en"])
def stage(
    qtbot: QtBot,
    icons: Icons,
    theme: Theme,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Stage]:
    language: Language = request.param
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    with serve_in_thread([Reply(text=ANSWER[language])]) as server:
        (tmp_path / "config.toml").write_text(scripted_settings(server.base_url, language=language), encoding="utf-8")
        entry = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents"]}
        (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"files": entry}}), encoding="utf-8")
        adopt = partial(qtbot.addWidget, before_close_func=MainWindow.let_close)
        opened = EngineWindow(tmp_path, icons, theme, language, adopt)
        made = Stage(opened.window, language)
        made.fill()
        yield made
        opened.close()


_WIDTHS = {"ko": 480, "en": 340}


def test_nothing_is_cut_and_everything_has_a_name(stage: Stage) -> None:
    # English words are longer, so they are looked at in the narrowest window. All four pairs would take minutes.
    width = _WIDTHS[stage.language]
    wrong = list[str]()
    stage.window.resize(width, 720)
    for name, scene in scenes():
        wrong += looked_at(stage, name, scene(stage), width)
        if name.startswith("page."):
            show_page(stage, name.removeprefix("page."))
            for part, scene_of_part in [*parts(stage)]:
                wrong += looked_at(stage, part, scene_of_part(stage), width, closes=False)
        stage.clear()
    assert not wrong, "\n".join(wrong)


def looked_at(stage: Stage, name: str, shown: QWidget, width: int, *, closes: bool = True) -> list[str]:
    """What is wrong in a scene."""
    if is_sized(shown):
        shown.resize(width, 720)
    for _ in range(PATIENCE):
        QTest.qWait(20)  # Qt lays out new rows, and the engine tells what they show.
        widgets = [each for each in shown.findChildren(QWidget) if each.isVisible()]
        found = [*cut(widgets), *overlapping(widgets), *nameless(widgets), *too_wide(shown, widgets)]
        if not found:
            break
    if closes and not name.startswith("page."):
        stage.clear()
    return [f"{name}: {each}" for each in found]


def cut(widgets: list[QWidget]) -> Iterator[str]:
    """Texts that need more room than they have, and labels without a text that take some."""
    for each in widgets:
        if isinstance(each, SHORTENED):
            continue
        if isinstance(each, QLabel) and each.pixmap().isNull():
            if not each.text() and each.width() > WIDE_PX:
                yield f"an empty label {each.objectName()!r} in {type(each.parent()).__name__}"
            needed = each.heightForWidth(each.width()) if each.wordWrap() else each.sizeHint().height()
            if needed > each.height() + 1:
                yield f"{each.text()!r} is {each.height()} px high and needs {needed}"
            if not each.wordWrap() and each.sizeHint().width() > each.width() + 1:
                yield f"{each.text()!r} is {each.width()} px wide and needs {each.sizeHint().width()}"
        if isinstance(each, QPushButton) and each.text():
            wanted = each.sizeHint()
            if wanted.width() > each.width() + 1 or wanted.height() > each.height() + 1:
                yield f"the button {each.text()!r} is {each.size().toTuple()} and needs {wanted.toTuple()}"


def overlapping(widgets: list[QWidget]) -> Iterator[str]:
    """Neighbours of which one lies over the other."""
    controls = [each for each in widgets if isinstance(each, (*CONTROLS, QLabel)) and not isinstance(each, LIES_OVER)]
    families: dict[int, list[QWidget]] = {}
    for each in controls:
        if (parent := each.parentWidget()) is not None and parent.layout() is not None:
            families.setdefault(id(parent), []).append(each)
    for family in families.values():
        for one, other in combinations(family, 2):
            if one.geometry().intersects(other.geometry()):
                yield f"{told(one)} and {told(other)} overlap"


def nameless(widgets: list[QWidget]) -> Iterator[str]:
    """What can be used, but has no name for a screen reader."""
    for each in widgets:
        reached = each.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(each, QAbstractButton | QProgressBar)
        named = each.accessibleName() or (isinstance(each, QAbstractButton) and each.text())
        if reached and not named and not isinstance(each, QScrollBar) and each.focusProxy() is None:
            yield f"{told(each)} has no name"


def too_wide(shown: QWidget, widgets: list[QWidget]) -> Iterator[str]:
    """What stands beyond the right edge of the window, or of an area that does not scroll sideways."""
    for each in widgets:
        if isinstance(each, QLabel | QAbstractButton | QLineEdit) and each.width():
            place = QRect(each.mapTo(shown, QPoint()), each.size())
            if place.right() > shown.width() or place.left() < -1:
                yield f"{told(each)} stands beyond the edge: {place.left()} to {place.right()} of {shown.width()}"
        if isinstance(each, QScrollArea) and each.objectName() != "attachments":
            content = each.widget()
            if content is not None and content.width() > each.viewport().width() + 1:
                wide = max(
                    widgets,
                    key=lambda part: (
                        content.isAncestorOf(part) and not part.layout() and part.minimumSizeHint().width()
                    ),
                )
                room = each.viewport().width()
                yield f"{told(each)} holds {content.width()} px in {room}, with {told(wide)}"


def told(widget: QWidget) -> str:
    """A widget in a message."""
    words = widget.text() if isinstance(widget, QLabel | QAbstractButton | QLineEdit) else ""
    area = "area " if isinstance(widget, QAbstractScrollArea) else ""
    return f"{area}{type(widget).__name__} {widget.objectName()!r} {words!r}"
