"""Where other apps keep their MCP servers. Pure."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

_PROJECT_FOLDERS = frozenset({".vscode", ".cursor", ".zed"})


class App(StrEnum):
    """An app whose servers can be imported."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    WINDSURF = "windsurf"
    ZED = "zed"


def standard_files(
    app: App, *, home: Path, folder: Path, environment: Mapping[str, str], platform: str
) -> tuple[Path, ...]:
    """The files in which an app keeps servers, whether they exist or not: the user's, then those of a project.

    Args:
        app: the app.
        home: the user's home.
        folder: the folder whose project files are meant.
        environment: the user's environment.
        platform: as ``sys.platform``.
    """
    settings = _settings_folder(home, environment, platform)
    match app:
        case App.CLAUDE_DESKTOP:
            files = [settings / "Claude" / "claude_desktop_config.json"]
        case App.CLAUDE_CODE:
            files = [home / ".claude.json", folder / ".mcp.json"]
        case App.CURSOR:
            files = [home / ".cursor" / "mcp.json", folder / ".cursor" / "mcp.json"]
        case App.VSCODE:
            own = settings / "Code" / "User"
            files = [own / "mcp.json", own / "settings.json", folder / ".vscode" / "mcp.json"]
        case App.WINDSURF:
            files = [home / ".codeium" / "windsurf" / "mcp_config.json"]
        case App.ZED:
            # Zed uses ~/.config on macOS too.
            zed = settings / "Zed" if platform == "win32" else _xdg_folder(home, environment, platform) / "zed"
            files = [zed / "settings.json", folder / ".zed" / "settings.json"]
    return tuple(dict.fromkeys(files))


def project_of(file: Path, home: Path) -> Path | None:
    """The project folder to which a file of servers belongs; ``None`` if the file is the user's for all projects."""
    folder = file.parent
    if file.name == ".mcp.json":
        return folder
    if folder.name in _PROJECT_FOLDERS and folder.parent != home:
        return folder.parent
    return None


def _settings_folder(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return _xdg_folder(home, environment, platform)


def _xdg_folder(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    chosen = "" if platform == "darwin" else environment.get("XDG_CONFIG_HOME", "")
    return Path(chosen or home / ".config")
