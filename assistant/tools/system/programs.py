"""Runs a program of the system and takes its output."""

import asyncio
from dataclasses import dataclass

from assistant.child_processes import child_process
from assistant.tools.tool import ToolError

_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a program ended: its exit status, its output and what it reported on the error stream."""

    status: int
    output: bytes
    errors: str


async def run(program: str, *arguments: str, stdin: bytes = b"", timeout_s: float = _TIMEOUT_S) -> Ran:
    """Run a program to its end.

    Raises:
        ToolError: it cannot be started, or takes longer than ``timeout_s`` seconds.
    """
    pipe = asyncio.subprocess.PIPE
    running = child_process(program, *arguments, stdin=pipe, stdout=pipe, stderr=pipe, group=True)
    try:
        async with running as process, asyncio.timeout(timeout_s):
            output, errors = await process.communicate(stdin)
    except TimeoutError as error:
        raise ToolError("tool_reason.no_answer", name=program, seconds=f"{timeout_s:g}") from error
    except OSError as error:
        raise ToolError("tool_reason.failed", name=program, detail=error.strerror or error) from error
    return Ran(status=process.returncode or 0, output=output, errors=errors.decode(errors="replace").strip())
