from pathlib import Path

import pytest

from assistant.tools.mcp.other_apps.places import App, project_of, standard_files

HOME, HERE = Path("/home/me"), Path("/work/project")


def files(app: App, platform: str, **environment: str) -> list[str]:
    found = standard_files(app, home=HOME, folder=HERE, environment=environment, platform=platform)
    return [each.as_posix() for each in found]


def test_each_app_has_its_files_on_each_system() -> None:
    roaming, support = "/roaming", "/home/me/Library/Application Support"
    assert files(App.CLAUDE_DESKTOP, "linux") == ["/home/me/.config/Claude/claude_desktop_config.json"]
    assert files(App.CLAUDE_DESKTOP, "darwin") == [f"{support}/Claude/claude_desktop_config.json"]
    assert files(App.CLAUDE_DESKTOP, "win32", APPDATA=roaming) == [f"{roaming}/Claude/claude_desktop_config.json"]
    assert files(App.CLAUDE_CODE, "linux") == ["/home/me/.claude.json", "/work/project/.mcp.json"]
    assert files(App.CURSOR, "win32") == ["/home/me/.cursor/mcp.json", "/work/project/.cursor/mcp.json"]
    assert files(App.VSCODE, "linux", XDG_CONFIG_HOME="/x")[0] == "/x/Code/User/mcp.json"
    assert files(App.VSCODE, "darwin")[2] == "/work/project/.vscode/mcp.json"
    assert files(App.WINDSURF, "linux") == ["/home/me/.codeium/windsurf/mcp_config.json"]
    assert files(App.ZED, "darwin", XDG_CONFIG_HOME="/x")[0] == "/home/me/.config/zed/settings.json"
    assert files(App.ZED, "win32", APPDATA=roaming)[0] == f"{roaming}/Zed/settings.json"


def test_a_file_is_named_once_if_the_folder_is_the_home() -> None:
    found = standard_files(App.CURSOR, home=HOME, folder=HOME, environment={}, platform="linux")
    assert found == (HOME / ".cursor" / "mcp.json",)


@pytest.mark.parametrize(
    ("file", "project"),
    [
        ("/work/project/.mcp.json", HERE),
        ("/work/project/.vscode/mcp.json", HERE),
        ("/work/project/.zed/settings.json", HERE),
        ("/home/me/.cursor/mcp.json", None),
        ("/home/me/.config/zed/settings.json", None),
        ("/work/project/servers.json", None),
    ],
)
def test_a_project_s_file_is_told_from_the_user_s(file: str, project: Path | None) -> None:
    assert project_of(Path(file), HOME) == project
