"""The window follows its settings while it is open."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from PySide6.QtCore import QObject

from assistant.core.settings import DesktopSettings
from assistant.core.updates import SettingsChanged
from assistant.desktop.keyboard.global_keys import GlobalKeys
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow

_SECTION = "desktop."


class FollowedSettings(QObject):
    """Applies ``[desktop]`` to theme, window and shortcuts, at the start and after each change.

    Args:
        settings: the settings at the start.
        theme: the colours.
        window: the window.
        make_keys: makes the shortcuts for all windows.
    """

    def __init__(
        self,
        settings: DesktopSettings,
        theme: Theme,
        window: MainWindow,
        make_keys: Callable[[DesktopSettings], GlobalKeys],
    ) -> None:
        super().__init__()
        self._settings, self._theme, self._make_keys = settings, theme, make_keys
        self._keys: GlobalKeys | None = None
        self._window = window
        window.use(settings)
        theme.reduce_motion(reduced=settings.reduced_motion)

    def start(self) -> None:
        """Ask the desktop for the shortcuts, if the user wants them."""
        self._begin(self._settings, otherwise=None)

    def stop(self) -> None:
        """Give the shortcuts back."""
        if self._keys is not None:
            self._keys.stop()
            self._keys.deleteLater()
            self._keys = None

    def follow(self, changed: SettingsChanged) -> None:
        """Use what has changed; values that are in use already change nothing."""
        ours = {each.name for each in fields(DesktopSettings)}
        values: dict[str, Any] = {
            name.removeprefix(_SECTION): value
            for name, value in changed.values.items()
            if name.removeprefix(_SECTION) in ours
            and name.startswith(_SECTION)
            and getattr(self._settings, name.removeprefix(_SECTION)) != value
        }
        before, self._settings = self._settings, replace(self._settings, **values)
        if self._settings.theme != before.theme:
            self._theme.choose(self._settings.theme)
        self._theme.reduce_motion(reduced=self._settings.reduced_motion)
        self._window.use(self._settings)
        if any(name.startswith("global_") for name in values):
            self.stop()
            self._begin(self._settings, otherwise=before if before.global_shortcuts else None)

    def _begin(self, settings: DesktopSettings, *, otherwise: DesktopSettings | None) -> None:
        """Ask for shortcuts; where they cannot be had, for those of ``otherwise``."""
        if not settings.global_shortcuts:
            return
        keys = self._keys = self._make_keys(settings)
        if otherwise is not None:
            keys.failed.connect(lambda _words: self._take_back(keys, otherwise))
        keys.start()

    def _take_back(self, keys: GlobalKeys, otherwise: DesktopSettings) -> None:
        if keys is self._keys:
            self.stop()
            self._begin(otherwise, otherwise=None)

    def show_in(self, window: MainWindow) -> None:
        """Apply the settings to another window from now on."""
        self._window = window
        window.use(self._settings)
