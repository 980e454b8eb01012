"""Tells in a window why Sori cannot start, for a user who has started it without a terminal."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtWidgets import QApplication, QDialog

from assistant.app.cli.failure import CommandFailure
from assistant.app.window import display
from assistant.core.errors import SettingsError
from assistant.core.texts import Texts
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.trouble.trouble_dialog import StartTrouble, TroubleDialog
from assistant.host.places import RESOURCES
from assistant.host.settings_file import read_settings, settings_trouble, text_for_help

_THEME = re.compile(r"""^\s*theme\s*=\s*["'](light|dark)["']""", re.MULTILINE)


def ask_to_mend(path: Path, error: SettingsError, texts: Texts) -> bool:
    """Show the error in the settings file until the file is valid or the user quits; whether it is valid then.

    Args:
        path: path of the file.
        error: the error in it.
        texts: the user's words.
    """

    def look() -> StartTrouble | None:
        try:
            read_settings(path)
        except SettingsError as still:
            return _of_settings(path, still, texts)
        return None

    return _show(_of_settings(path, error, texts), look, path, texts)


def tell_failure(failure: CommandFailure, config: Path, texts: Texts) -> bool:
    """Tell why Sori did not start; whether the user wants to try again.

    Args:
        failure: why.
        config: the settings file, whose theme is used.
        texts: the user's words.
    """
    title = texts("desktop.trouble.no_start")
    trouble = StartTrouble(title=title, problem=failure.words, remedy=failure.remedy, path=failure.path)
    return _show(trouble, lambda: None, config, texts)


def _show(trouble: StartTrouble, look: Callable[[], StartTrouble | None], config: Path, texts: Texts) -> bool:
    """Show why Sori cannot start, until that is mended or the user quits.

    Args:
        trouble: what is in the way.
        look: looks again and returns what is in the way now; ``None`` if nothing seems to be.
        config: the settings file, whose theme is used.
        texts: the user's words.

    Returns:
        Whether the user wants to try again; ``False`` also if no window can be shown.
    """
    with display() as problem:
        if problem:
            return False
        existing = QApplication.instance()
        application = existing if isinstance(existing, QApplication) else QApplication(["sori"])
    theme = Theme(application, _theme_in(config))
    try:
        dialog = TroubleDialog(texts, Icons(RESOURCES / "icons"), trouble, look)
        return dialog.exec() == QDialog.DialogCode.Accepted
    finally:
        theme.deleteLater()


def _theme_in(path: Path) -> Literal["system", "light", "dark"]:
    """The theme in the file, found by its line because the file as a whole may not be readable."""
    found = _THEME.search(text_for_help(path))
    if found is None:
        return "system"
    return "dark" if found[1] == "dark" else "light"


def _of_settings(path: Path, error: SettingsError, texts: Texts) -> StartTrouble:
    problem, remedy = settings_trouble(error, texts)
    lines = text_for_help(path).splitlines()
    excerpt = lines[error.line - 1].strip() if 0 < error.line <= len(lines) else ""
    title = texts("desktop.trouble.title")
    return StartTrouble(title=title, path=path, line=error.line, excerpt=excerpt, problem=problem, remedy=remedy)
