"""A window with the real engine: real storage, real turns, and a model that says what a script wants."""

from collections.abc import Callable
from pathlib import Path

from assistant.app.late_connection import LateConnection
from assistant.core.service.events import Delivery
from assistant.core.settings import Language
from assistant.desktop.bridge import Bridge
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.engine.thread import EngineThread
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts


class EngineWindow:
    """Starts the engine on a home and shows its window.

    Args:
        home: the folder with ``config.toml``.
        icons: source of the icons.
        theme: colours.
        language: language of the window.
        adopt: takes the window before it is shown.
    """

    def __init__(
        self, home: Path, icons: Icons, theme: Theme, language: Language, adopt: Callable[[MainWindow], object]
    ) -> None:
        texts = load_texts(language)
        self._bridge = bridge = Bridge()
        self.connection = LateConnection(bridge)
        self._engine = EngineThread(home, read_settings(home / "config.toml"), texts, hears=False)
        self.window = window = MainWindow(self.connection, texts, icons, theme, home, talk_key="F9")

        def take(delivery: Delivery) -> None:
            bridge.publish(delivery.event)

        self.connection.connect(self._engine.connect(take, name="window"))
        adopt(window)
        window.show()
        bridge.connect_view(window.show_update)
        self._engine.start()
        window.follow()

    def close(self) -> None:
        """Close the window and end the engine, as Ctrl+Q does."""
        self.window.let_close()
        self.window.close()
        assert self._engine.stop(60)
        self._bridge.close()
