"""On a real X server, the window puts Korean on the screen: letters, and not the boxes that stand for missing ones."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from assistant.host.places import PROJECT
from tests.fakes.front.x_keyboard import x_server

pytestmark = pytest.mark.long

SYLLABLES = "가힣뷁않읽"
MISSING = "\U000f0123"
"""A private code point that no font draws: what it looks like is what a missing glyph looks like."""

PROGRAM = """
import json, sys
from pathlib import Path
from PySide6.QtGui import QRawFont, QFontDatabase
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.core.messages import Message, Role
from assistant.core.machine.states import TurnId
from assistant.core.updates import ConversationOpened
from assistant.desktop.kit.icons import Icons
from assistant.desktop.main_window import MainWindow
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme
from tests.fakes.front.connection import RecordedConnection

folder, theme, letters = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
application = QApplication([])
window = MainWindow(
    RecordedConnection(), load_texts("ko"), Icons(RESOURCES / "icons"), Theme(application, theme), folder, talk_key="F9"
)
window.move(0, 0)
window.show()
messages = tuple(Message(role=Role.USER, text=letter * 3) for letter in letters)
window.show_update(ConversationOpened(conversation="a", messages=messages))
assert QTest.qWaitForWindowExposed(window)
QTest.qWait(300)
rows = [row.findChild(MessageText) for row in window.conversation.rows]
places = []
for words in rows:
    corner = words.mapToGlobal(words.rect().topLeft())
    places.append((corner.x(), corner.y(), words.width(), words.height()))
application.primaryScreen().grabWindow(0).save(str(folder / "screen.png"))
font = QRawFont.fromFont(window.conversation.font(), QFontDatabase.WritingSystem.Korean)
print(json.dumps({"places": places, "family": font.familyName(),
                  "drawn": [font.supportsCharacter(ord(letter)) for letter in letters]}))
sys.stdout.flush()
window.let_close()
window.close()
"""


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A virtual screen of this module's own."""
    with x_server("1280x900") as (name, _):
        yield name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_window_draws_korean(display: str, tmp_path: Path, theme: str) -> None:
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    environment.pop("WAYLAND_DISPLAY", None)
    drawn = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), theme, SYLLABLES + MISSING],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        env=environment,
        check=False,
    )
    assert drawn.returncode == 0, drawn.stderr
    told = json.loads(drawn.stdout)
    screen = QImage(str(tmp_path / "screen.png"))
    *letters, box = (ink(screen, place) for place in told["places"])

    assert told["drawn"] == [True] * len(SYLLABLES) + [False], told["family"]
    assert len({frozenset(letter) for letter in letters}) == len(SYLLABLES)
    assert frozenset(box) not in {frozenset(letter) for letter in letters}
    assert all(len(letter) > 60 for letter in letters)
    # 뷁 has many more strokes than 가; boxes would be alike.
    assert len(letters[2]) > 1.3 * len(letters[0])


def ink(screen: QImage, place: list[int]) -> set[tuple[int, int]]:
    """Where a text differs clearly from its ground, relative to its corner; the corner itself is ground."""
    left, top, width, height = place
    ground = screen.pixelColor(left, top).lightness()
    return {
        (x, y)
        for x in range(width)
        for y in range(height)
        if abs(screen.pixelColor(left + x, top + y).lightness() - ground) > 60
    }
