"""The texts of the set-up, in the desktop's language, before settings can be read."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
"""The folder of the package: in a checkout its root with ``main.py``, elsewhere ``site-packages``."""

_NO_LANGUAGE = frozenset({"C", "POSIX"})
"""Locales that name no language."""


def desktop_language(environment: Mapping[str, str] = os.environ, otherwise: str = "en") -> str:
    """``ko`` or ``en``, from ``LC_ALL``, ``LC_MESSAGES`` or ``LANG``; on Windows from the interface language.

    Args:
        environment: the process's variables.
        otherwise: the language if the variables name none, as in the locale ``C`` of a service or a bare terminal.
    """
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name, ""):
            if value.partition(".")[0] in _NO_LANGUAGE:
                return otherwise
            return "ko" if value.lower().startswith("ko") else "en"
    if sys.platform == "win32":
        import ctypes

        korean = 0x12  # LANG_KOREAN, the primary language of a Windows language identifier
        return "ko" if ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == korean else "en"
    return otherwise


class Words:
    """The texts below ``setup`` in one language."""

    def __init__(self, language: str) -> None:
        self._path = PROJECT / "assistant" / "resources" / "translations" / language / "setup.toml"
        self._tree: dict[str, Any] = {}

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key below ``setup``, with values filled in."""
        if not self._tree:
            import tomllib  # Most starts need no text.

            self._tree = tomllib.loads(self._path.read_text(encoding="utf-8"))["setup"]
        node: Any = self._tree
        for step in key.split("."):
            node = node[step]
        return str(node).format(**values)


class SetupError(Exception):
    """The set-up cannot continue; ``key`` names the user's text below ``setup.error``."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(f"{key} {values}")
        self.key = key
        self.values = values
