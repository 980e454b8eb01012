"""A real sound server tells of devices that come, go or become the default, and its end is survived."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.audio.cards.device_changes import look
from assistant.audio.cards.device_signal import DeviceSignal
from tests.e2e.sound_server import SPEAKER, SoundServer

pytestmark = pytest.mark.sound


async def _soon(seconds: float) -> None:
    await asyncio.sleep(min(seconds, 0.3))


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not done():  # noqa: ASYNC110 - the connection is a number, and nobody else waits for it
            await asyncio.sleep(0.02)


async def told(signal: DeviceSignal) -> None:
    """Wait until the signal tells of a change."""
    async with asyncio.timeout(30):
        while not await signal.wait(1.0):
            pass


async def add_sink(server: SoundServer, name: str) -> str:
    """Add a device; return the number of its module."""
    return (await asyncio.to_thread(server.control, "load-module", "module-null-sink", f"sink_name={name}")).strip()


async def hears(server: SoundServer, signal: DeviceSignal) -> None:
    """Wait until the signal hears of changes; the program needs a moment to connect."""
    await until(lambda: signal.connection > 0)
    async with asyncio.timeout(30):
        while True:
            module = await add_sink(server, "probe")
            heard = await signal.wait(0.3)
            await asyncio.to_thread(server.control, "unload-module", module)
            if heard:
                break
    quiet = 0
    while quiet < 5:  # The program may tell late of the last change.
        quiet = 0 if await signal.wait(0.3) else quiet + 1


@asynccontextmanager
async def listener(server: SoundServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DeviceSignal]:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    signal = DeviceSignal(_soon)
    running = asyncio.create_task(signal.run())
    try:
        await hears(server, signal)
        yield signal
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_new_a_lost_and_another_default_device_are_told(
    sound_server: SoundServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listener(sound_server, monkeypatch) as signal:
        module = await add_sink(sound_server, "headset")
        await told(signal)
        await asyncio.to_thread(sound_server.control, "set-default-sink", "headset")
        await told(signal)
        await asyncio.to_thread(sound_server.control, "unload-module", module)
        await told(signal)


async def test_a_look_and_a_volume_are_no_changes(sound_server: SoundServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listener(sound_server, monkeypatch) as signal:
        assert await look() is not None  # else each look would lead to the next
        await asyncio.to_thread(sound_server.control, "set-sink-volume", SPEAKER, "50%")
        assert not await signal.wait(1.0)
        await add_sink(sound_server, "headset")
        await told(signal)


async def test_a_server_that_ends_and_returns_is_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(tempfile.mkdtemp(prefix="sori-sound-"))
    first = SoundServer(folder)
    try:
        await asyncio.to_thread(first.wait_until_ready)
        async with listener(first, monkeypatch) as signal:
            connection = signal.connection
            await asyncio.to_thread(first.stop)
            await until(lambda: signal.connection != connection)
            second = SoundServer(folder)
            try:
                await asyncio.to_thread(second.wait_until_ready)
                await hears(second, signal)
                assert signal.connection > connection
            finally:
                await asyncio.to_thread(second.stop)
    finally:
        first.stop()
        shutil.rmtree(folder)


async def test_without_the_program_nobody_is_listened_to() -> None:
    signal = DeviceSignal(_soon, ("no-such-program",))
    await signal.run()
    assert not signal.connection
