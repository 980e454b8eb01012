"""Runs a shell command in bubblewrap: no network, the system read-only, and no home folder but one allowed folder."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.child_processes import child_process
from assistant.storage.file_names import existing
from assistant.tools.tool import ToolError

TIMEOUT_S = 8.0
"""Seconds of a command. The gate waits ten."""
MOST_BYTES = 20_000
"""Maximum output in bytes; a command that prints more is ended."""
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TERM")
_BLOCK = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOutput:
    """What a command printed on both streams, and how it ended.

    Attributes:
        text: the output.
        status: the exit status; ``None`` if it was ended.
        reason: why it was ended; empty if it ended by itself.
    """

    text: str
    status: int | None
    reason: str = ""


class Sandbox:
    """Runs commands in a folder.

    Args:
        hidden: folders that no command may see, such as the home folder; the allowed folder is shown although it is in
            one of them.
        environment: only harmless variables of it are passed on.
        timeout_s: seconds of a command.
    """

    def __init__(
        self, hidden: tuple[Path, ...], environment: Mapping[str, str] = os.environ, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._hidden = hidden
        self._environment = environment
        self._timeout_s = timeout_s

    @staticmethod
    def exists() -> bool:
        """Whether bubblewrap is installed, without which no command runs."""
        return _program() is not None

    async def run(self, command: str, folder: Path) -> CommandOutput:
        """Run a command in a folder, which it may change.

        Raises:
            ToolError: there is no sandbox here, or the folder is not usable.
        """
        program = _program()
        if program is None:
            raise ToolError("tool_reason.no_sandbox")
        return await self._run((program, *self.arguments(command, self._checked(folder))))

    def _checked(self, folder: Path) -> Path:
        place = existing(folder.expanduser())
        if not place.is_absolute() or not place.is_dir():
            raise ToolError("tool_reason.no_shell_folder", path=folder)
        place = place.resolve()
        if place == Path(place.anchor) or any(hidden.resolve().is_relative_to(place) for hidden in self._hidden):
            raise ToolError("tool_reason.shell_folder_wide", path=place)
        return place

    def arguments(self, command: str, folder: Path) -> list[str]:
        """The arguments of bubblewrap. The order matters: later mounts lie over earlier ones."""
        kept = {name: self._environment[name] for name in _KEPT if name in self._environment}
        kept["HOME"] = str(folder)
        return [
            *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
            *("--ro-bind", "/", "/"),
            *("--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp"),  # noqa: S108
            *(word for hidden in self._hidden if hidden.is_dir() for word in ("--tmpfs", str(hidden.resolve()))),
            *("--bind", str(folder), str(folder), "--chdir", str(folder)),
            *(word for name, value in kept.items() for word in ("--setenv", name, value)),
            *("--", "/bin/sh", "-c", command),
        ]

    async def _run(self, command: tuple[str, ...]) -> CommandOutput:
        output, reason = bytearray(), ""
        # Its group is killed: the command may have left children behind.
        running = child_process(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env={}, group=True
        )
        try:
            async with running as process, asyncio.timeout(self._timeout_s):
                assert process.stdout is not None  # noqa: S101 - it was asked for
                while block := await process.stdout.read(_BLOCK):
                    output += block
                    if len(output) > MOST_BYTES:
                        reason = f"ended because it printed more than {MOST_BYTES} bytes"
                        break
                else:
                    await process.wait()
        except TimeoutError:
            reason = f"ended after {self._timeout_s:g} s"
        text = output[:MOST_BYTES].decode(errors="replace")
        return CommandOutput(text=text, status=None if reason else process.returncode, reason=reason)


def _program() -> str | None:
    return shutil.which("bwrap")
