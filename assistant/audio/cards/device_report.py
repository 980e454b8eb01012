"""The program that lists this machine's devices for ``device_changes.look``.

It runs every 15 s on systems that offer no cheaper way, so it imports little: asyncio alone would double its cost.
"""

import json
import sys

from assistant.audio.cards.device_list import Direction, list_devices
from assistant.core.errors import AudioDeviceError


def printed() -> str:
    """This machine's devices, for ``device_changes.parsed``."""
    try:
        devices = list_devices()
    except AudioDeviceError:
        return ""
    directions: tuple[Direction, ...] = ("input", "output")
    return json.dumps(
        {
            direction: {
                "names": [each.name for each in devices if each.does(direction)],
                "default": next((each.name for each in devices if each.is_default(direction)), ""),
            }
            for direction in directions
        }
    )


if __name__ == "__main__":
    sys.stdout.write(printed())
