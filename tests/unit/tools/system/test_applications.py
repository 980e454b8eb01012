import stat
import sys
from pathlib import Path

import pytest

from assistant.tools.builtin.computer.applications import application_tools
from assistant.tools.system import applications
from assistant.tools.system.applications import Applications, CommandLauncher, read_entry, web_address, without_secrets
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="desktop entries are of Linux")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("firefox", "calc", "term", "xdg-open"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def entry(folder: Path, name: str, **values: str) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [f"{key.replace('_ko', '[ko]')}={value}" for key, value in {"Type": "Application", **values}.items()]
    path = folder / f"{name}.desktop"
    path.write_text("\n".join(["[Desktop Entry]", *lines, "[Desktop Action new]", "Exec=other"]), encoding="utf-8")
    return path


@pytest.fixture
def installed(tmp_path: Path, programs: Path) -> Applications:
    shared, own = tmp_path / "shared", tmp_path / "own"
    entry(
        shared,
        "firefox",
        Name="Firefox Web Browser",
        Name_ko="파이어폭스",
        Exec="firefox --new-window %u",
        Keywords="Web;",
    )
    entry(shared, "calc", Name="Calculator", Name_ko="계산기", Exec='calc "a b" %F')
    entry(shared, "calc2", Name="Graph Calculator", Exec="calc")
    entry(shared, "hidden", Name="Hidden", Exec="calc", NoDisplay="true")
    entry(shared, "missing", Name="Missing", Exec="not-here")
    entry(shared, "gone", Name="Gone", Exec="calc")
    entry(own, "gone", Name="Gone", Exec="calc", Hidden="true")
    return Applications([own, shared])


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("firefox", ("firefox", "--new-window")),
        ("파이어 폭스", ("firefox", "--new-window")),
        ("Calculator", ("calc", "a b")),
        ("계산기", ("calc", "a b")),
        ("graph", ("calc",)),
    ],
)
def test_an_application_is_found_in_korean_and_english(installed: Applications, said: str, command: tuple[str]) -> None:
    assert installed.find(said).command == command


@pytest.mark.parametrize(
    ("said", "why"),
    [(each, f"no_application name={each}") for each in ("hidden", "missing", "gone")]
    + [("", "empty"), ("calculat", "several")],
)
def test_what_is_not_one_application_is_refused(installed: Applications, said: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        installed.find(said)


def test_an_entry_that_cannot_be_read_is_left_out(tmp_path: Path, programs: Path) -> None:
    assert read_entry(entry(tmp_path, "broken", Name="Broken", Exec='calc "')) is None
    assert read_entry(tmp_path / "none.desktop") is None


@pytest.mark.parametrize("address", ["https://example.org/a?b=c", "http://127.0.0.1:8000", "https://한글.kr"])
def test_pages_of_the_web_are_opened(address: str) -> None:
    assert web_address(address) == address


def test_an_address_without_a_scheme_is_of_the_web() -> None:
    assert web_address("example.org") == "https://example.org"


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "javascript://x",
        "ftp://a.b",
        "https://",
        "https://u:p@a.b",
        "https://a.b/ c",
        "--help",
        "https://a:x",
    ],
)
def test_nothing_else_is_opened(address: str) -> None:
    if address == "--help":
        assert web_address(address).startswith("https://")
        return
    with pytest.raises(ToolError):
        web_address(address)


async def test_programs_are_started_without_the_keys_of_sori(
    installed: Applications, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(applications, "start", lambda command: started.append(tuple(command)))
    tools = {each.name: each for each in application_tools(CommandLauncher(installed, ("xdg-open",)))}
    assert await tools["open_application"].run({"name": "계산기"}, served_call()) == "Started Calculator."
    await tools["open_in_browser"].run({"address": "https://example.org"}, served_call())
    assert started == [("calc", "a b"), ("xdg-open", "https://example.org")]
    assert without_secrets({"OPENAI_API_KEY": "x", "MY_TOKEN": "x", "HOME": "/h"}) == {"HOME": "/h"}


def test_a_started_program_belongs_to_itself(programs: Path, tmp_path: Path) -> None:
    (programs / "term").write_text(f"#!/bin/sh\n/bin/echo started > {tmp_path}/log\n")
    applications.start([str(programs / "term")])
    assert applications._started[-1].wait() == 0
    assert (tmp_path / "log").read_text() == "started\n"
    with pytest.raises(ToolError, match=r"failed name=.*nothing"):
        applications.start([str(programs / "nothing")])
