"""Commands in the sandbox of the real bubblewrap."""

import asyncio
import contextlib
import os
import socket
import sys
from pathlib import Path

import pytest

from assistant.core.permissions import LOCAL_ASSISTANT, Category, Verdict
from assistant.tools.builtin.computer.shell import shell_tools
from assistant.tools.system.sandbox import MOST_BYTES, Sandbox
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no such sandbox")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The allowed folder, in a home folder that is hidden."""
    work = tmp_path / "home" / "work"
    work.mkdir(parents=True)
    return work


@pytest.fixture
def sandbox(folder: Path, tmp_path: Path) -> Sandbox:
    own = tmp_path / "sori"
    own.mkdir()
    (own / "sori.db").write_text("what was said")
    return Sandbox((folder.parent, own), {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "secret"})


async def printed(sandbox: Sandbox, folder: Path, command: str) -> str:
    """What a command prints that is expected to succeed."""
    done = await sandbox.run(command, folder)
    assert done.status == 0, done.text
    return done.text


async def test_only_the_allowed_folder_can_be_changed(sandbox: Sandbox, folder: Path) -> None:
    (folder / "old.txt").write_text("old")
    assert (
        await printed(sandbox, folder, "cat old.txt; echo new > new.txt; pwd; echo $HOME") == f"old{folder}\n{folder}\n"
    )
    assert (folder / "new.txt").read_text() == "new\n"
    for place in ("/usr/made", "/etc/made", f"{Path(__file__).parent}/made"):
        done = await sandbox.run(f"echo x > {place}", folder)
        assert (done.status, "Read-only file system" in done.text) == (2, True), place


async def test_the_home_folder_and_soris_own_are_not_seen(sandbox: Sandbox, folder: Path, tmp_path: Path) -> None:
    (folder.parent / "diary.txt").write_text("private")
    (folder.parent / ".ssh").mkdir()
    assert await printed(sandbox, folder, f"ls -A {folder.parent}") == "work\n"
    assert await printed(sandbox, folder, f"ls -A {tmp_path}/sori") == ""
    assert await printed(sandbox, folder, f"echo x > {tmp_path}/sori/sori.db; cat {tmp_path}/sori/sori.db") == "x\n"
    assert (tmp_path / "sori" / "sori.db").read_text() == "what was said"


async def test_nothing_listens_for_it_on_the_network(sandbox: Sandbox, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reach = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        done = await sandbox.run(f'{sys.executable} -c "{reach}"', folder)
    assert done.status == 1
    assert "ConnectionRefusedError" in done.text
    assert (await printed(sandbox, folder, "tail -n +3 /proc/net/dev | cut -d: -f1")).split() == ["lo"]


async def test_other_processes_and_variables_are_not_seen(sandbox: Sandbox, folder: Path) -> None:
    assert "secret" not in await printed(sandbox, folder, "env")
    assert not await _sees(sandbox, folder, os.getpid())
    assert (await printed(sandbox, folder, "grep CapEff /proc/self/status")).split()[1].strip("0") == ""


async def _sees(sandbox: Sandbox, folder: Path, process: int) -> bool:
    command = f"cat /proc/{process}/cmdline 2>/dev/null | tr '\\0' ' ' || true"
    return "pytest" in await printed(sandbox, folder, command)


async def test_output_and_status_are_told(sandbox: Sandbox, folder: Path) -> None:
    (run_command,) = shell_tools(sandbox, lambda: str(folder))
    assert run_command.available()
    assert (
        await run_command.run({"command": "echo out; echo err >&2; exit 3"}, served_call())
        == "out\nerr\n(exit status 3)"
    )
    assert await run_command.run({"command": "true"}, served_call()) == "(exit status 0)"


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
    sandbox, seconds = Sandbox((folder.parent,), {}, timeout_s=0.5), f"600.{os.getpid()}"
    done = await sandbox.run(f"/bin/sleep {seconds} & echo begun; wait", folder)
    assert (done.text, done.reason) == ("begun\n", "ended after 0.5 s")
    while _running(seconds):  # a busy kernel takes a moment to end a killed process
        os.sched_yield()


def _running(argument: str) -> list[str]:
    """The processes of this machine with this argument. Their numbers in the sandbox are others."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if argument in (words := place.read_bytes().decode(errors="replace").split("\0")):
                found.append(" ".join(words))
    return found


async def test_without_bubblewrap_nothing_runs(sandbox: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolError, match="no_sandbox"):
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
