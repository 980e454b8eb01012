import stat
import sys
from pathlib import Path

import pytest

from assistant.tools.builtin.computer.clipboard import clipboard_tools
from assistant.tools.system.clipboard import LINUX_PROGRAMS, ClipboardProgram, ProgramClipboard
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts here")


def install(folder: Path, program: str, script: str) -> None:
    path = folder / program
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def mine(folder: Path, **options: object) -> ClipboardProgram:
    install(folder, "copy", f"cat > {folder}/held")
    install(folder, "paste", f"cat {folder}/held")
    return ClipboardProgram(read=("paste",), write=("copy",), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("stays", [False, True])
async def test_a_text_is_written_and_read(programs: Path, stays: bool) -> None:
    tools = {each.name: each for each in clipboard_tools(ProgramClipboard([mine(programs, stays=stays)]))}
    assert (
        await tools["write_clipboard"].run({"text": "안녕\n😀"}, served_call())
        == "Copied 4 characters to the clipboard."
    )
    assert await tools["read_clipboard"].run({}, served_call()) == "안녕\n😀"


async def test_an_empty_clipboard_is_no_error(programs: Path) -> None:
    install(programs, "paste", "echo 'Nothing is copied' >&2; exit 1")
    program = ClipboardProgram(read=("paste",), write=("copy",), empty="Nothing is copied")
    (read, _) = clipboard_tools(ProgramClipboard([program]))
    assert await read.run({}, served_call()) == "The clipboard holds no text."


async def test_a_refusal_is_passed_on(programs: Path) -> None:
    install(programs, "paste", "echo 'no display' >&2; exit 1")
    with pytest.raises(ToolError, match="no display"):
        await ProgramClipboard([ClipboardProgram(read=("paste",), write=("copy",))]).read()


async def test_a_program_needs_its_display(programs: Path) -> None:
    with pytest.raises(ToolError, match="wl-paste, xclip, xsel"):
        await ProgramClipboard(LINUX_PROGRAMS, {}).read()
    install(programs, "wl-paste", "echo wayland")
    install(programs, "xclip", "echo x11")
    assert await ProgramClipboard(LINUX_PROGRAMS, {"WAYLAND_DISPLAY": "w"}).read() == "wayland\n"
    assert await ProgramClipboard(LINUX_PROGRAMS, {"DISPLAY": ":0"}).read() == "x11\n"
