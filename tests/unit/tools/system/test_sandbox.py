"""Commands in the sandbox. The program ``bwrap`` of these tests only runs the command, in no sandbox."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from assistant.core.permissions import LOCAL_ASSISTANT, Category, Verdict
from assistant.tools.builtin.computer.shell import shell_tools
from assistant.tools.system.sandbox import MOST_BYTES, Sandbox
from assistant.tools.tool import ToolError
from tests.fakes.system.processes import alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such sandbox")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    bwrap = programs / "bwrap"
    bwrap.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n')
    bwrap.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(programs))
    work = tmp_path / "home" / "work"
    work.mkdir(parents=True)
    return work


@pytest.fixture
def sandbox(folder: Path) -> Sandbox:
    return Sandbox((folder.parent,), {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "secret"})


def test_the_sandbox_has_no_network_no_secrets_and_one_folder(sandbox: Sandbox, folder: Path) -> None:
    words = sandbox.arguments("ls; rm -rf /", folder)
    line = " ".join(words)
    assert "--unshare-all" in words
    assert "--share-net" not in words
    assert "--clearenv" in words
    assert "secret" not in line
    assert (
        f"--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run --tmpfs /var/tmp --tmpfs {folder.parent}"
        in line
    )
    assert line.index(f"--tmpfs {folder.parent}") < line.index(f"--bind {folder} {folder}")
    assert words[-4:] == ["--", "/bin/sh", "-c", "ls; rm -rf /"]


async def test_output_and_status_are_told(sandbox: Sandbox, folder: Path) -> None:
    (run_command,) = shell_tools(sandbox, lambda: str(folder))
    assert run_command.available()
    assert await run_command.run({"command": "echo out; echo err >&2; exit 3"}) == "out\nerr\n(exit status 3)"
    assert await run_command.run({"command": "true"}) == "(exit status 0)"


async def test_a_command_that_prints_too_much_is_ended(sandbox: Sandbox, folder: Path) -> None:
    done = await sandbox.run("while :; do echo xxxxxxxxxxxxxxxx; done", folder)
    assert len(done.text) == MOST_BYTES
    assert done.status is None
    assert "more than" in done.reason


async def test_a_command_that_prints_until_its_last_moment_is_ended(
    sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints more than asyncio keeps unread, before it is killed."""
    kill, printed = os.killpg, folder / "printed"

    def late(group: int, number: int) -> None:
        loop = asyncio.get_running_loop()
        if printed.exists():
            kill(group, number)
        else:
            loop.call_soon(late, group, number)

    monkeypatch.setattr(os, "killpg", late)
    async with asyncio.timeout(30):
        done = await sandbox.run(f"yes & head -c 190000 /dev/zero; touch {printed}; wait", folder)
    assert "more than" in done.reason


async def test_a_command_that_takes_too_long_is_ended_with_its_children(folder: Path) -> None:
    sandbox = Sandbox((folder.parent,), {}, timeout_s=0.5)
    done = await sandbox.run("/bin/sleep 600 & echo $!; wait", folder)
    assert done.reason == "ended after 0.5 s"
    _await_end(int(done.text))


def _await_end(process: int) -> None:
    while alive(process):  # a busy kernel takes a moment to end a killed process
        os.sched_yield()


async def test_without_bubblewrap_nothing_runs(sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolError, match="bubblewrap"):
        await sandbox.run(f"touch {folder}/made", folder)
    assert not (folder / "made").exists()
    (run_command,) = shell_tools(sandbox, lambda: str(folder))
    assert not run_command.available()


@pytest.mark.parametrize("place", ["/", "relative", "/nonexistent", ".."])
async def test_a_folder_that_holds_more_is_refused(sandbox: Sandbox, folder: Path, place: str) -> None:
    wanted = folder.parent if place == ".." else Path(place)
    with pytest.raises(ToolError, match="folder"):
        await sandbox.run("true", wanted)


def test_the_tool_is_off_by_default_and_always_asks(sandbox: Sandbox) -> None:
    (run_command,) = shell_tools(sandbox, lambda: "")
    assert run_command.category is Category.RESTRICTED
    assert not run_command.available()
    assert LOCAL_ASSISTANT.verdict("run_command", Category.RESTRICTED) is Verdict.REFUSE
