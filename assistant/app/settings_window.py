"""Shows an invalid settings file in a window, for a user who has started Sori without a terminal."""

import re
from pathlib import Path
from typing import Literal

from PySide6.QtWidgets import QApplication, QDialog

from assistant.app.window import display
from assistant.core.errors import SettingsError
from assistant.core.texts import Texts
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.trouble.settings_dialog import SettingsDialog, SettingsTrouble
from assistant.host.places import RESOURCES
from assistant.host.settings_file import read_settings, settings_trouble, text_for_help

_THEME = re.compile(r"""^\s*theme\s*=\s*["'](light|dark)["']""", re.MULTILINE)


def ask_to_mend(path: Path, error: SettingsError, texts: Texts) -> bool:
    """Show the error until the file is valid or the user quits.

    Args:
        path: path of the file.
        error: the error in it.
        texts: the user's words.

    Returns:
        Whether the settings are valid now; ``False`` if the user quits or no window can be shown.
    """

    def look() -> SettingsTrouble | None:
        try:
            read_settings(path)
        except SettingsError as still:
            return trouble_of(path, still, texts)
        return None

    with display() as problem:
        if problem:
            return False
        existing = QApplication.instance()
        application = existing if isinstance(existing, QApplication) else QApplication(["sori"])
    theme = Theme(application, _theme_in(path))
    try:
        dialog = SettingsDialog(texts, Icons(RESOURCES / "icons"), trouble_of(path, error, texts), look)
        return dialog.exec() == QDialog.DialogCode.Accepted
    finally:
        theme.deleteLater()


def _theme_in(path: Path) -> Literal["system", "light", "dark"]:
    """The theme in the file, found by its line because the file as a whole cannot be parsed."""
    found = _THEME.search(text_for_help(path))
    if found is None:
        return "system"
    return "dark" if found[1] == "dark" else "light"


def trouble_of(path: Path, error: SettingsError, texts: Texts) -> SettingsTrouble:
    """Describe the error, with its line of the file."""
    problem, remedy = settings_trouble(error, texts)
    lines = text_for_help(path).splitlines()
    excerpt = lines[error.line - 1].strip() if 0 < error.line <= len(lines) else ""
    return SettingsTrouble(path=path, line=error.line, excerpt=excerpt, problem=problem, remedy=remedy)
