"""Sori in the menu of a desktop: files of the freedesktop specifications, for this user."""

import re
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest
from lxml import etree

from assistant.app.cli.grammar import parse
from assistant.app.command_line import main
from assistant.core.errors import StorageError
from assistant.core.version import VERSION
from assistant.host.menu_entry import add_to_menu, menu_files, remove_from_menu
from assistant.host.places import RESOURCES, start_command
from assistant.host.texts import load_texts

PACKAGED = RESOURCES / "desktop"
COMMAND = ("/opt/파이 썬/python", '/home/a/So"ri $1 100%/main.py')

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the set-up installs the checkers on Linux")


def entry_in(content: bytes) -> RawConfigParser:
    reader = RawConfigParser(delimiters=("=",), interpolation=None)
    reader.optionxform = str  # type: ignore[assignment,method-assign]
    reader.read_string(content.decode())
    return reader


def words_of(line: str) -> list[str]:
    """The words of ``Exec`` as a desktop reads them; words without quotes are themselves."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line.replace("\\\\", "\\"))
    return [re.sub(r"\\(.)", r"\1", quoted).replace("%%", "%") if quoted else plain for quoted, plain in found]


@pytest.mark.parametrize(
    ("environment", "data"),
    [
        ({"HOME": "/home/a"}, "/home/a/.local/share"),
        ({"HOME": "/home/a", "XDG_DATA_HOME": "/d"}, "/d"),
        ({"HOME": "/home/a", "XDG_DATA_HOME": ""}, "/home/a/.local/share"),
    ],
)
def test_the_files_lie_where_desktops_of_this_user_look(environment: dict[str, str], data: str) -> None:
    files = {path.relative_to(data).as_posix() for path in menu_files(COMMAND, environment)}
    assert {"applications/sori.desktop", "icons/hicolor/scalable/apps/sori.svg"} <= files
    assert {f"icons/hicolor/{edge}x{edge}/apps/sori.png" for edge in (16, 32, 48, 128, 256, 512)} <= files
    assert "metainfo/app.sori.Sori.metainfo.xml" in files


@pytest.mark.parametrize(("home", "before"), [("", []), ("/home/a/소리 100%", ["env", "SORI_HOME=/home/a/소리 100%"])])
def test_the_entry_starts_this_sori_whatever_its_path_is(home: str, before: list[str]) -> None:
    content = next(iter(menu_files(COMMAND, {"HOME": "/home/a", "SORI_HOME": home}).values()))
    entry = entry_in(content)
    assert words_of(entry["Desktop Entry"]["Exec"]) == [*before, *COMMAND]
    assert words_of(entry["Desktop Action talk"]["Exec"]) == [*before, *COMMAND, "toggle"]


def test_every_action_of_the_entry_is_a_command_that_exists() -> None:
    entry = entry_in((PACKAGED / "sori.desktop").read_bytes())
    for section in entry.sections():
        program, *arguments = entry[section]["Exec"].split()
        assert program == "sori-window"
        assert parse(arguments, load_texts("en")).command == (arguments[0] if arguments else None)


def test_people_read_the_entry_and_the_metadata_in_both_languages() -> None:
    entry = entry_in((PACKAGED / "sori.desktop").read_bytes())
    for key in ("Name", "GenericName", "Comment", "Keywords"):
        assert entry["Desktop Entry"][f"{key}[ko]"] != entry["Desktop Entry"][key]
    told = etree.parse(PACKAGED / "app.sori.Sori.metainfo.xml").getroot()
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    for name in ("name", "summary", "description/p", "description/ul/li"):
        languages = [each.get(language, "en") for each in told.findall(name)]
        assert languages.count("ko") == languages.count("en") > 0


def test_the_metadata_names_the_version_first() -> None:
    told = etree.parse(PACKAGED / "app.sori.Sori.metainfo.xml").getroot()
    newest = told.find("releases/release")
    assert newest is not None
    assert newest.get("version") == VERSION


@LINUX
def test_the_entry_keeps_the_specification(tmp_path: Path) -> None:
    for environment in ({"HOME": str(tmp_path)}, {"HOME": str(tmp_path), "SORI_HOME": "/home/a/소리 100%"}):
        add_to_menu(menu_files(COMMAND, environment))
        entry = tmp_path / ".local/share/applications/sori.desktop"
        checked = subprocess.run(["desktop-file-validate", entry], capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stdout) == (0, "")


@LINUX
def test_the_metadata_keeps_the_specification() -> None:
    path = PACKAGED / "app.sori.Sori.metainfo.xml"
    checked = subprocess.run(
        ["appstreamcli", "validate", "--no-net", path], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_what_was_added_is_removed_and_nothing_else(tmp_path: Path) -> None:
    files = menu_files(COMMAND, {"HOME": str(tmp_path)})
    other = tmp_path / ".local/share/applications/other.desktop"
    other.parent.mkdir(parents=True)
    other.touch()
    add_to_menu(files)
    assert remove_from_menu(files) == len(files)
    assert remove_from_menu(files) == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [other]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StorageError) as raised:
        add_to_menu(menu_files(COMMAND, {"XDG_DATA_HOME": str(tmp_path / "data")}))
    assert "applications" in str(raised.value.values)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the menu of Linux desktops")
def test_the_command_adds_this_sori_and_removes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SORI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    entry = tmp_path / "data/applications/sori.desktop"
    assert main(["desktop", "install"]) == 0
    assert str(entry) in capsys.readouterr().out
    assert words_of(entry_in(entry.read_bytes())["Desktop Entry"]["Exec"])[2:] == start_command()
    assert main(["desktop", "remove"]) == 0
    assert not entry.exists()
