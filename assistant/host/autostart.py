"""Starts Sori when the user logs in: an entry where the desktop looks for programs to start.

Linux: the autostart folder of the XDG specification. macOS: a launch agent. Windows: the startup folder.
"""

import os
import plistlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.settings import Settings
from assistant.host.menu_entry import exec_line
from assistant.host.places import start_command

MINIMIZED = "--minimized"
"""The option of the command line with which the window does not open in front of what the user begins to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that starts Sori, and its content."""

    path: Path
    content: bytes


def entry_for(platform: str, environment: Mapping[str, str], home: Path, command: Sequence[str]) -> Entry:
    """The entry of a system.

    Args:
        platform: as ``sys.platform``.
        environment: variables that name the user's folders.
        home: the user's folder of Sori.
        command: starts Sori.
    """
    user = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    if platform == "darwin":
        agent = {
            "Label": "sori",
            "ProgramArguments": [*command],
            "EnvironmentVariables": {"SORI_HOME": str(home)},
            "RunAtLoad": True,
        }
        return Entry(user / "Library" / "LaunchAgents" / "sori.plist", plistlib.dumps(agent))
    if platform == "win32":
        roaming = Path(environment.get("APPDATA") or user / "AppData" / "Roaming")
        folder = roaming / "Microsoft" / "Windows" / "Start Menu" / "Programs" / "Startup"
        quoted = " ".join(f'"{part.replace("%", "%%")}"' for part in command)
        variable = f'@set "SORI_HOME={str(home).replace("%", "%%")}"'
        lines = f'@chcp 65001 >nul\r\n{variable}\r\n@start "" {quoted}\r\n'
        return Entry(folder / "sori.cmd", lines.encode())
    config = Path(environment.get("XDG_CONFIG_HOME") or user / ".config")
    words = ["env", f"SORI_HOME={home}", *command]
    lines = (
        "[Desktop Entry]\nType=Application\nName=Sori\nName[ko]=소리\nIcon=sori\nTerminal=false\n"
        f"Exec={exec_line(words)}\n"
    )
    return Entry(config / "autostart" / "sori.desktop", lines.encode())


class Autostart:
    """Follows the setting ``desktop.start_at_login``.

    Args:
        home: the user's folder of Sori.
        platform: as ``sys.platform``.
        environment: variables that name the user's folders.
    """

    def __init__(self, home: Path, platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> None:
        command = [*start_command(), MINIMIZED]
        self.entry = entry_for(platform, environment, home.absolute(), command)

    async def follow(self, settings: Settings) -> None:
        """Write the entry, or remove it. That of another home stays.

        Raises:
            StorageError: the folder cannot be written.
        """
        path, content = self.entry.path, self.entry.content
        try:
            if settings.desktop.start_at_login:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            elif path.is_file() and path.read_bytes() == content:
                path.unlink()
        except OSError as error:
            raise StorageError(
                str(path), error.strerror or str(error), message_key="autostart_unwritable", cause=error
            ) from error
