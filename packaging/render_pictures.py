#!/usr/bin/env python3
"""Draws every page and state of the window into a folder, for whoever looks at them, and the pictures of the READMEs.

    python packaging/render_pictures.py FOLDER [--language ko] [--theme light] [--scale 1.5] [--width 480] [--only page]
    python packaging/render_pictures.py --readme [--language ko]

The window, the engine and its data are real; a scripted server answers. The scenes are those that a test checks
(``tests/fakes/front/scenes.py``).
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
if TYPE_CHECKING:
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QWidget

    from assistant.desktop.kit.theme import Theme, ThemeChoice
    from tests.fakes.front.scenes import Scene, Stage

README: "Final[tuple[tuple[str, str, ThemeChoice, int, int], ...]]" = (
    ("window", "answer", "light", 640, 760),
    ("dark", "start", "dark", 900, 700),
    ("listening", "speaking", "light", 500, 640),
    ("settings", "page.settings.voice", "light", 900, 640),
    ("memory", "page.memory", "dark", 900, 640),
)
"""The name of each picture, its scene, its colours, and the size of the window."""
REMEMBERED: "Final[Mapping[str, tuple[str, ...]]]" = {
    "ko": (
        "나는 아침에 커피 대신 녹차를 마셔",
        "우리 집 강아지 이름은 보리야",
        "매주 화요일 저녁에는 수영을 해",
        "땅콩 알레르기가 있어",
    ),
    "en": (
        *("I drink green tea in the morning", "my dog is called Barley", "I swim on Tuesday evenings"),
        "I am allergic to peanuts",
    ),
}
"""What the memory holds in its picture."""


def main() -> int:
    """Draw what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs" / "images")
    parser.add_argument("--language", default="ko", choices=("ko", "en"))
    parser.add_argument("--theme", default="light", choices=("light", "dark"))
    parser.add_argument("--scale", default="1.0")
    parser.add_argument("--width", type=int, default=480)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("--only", default="", help="scenes whose name contains this")
    parser.add_argument("--readme", action="store_true")
    given = parser.parse_args()
    os.environ.update({"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": given.scale})
    os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["SORI_HOME"] = home
        draw(given, Path(home))
    return 0


def draw(given: argparse.Namespace, home: Path) -> None:
    """Open the window, and draw its scenes."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from assistant.desktop.kit.icons import Icons
    from assistant.desktop.kit.theme import Theme
    from assistant.host.places import RESOURCES
    from tests.fakes.front.engine_window import EngineWindow
    from tests.fakes.front.scenes import ANSWER, Stage, is_sized
    from tests.fakes.model_server.server import Reply, serve_in_thread
    from tests.fakes.model_server.sori_settings import scripted_settings

    application = QApplication([])
    with serve_in_thread([Reply(text=ANSWER[given.language])]) as server:
        (home / "config.toml").write_text(scripted_settings(server.base_url, language=given.language), encoding="utf-8")
        if not given.readme:
            entry = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents"]}
            (home / "mcp.json").write_text(json.dumps({"mcpServers": {"files": entry}}), encoding="utf-8")
        theme = Theme(application, given.theme)
        opened = EngineWindow(home, Icons(RESOURCES / "icons"), theme, given.language, lambda _: None)
        stage = Stage(opened.window, given.language)
        stage.fill()
        if given.readme:
            for fact in REMEMBERED[given.language]:
                stage.let_say(stage.say(f"{fact}. 기억해 줘", f"Remember that {fact}"))
        wanted = readme_scenes(given, theme) if given.readme else all_scenes(given, stage)
        for name, scene, width, height in wanted:
            opened.window.resize(width, height)
            shown = scene(stage)
            if is_sized(shown):
                shown.resize(width, height)
            settled(shown, QTest.qWait).save(str(given.folder / f"{name}.png"))
            stage.clear()
        opened.close()


def settled(shown: "QWidget", wait_ms: Callable[[int], None]) -> "QImage":
    """A picture of what is shown, once nothing moves any more; what always moves is drawn as it is after a while."""
    wait_ms(1500)  # What the engine tells comes meanwhile.
    image = shown.grab().toImage()
    for _ in range(8):
        wait_ms(250)
        before, image = image, shown.grab().toImage()
        if image == before:
            break
    return image


def all_scenes(given: argparse.Namespace, stage: "Stage") -> "Iterator[tuple[str, Scene, int, int]]":
    """Every scene, and every part of every page."""
    from tests.fakes.front.scenes import parts, scenes, show_page

    for name, scene in scenes():
        if given.only not in name:
            continue
        yield name, scene, given.width, given.height
        if name.startswith("page."):
            show_page(stage, name.removeprefix("page."))
            for part, scene_of_part in [*parts(stage)]:
                yield part, scene_of_part, given.width, given.height


def readme_scenes(given: argparse.Namespace, theme: "Theme") -> "Iterator[tuple[str, Scene, int, int]]":
    """The scenes of a README."""
    from tests.fakes.front.scenes import CONVERSATION, show_page

    for name, scene, colors, width, height in README:
        theme.choose(colors)
        page, _, part = scene.removeprefix("page.").partition(".")
        made = {**CONVERSATION, "answer": answered}.get(scene) or partial(show_page, name=page, at=part)
        yield f"{name}-{given.language}", made, width, height


def answered(stage: "Stage") -> "QWidget":
    """A question and its answer."""
    from assistant.core.messages import Message, Role
    from tests.fakes.front.scenes import ANSWER

    question = stage.say("라면을 맛있게 끓이는 방법을 알려 줘", "How do I cook ramen well?")
    stage.open(
        Message(role=Role.USER, text=question, id="u1"),
        Message(role=Role.ASSISTANT, text=ANSWER[stage.language], id="a1", provider="mine", model="scripted-model"),
    )
    return stage.window


if __name__ == "__main__":
    sys.exit(main())
