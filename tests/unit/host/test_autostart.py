"""Starting with the computer: the entry of each system, and the setting that writes it."""

import asyncio
import plistlib
import re
from collections.abc import Mapping
from configparser import RawConfigParser
from pathlib import Path

import pytest

from assistant.app.cli.grammar import parse
from assistant.core.errors import StorageError
from assistant.core.settings import DesktopSettings, Settings
from assistant.host.autostart import MINIMIZED, Autostart, entry_for
from assistant.host.texts import load_texts

COMMAND = ("/opt/파이 썬/python", '/home/a/So"ri $1 100%/main.py', MINIMIZED)
HOME = Path("/home/a/소리 100%")
ON, OFF = (Settings(desktop=DesktopSettings(start_at_login=on)) for on in (True, False))


def read_exec(content: bytes) -> list[str]:
    """The words of ``Exec`` as a desktop reads them: first the escapes of a string, then quotes, then field codes."""
    reader = RawConfigParser(delimiters=("=",), interpolation=None)
    reader.read_string(content.decode())
    line = reader["Desktop Entry"]["Exec"].replace("\\\\", "\\")
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    return [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in words]


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HOME": "/home/a"}, "/home/a/.config/autostart"),
        ({"HOME": "/home/a", "XDG_CONFIG_HOME": "/c"}, "/c/autostart"),
        ({"HOME": "/home/a", "XDG_CONFIG_HOME": ""}, "/home/a/.config/autostart"),
    ],
)
def test_linux_gets_an_entry_of_the_xdg_autostart_folder(environment: Mapping[str, str], folder: str) -> None:
    entry = entry_for("linux", environment, HOME, COMMAND)
    assert entry.path == Path(folder, "sori.desktop")
    assert read_exec(entry.content) == ["env", f"SORI_HOME={HOME}", *COMMAND]


def test_macos_gets_a_launch_agent() -> None:
    entry = entry_for("darwin", {"HOME": "/Users/a"}, HOME, COMMAND)
    assert entry.path == Path("/Users/a/Library/LaunchAgents/sori.plist")
    agent = plistlib.loads(entry.content)
    assert (agent["ProgramArguments"], agent["RunAtLoad"]) == ([*COMMAND], True)
    assert agent["EnvironmentVariables"] == {"SORI_HOME": str(HOME)}


@pytest.mark.parametrize(
    ("environment", "roaming"),
    [
        ({"USERPROFILE": "/u/a", "APPDATA": "/u/a/r"}, "/u/a/r"),
        ({"USERPROFILE": "/u/a"}, "/u/a/AppData/Roaming"),
    ],
)
def test_windows_gets_a_script_in_the_startup_folder(environment: Mapping[str, str], roaming: str) -> None:
    entry = entry_for("win32", environment, HOME, ("C:\\파이 썬\\python.exe", "C:\\100%\\main.py", MINIMIZED))
    assert entry.path == Path(roaming, "Microsoft/Windows/Start Menu/Programs/Startup/sori.cmd")
    text = entry.content.decode()
    assert '"C:\\파이 썬\\python.exe" "C:\\100%%\\main.py" "--minimized"' in text
    assert f'"SORI_HOME={HOME.parent}' in text
    assert "100%%" in text


def test_the_setting_writes_the_entry_and_takes_it_away(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    autostart = Autostart(tmp_path / "home", "linux", environment)
    path = autostart.entry.path
    asyncio.run(autostart.follow(ON))
    assert read_exec(path.read_bytes())[-1] == MINIMIZED
    asyncio.run(Autostart(tmp_path / "other home", "linux", environment).follow(OFF))
    assert path.exists(), "another home's entry stays"
    asyncio.run(autostart.follow(OFF))
    assert not path.exists()
    asyncio.run(autostart.follow(OFF))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("no folder", encoding="utf-8")
    with pytest.raises(StorageError) as raised:
        asyncio.run(Autostart(tmp_path, "linux", {"HOME": str(tmp_path)}).follow(ON))
    for language in ("ko", "en"):
        assert "sori.desktop" in load_texts(language)(raised.value.message_key, **raised.value.values)


def test_the_command_line_knows_the_option_of_the_entry() -> None:
    assert parse([MINIMIZED], load_texts("en")).minimized
    assert not parse([], load_texts("en")).minimized
