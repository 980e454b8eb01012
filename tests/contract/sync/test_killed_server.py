"""A real PostgreSQL server is killed and started again while devices write: nothing acknowledged is lost."""

import sys
from pathlib import Path

import pytest

from tests.contract.postgres import killable_server
from tests.fakes.sync.killed_server import close, kept_by_the_server, write_through_kills, writers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the package with a server is installed on Linux only")


async def test_all_devices_have_everything_after_their_server_was_killed_while_they_wrote(tmp_path: Path) -> None:
    with killable_server(tmp_path / "server") as server:
        devices = await writers(tmp_path, server, 3)
        await write_through_kills(devices, server, 4, 0.5)
        assert sum(each.failures for each in devices) > 0
        texts = [await each.texts() for each in devices]
        written = sorted(f"{each.conversation} {number}" for each in devices for number in range(each.written))
        assert texts == [written] * len(devices)
        assert await kept_by_the_server(tmp_path, devices) == written
        assert all(each.acknowledged and each.acknowledged <= set(written) for each in devices)
        assert [await each.home.outbox.count() for each in devices] == [0] * len(devices)
        assert len({tuple(await each.home.rows("messages")) for each in devices}) == 1
        newest = [(await each.store.place(b"")).newest for each in devices]
        assert len(set(newest)) == 1
        await close(devices)
