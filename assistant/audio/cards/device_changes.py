"""Notices that a better device is there, while a card is open (V-18).

PortAudio detects devices only when it starts, and a restart would end the open streams. So a short process of its own
lists the devices.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.audio.cards import device_report
from assistant.audio.cards.device_list import Direction
from assistant.child_processes import child_process

LIST_LIMIT_S = 20.0
"""Longest time for a list. Sound systems with Bluetooth devices may need several seconds."""
_ROOT = Path(__file__).parents[3]
_CARDS = Path("/proc/asound/cards")


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The devices of one direction.

    Attributes:
        names: their names.
        default: name of the default device; empty when there is none.
    """

    names: frozenset[str]
    default: str


Devices = dict[Direction, Present]


def better(direction: Direction, *, wanted: str, used: str, before: Devices | None, now: Devices) -> bool:
    """Whether another device than ``used`` should be used from now on.

    Args:
        direction: microphone or speaker.
        wanted: the name in the settings; empty for the default device.
        used: name of the device in use; empty for none.
        before: the devices of the previous look, when the same device was in use; ``None`` at the first look.
        now: the devices that are there. A device in use may be missing.
    """
    there = now[direction]
    if not used:
        # A device that is there and cannot be opened would otherwise interrupt the other direction at every look.
        return before is not None and bool(there.names - before[direction].names)
    if wanted:
        if used.startswith(wanted):
            return False
        if any(name.startswith(wanted) for name in there.names):
            return True
    if wanted or before is None:
        return False
    return there.default not in {"", used, before[direction].default}


def cards() -> str:
    """What Linux knows of sound cards, which is quick to read; empty on other systems."""
    try:
        return _CARDS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def needs_no_look(card_list: str, last: str | None) -> bool:
    """Whether the list of cards proves that no device was added since ``last``, the list of the previous look."""
    return bool(card_list) and card_list == last


async def look(command: Callable[[], list[str]] | None = None) -> Devices | None:
    """List the devices by a process of its own; ``None`` when it fails.

    Args:
        command: the program that prints the list; ``device_report`` by default.
    """
    arguments = command() if command else [sys.executable, "-m", device_report.__name__]
    try:
        async with child_process(*arguments, stdout=asyncio.subprocess.PIPE) as process, asyncio.timeout(LIST_LIMIT_S):
            told, _ = await process.communicate()
    except OSError:  # also that it takes too long
        return None
    return parsed(told)


def parsed(told: bytes) -> Devices | None:
    """The devices in what the process has printed; ``None`` when that is no list."""
    try:
        lists = json.loads(told)
        return {
            each: Present(names=frozenset(map(str, lists[each]["names"])), default=str(lists[each]["default"]))
            for each in ("input", "output")
        }
    except (KeyError, TypeError, ValueError):
        return None
