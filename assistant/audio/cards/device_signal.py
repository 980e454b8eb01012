"""Hears from the sound server that devices came or went (V-18), on Linux with PulseAudio or PipeWire.

The server's own program ``pactl`` tells of changes, also of Bluetooth devices, and costs nothing between them. Where it
is missing, or no server answers, nobody is listened to, and the caller looks from time to time.
"""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from typing import Final

from assistant.child_processes import child_process
from assistant.tasks import first_of

SETTLED_S: Final = 1.0
"""Time without another change after which the devices are looked at; one headset is several changes."""
MOST_SETTLING_STEPS: Final = 5
"""How often this time may begin anew because others follow."""
AGAIN_AFTER_S: Final = 60.0
"""Pause until a server that was not there or ended is asked again."""

Sleep = Callable[[float], Awaitable[None]]

_COMMAND: Final = ("pactl", "subscribe")
_CHANGE: Final = re.compile(rb"'(?:new|remove)' on (?:sink|source) |'change' on server")
"""What may change the choice of a device. A volume is a change of a sink, and every program that plays is a client."""


class DeviceSignal:
    """Tells whether devices may have changed.

    Args:
        sleep: waits for a number of seconds.
        command: the program that prints a line for each change.
    """

    def __init__(self, sleep: Sleep = asyncio.sleep, command: tuple[str, ...] = _COMMAND) -> None:
        self._sleep, self._command = sleep, command
        self._changed = asyncio.Event()
        self._connections, self._listening = 0, False

    @property
    def connection(self) -> int:
        """The number of the present connection to a server; 0 for none.

        While it stays the same, each change is told.
        """
        return self._connections if self._listening else 0

    def tell(self) -> None:
        """Tell of a change."""
        self._changed.set()

    async def wait(self, limit_s: float) -> bool:
        """Wait for a change until the limit; return whether there was one."""
        await first_of(self._changed.wait(), self._sleep(limit_s))
        if not self._changed.is_set():
            return False
        for _ in range(MOST_SETTLING_STEPS):
            if not self._changed.is_set():
                break
            self._changed.clear()
            await self._sleep(SETTLED_S)
        return True

    async def run(self) -> None:
        """Listen to the server until cancelled. Return if this system has none."""
        while sys.platform == "linux":
            try:
                await self._listen()
            except OSError:
                return
            await self._sleep(AGAIN_AFTER_S)

    async def _listen(self) -> None:
        """Listen until the server ends.

        Raises:
            OSError: the program is not installed.
        """
        environment = {**os.environ, "LC_ALL": "C"}
        async with child_process(*self._command, stdout=asyncio.subprocess.PIPE, env=environment) as process:
            try:
                self._connections, self._listening = self._connections + 1, True
                assert process.stdout is not None  # noqa: S101 - it was asked for
                async for line in process.stdout:
                    if _CHANGE.search(line):
                        self.tell()
            finally:
                self._listening = False
