"""Controls what plays: by MPRIS on Linux, by AppleScript on macOS, by the media keys on Windows.

MPRIS specification: https://specifications.freedesktop.org/mpris-spec
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from assistant.tools.system.programs import run
from assistant.tools.tool import ToolError

if TYPE_CHECKING:
    from jeepney.io.asyncio import DBusRouter

_PREFIX = "org.mpris.MediaPlayer2."
_PATH = "/org/mpris/MediaPlayer2"
_INTERFACE = "org.mpris.MediaPlayer2.Player"
_ANSWER_S = 3.0


class MediaAction(StrEnum):
    """What is done with the player."""

    PLAY = "play"
    PAUSE = "pause"
    NEXT = "next"
    PREVIOUS = "previous"


class MediaControl(Protocol):
    """Controls the player. Every method raises ``ToolError`` when there is none."""

    async def do(self, action: MediaAction) -> None:
        """Play, pause, or change the track."""
        ...

    async def playing(self) -> str:
        """What plays, or what is paused."""
        ...


class MprisControl:
    """Implements ``MediaControl`` on a session bus.

    Args:
        address: address of the bus.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    async def do(self, action: MediaAction) -> None:
        """Play, pause, or change the track of the player that plays, else of the first."""
        async with self._player() as (router, player, _):
            await _call(router, player, _INTERFACE, action.value.capitalize())

    async def playing(self) -> str:
        """Title and artist, and whether it plays."""
        async with self._player() as (router, player, status):
            metadata = await _property(router, player, "Metadata")
        fields = {name: value for name, (_, value) in dict(metadata).items()}
        artists = fields.get("xesam:artist") or []
        words = [str(fields.get("xesam:title") or ""), ", ".join(artists if isinstance(artists, list) else [artists])]
        what = " - ".join(filter(None, words)) or player.removeprefix(_PREFIX)
        return f"{status}: {what}"

    @asynccontextmanager
    async def _player(self) -> AsyncIterator[tuple["DBusRouter", str, str]]:
        """The bus, the name of the player that is meant, and whether it plays."""
        # Imported here because other systems do not have this library.
        from jeepney.io.asyncio import open_dbus_router

        if not self._address:
            raise ToolError("tool_reason.no_player")
        try:
            async with open_dbus_router(self._address) as router:
                names = await _call(router, "org.freedesktop.DBus", "org.freedesktop.DBus", "ListNames")
                players = sorted(name for name in names if name.startswith(_PREFIX))
                states = [(name, str(await _property(router, name, "PlaybackStatus"))) for name in players]
                order = {"Playing": 0, "Paused": 1}
                if not states:
                    raise ToolError("tool_reason.no_player")
                name, status = min(states, key=lambda state: order.get(state[1], 2))
                yield router, name, status
        except (OSError, ValueError, TimeoutError) as error:
            raise ToolError("tool_reason.failed", name="D-Bus", detail=error) from error


async def _call(router: "DBusRouter", name: str, interface: str, member: str, *values: Any, signature: str = "") -> Any:
    from jeepney import DBusAddress, new_method_call
    from jeepney.wrappers import DBusErrorResponse, unwrap_msg

    path = "/org/freedesktop/DBus" if name == "org.freedesktop.DBus" else _PATH
    message = new_method_call(DBusAddress(path, bus_name=name, interface=interface), member, signature or None, values)
    async with asyncio.timeout(_ANSWER_S):
        reply = await router.send_and_get_reply(message)
    try:
        body = unwrap_msg(reply)
    except DBusErrorResponse as error:
        raise ToolError("tool_reason.failed", name=name.removeprefix(_PREFIX), detail=error.name) from error
    return body[0] if body else None


async def _property(router: "DBusRouter", name: str, member: str) -> Any:
    _, value = await _call(router, name, "org.freedesktop.DBus.Properties", "Get", _INTERFACE, member, signature="ss")
    return value


class MacMedia:
    """Implements ``MediaControl`` with the application Music."""

    async def do(self, action: MediaAction) -> None:
        """Play, pause, or change the track."""
        words = {MediaAction.NEXT: "next track", MediaAction.PREVIOUS: "previous track"}.get(action, action.value)
        await self._tell(words)

    async def playing(self) -> str:
        """Title and artist."""
        return await self._tell('(name of current track) & " - " & (artist of current track)')

    async def _tell(self, words: str) -> str:
        ran = await run("osascript", "-e", f'tell application "Music" to {words}')
        if ran.status != 0:
            raise ToolError("tool_reason.failed", name="Music", detail=ran.errors)
        return ran.output.decode(errors="replace").strip()


_MEDIA_KEYS = {
    MediaAction.PLAY: 0xB3,
    MediaAction.PAUSE: 0xB3,
    MediaAction.NEXT: 0xB0,
    MediaAction.PREVIOUS: 0xB1,
}
"""Virtual key codes of Windows."""


class WindowsMedia:
    """Implements ``MediaControl`` with the media keys. Windows tells programs without a package not what plays."""

    async def do(self, action: MediaAction) -> None:
        """Press the key of the action; play and pause are one key."""
        import ctypes

        user = getattr(ctypes, "windll").user32  # noqa: B009 - other systems do not have it
        for up in (0, 2):
            user.keybd_event(_MEDIA_KEYS[action], 0, up, 0)

    async def playing(self) -> str:
        """Not known here."""
        raise ToolError("tool_reason.track_unknown")


def system_media(environment: Mapping[str, str] = os.environ) -> MediaControl:
    """The players of this computer."""
    if sys.platform == "darwin":
        return MacMedia()
    if sys.platform == "win32":
        return WindowsMedia()
    return MprisControl(environment.get("DBUS_SESSION_BUS_ADDRESS", ""))
