"""The clipboard, through the desktop's own programs."""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.child_processes import child_process
from assistant.tools.system.programs import run
from assistant.tools.tool import ToolError


class Clipboard(Protocol):
    """Reads and writes the text of the clipboard. Every method raises ``ToolError`` when there is no clipboard."""

    async def read(self) -> str:
        """The text of the clipboard; empty if it holds none."""
        ...

    async def write(self, text: str) -> None:
        """Replace the content of the clipboard."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipboardProgram:
    """Commands that read and write the clipboard.

    Attributes:
        read: prints the text.
        write: takes the text on its input.
        needs: environment variable without which the program has no display; empty for none.
        empty: beginning of the error by which ``read`` reports an empty clipboard.
        encoding: of input and output.
        stays: whether ``write`` goes on running in the background, to hand out the text.
    """

    read: tuple[str, ...]
    write: tuple[str, ...]
    needs: str = ""
    empty: str = ""
    encoding: str = "utf-8"
    stays: bool = False


LINUX_PROGRAMS = (
    ClipboardProgram(
        read=("wl-paste", "--no-newline", "--type", "text/plain;charset=utf-8"),
        write=("wl-copy", "--type", "text/plain;charset=utf-8"),
        needs="WAYLAND_DISPLAY",
        empty="Nothing is copied",
        stays=True,
    ),
    ClipboardProgram(
        read=("xclip", "-selection", "clipboard", "-target", "UTF8_STRING", "-out"),
        write=("xclip", "-selection", "clipboard", "-in"),
        needs="DISPLAY",
        empty="Error: target",
        stays=True,
    ),
    ClipboardProgram(
        read=("xsel", "--clipboard", "--output"), write=("xsel", "--clipboard", "--input"), needs="DISPLAY", stays=True
    ),
)
MAC_PROGRAMS = (ClipboardProgram(read=("pbpaste",), write=("pbcopy",)),)
_POWERSHELL = ("powershell", "-NoProfile", "-NonInteractive", "-Command")
WINDOWS_PROGRAMS = (
    ClipboardProgram(
        read=(*_POWERSHELL, "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"),
        write=(
            *_POWERSHELL,
            "[Console]::InputEncoding=[Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())",
        ),
    ),
)


class ProgramClipboard:
    """Implements ``Clipboard`` with the first program that is installed and has a display.

    Args:
        programs: programs to try, best first.
        environment: names the display.
    """

    def __init__(self, programs: Sequence[ClipboardProgram], environment: Mapping[str, str] = os.environ) -> None:
        self._programs = programs
        self._environment = environment

    async def read(self) -> str:
        """The text of the clipboard; empty if it holds none."""
        program = self._chosen()
        ran = await run(*program.read)
        if ran.status == 0:
            return ran.output.decode(program.encoding, errors="replace")
        if program.empty and ran.errors.startswith(program.empty):
            return ""
        raise ToolError("tool_reason.failed", name=program.read[0], detail=ran.errors or ran.status)

    async def write(self, text: str) -> None:
        """Replace the content of the clipboard."""
        program = self._chosen()
        content = text.encode(program.encoding)
        if program.stays:
            await _hand_over(program.write, content)
            return
        ran = await run(*program.write, stdin=content)
        if ran.status != 0:
            raise ToolError("tool_reason.failed", name=program.write[0], detail=ran.errors or ran.status)

    def _chosen(self) -> ClipboardProgram:
        for program in self._programs:
            if (not program.needs or self._environment.get(program.needs)) and shutil.which(program.read[0]):
                return program
        names = ", ".join(program.read[0] for program in self._programs)
        raise ToolError("tool_reason.no_clipboard", names=names)


async def _hand_over(command: tuple[str, ...], content: bytes) -> None:
    """Run a program that forks. Its child keeps the error stream open, so the stream must not be waited for."""
    try:
        async with child_process(*command, stdin=asyncio.subprocess.PIPE) as process, asyncio.timeout(3):
            await process.communicate(content)
    except TimeoutError as error:
        raise ToolError("tool_reason.no_answer", name=command[0], seconds=3) from error
    if process.returncode:
        raise ToolError("tool_reason.failed", name=command[0], detail=process.returncode)


def system_clipboard() -> Clipboard:
    """The clipboard of this computer."""
    programs = {"darwin": MAC_PROGRAMS, "win32": WINDOWS_PROGRAMS}.get(sys.platform, LINUX_PROGRAMS)
    return ProgramClipboard(programs)
