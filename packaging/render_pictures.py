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
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
if TYPE_CHECKING:
    from assistant.desktop.kit.theme import Theme, ThemeChoice
    from tests.fakes.front.scenes import Scene, Stage

README: "Final[tuple[tuple[str, str, ThemeChoice, int, int], ...]]" = (
    ("window", "conversation", "light", 640, 760),
    ("dark", "consent", "dark", 500, 640),
    ("listening", "speaking", "light", 500, 640),
    ("settings", "page.settings.voice", "light", 900, 640),
    ("memory", "page.memory", "dark", 900, 640),
)
"""The name of each picture, its scene, its colours, and the size of the window."""


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
    from PySide6.QtGui import QImage
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
        wanted = readme_scenes(given, theme) if given.readme else all_scenes(given, stage)
        for name, scene, width, height in wanted:
            opened.window.resize(width, height)
            shown = scene(stage)
            if is_sized(shown):
                shown.resize(width, height)
            QTest.qWait(250)
            image = shown.grab().toImage()
            if given.readme:
                image = image.convertToFormat(QImage.Format.Format_Indexed8)  # Smaller, and no eye sees it.
            image.save(str(given.folder / f"{name}.png"))
            stage.clear()
        opened.close()


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
        made = CONVERSATION.get(scene) or partial(show_page, name=page, at=part)
        yield f"{name}-{given.language}", made, width, height


if __name__ == "__main__":
    sys.exit(main())
