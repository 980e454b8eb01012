"""``sori sync`` in a process of its own, killed the moment the server has carried out what it asked."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from assistant.host.texts import load_texts
from tests.contract.sync.computer import SETTINGS, WORDS
from tests.fakes.sync.deadly_line import DeadlyLine

TEXTS = load_texts("ko")
ROOT = Path(__file__).parents[3]
ALIKE = TEXTS("sync.state.alike")
ROW = "SELECT count(*) FROM sori_sync."

Sori = Callable[..., Awaitable[str]]
"""Runs a command of a home: its name, the words of the command line, what is typed; gives what was printed."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the package with a server is installed on Linux only")


@pytest.fixture
async def line(tmp_path: Path, address: str) -> AsyncIterator[DeadlyLine]:
    async with DeadlyLine(tmp_path, address) as line:
        yield line


@pytest.fixture
def sori(tmp_path: Path, line: DeadlyLine) -> Sori:
    async def run(home: str, *words: str, typed: str = "") -> str:
        folder = tmp_path / home
        folder.mkdir(exist_ok=True)
        if not (folder / "config.toml").exists():
            (folder / "config.toml").write_text(SETTINGS, encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("main.py", "sync", *words),
            cwd=ROOT,
            env={**os.environ, "SORI_HOME": str(folder)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        line.carry_for(process)
        printed, _ = await process.communicate(f"{typed}\n".encode())
        return printed.decode()

    return run


def rows(address: str, asked: str) -> list[tuple[object, ...]]:
    with closing(psycopg.connect(address)) as owner:
        return owner.execute(asked).fetchall()


def devices(address: str) -> int:
    ((count,),) = rows(address, f"{ROW}devices WHERE NOT revoked")
    return int(str(count))


@pytest.mark.parametrize("moment", [("join_account", "COMMIT"), ("CREATE ROLE",), ("newest",), ("push",)])
async def test_setting_up_that_was_killed_makes_one_device_when_it_is_done_again(
    sori: Sori, line: DeadlyLine, address: str, moment: tuple[str, ...]
) -> None:
    setup = ("setup", "--in-file", "--device", "laptop", line.address)
    line.kill(*moment)
    await sori("laptop", *setup, typed=WORDS)
    assert line.killed
    assert ALIKE in await sori("laptop", *setup, typed=WORDS)
    assert devices(address) == 1
    assert rows(address, f"{ROW}accounts") == [(1,)]


@pytest.mark.parametrize("moment", [("accept", "COMMIT"), ("newest",)])
async def test_joining_by_a_code_that_was_killed_leaves_no_device_behind_when_it_is_done_with_another_code(
    sori: Sori, line: DeadlyLine, address: str, moment: tuple[str, ...]
) -> None:
    await sori("laptop", "setup", "--in-file", "--device", "laptop", line.address, typed=WORDS)
    first = await code(sori)
    line.kill(*moment)
    await sori("desktop", "setup", "--in-file", "--code", typed=first)
    assert line.killed
    assert ALIKE in await sori("desktop", "setup", "--in-file", "--code", typed=await code(sori))
    assert devices(address) == 2
    assert ALIKE in await sori("laptop", "status")


@pytest.mark.parametrize("moment", ["beat", "revoke"])
async def test_a_device_that_was_killed_while_it_left_has_left_after_its_next_start(
    sori: Sori, line: DeadlyLine, address: str, tmp_path: Path, moment: str
) -> None:
    await sori("laptop", "setup", "--in-file", "--device", "laptop", line.address, typed=WORDS)
    line.kill(moment)
    await sori("laptop", "leave")
    assert line.killed
    assert TEXTS("sync.not_in") in await sori("laptop", "status")
    assert devices(address) == 0
    assert (tmp_path / "laptop" / "keys.json").read_text() == "{}"
    assert await sori("laptop", "leave") == await sori("never", "leave")


async def code(sori: Sori) -> str:
    """A code of the first device."""
    printed = await sori("laptop", "invite")
    return next(each for each in printed.split() if each.startswith("sori-join"))
