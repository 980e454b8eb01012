"""Shell commands, in a sandbox only.

Off unless the settings name a folder, bubblewrap is installed and the agent may use restricted tools.
"""

from collections.abc import Callable
from pathlib import Path

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.system.sandbox import Sandbox
from assistant.tools.tool import Tool


def shell_tools(sandbox: Sandbox, folder: Callable[[], str]) -> tuple[Tool, ...]:
    """The tool that runs a command.

    Args:
        sandbox: runs it.
        folder: gives the folder of the settings; empty while commands are off.
    """

    async def run_command(command: str) -> str:
        """Runs a shell command in the user's folder for it. It has no network and can change that folder only.

        Args:
            command: the command for /bin/sh.
        """
        done = await sandbox.run(command, Path(folder()))
        ended = done.reason or f"exit status {done.status}"
        return f"{done.text.rstrip()}\n({ended})".lstrip()

    return (
        tool_of(
            run_command,
            category=Category.RESTRICTED,
            idempotent=False,
            search_words=("셸", "명령어", "터미널", "실행", "terminal", "script"),
            untrusted=True,
            reads_private=True,
            available=lambda: bool(folder()) and sandbox.exists(),
        ),
    )
