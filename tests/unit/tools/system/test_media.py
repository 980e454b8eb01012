"""Control of a player on a real session bus."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from threading import Thread

import pytest

from assistant.tools.builtin.computer.media import media_tools
from assistant.tools.system.media import MprisControl
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="MPRIS is of Linux")


@pytest.fixture
def bus() -> Iterator[str]:
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        yield daemon.stdout.readline().strip()
        daemon.terminate()


class Player:
    """A player that tells its state and keeps what it is asked to do."""

    def __init__(self, address: str, name: str, status: str) -> None:
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import Proxy, open_dbus_connection

        self.asked: list[str] = []
        self._status = status
        self._bus = open_dbus_connection(address)
        Proxy(message_bus, self._bus).RequestName(f"org.mpris.MediaPlayer2.{name}")
        self._address, self._name = address, name
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        from jeepney import DBusAddress, new_method_call
        from jeepney.io.blocking import open_dbus_connection

        place = DBusAddress("/org/mpris/MediaPlayer2", bus_name=f"org.mpris.MediaPlayer2.{self._name}", interface="a.b")
        with closing(open_dbus_connection(self._address)) as other:
            other.send_message(new_method_call(place, "Stop"))
            self._thread.join()
        self._bus.close()

    def _serve(self) -> None:
        from jeepney import HeaderFields, MessageType, new_method_return

        properties = {
            "PlaybackStatus": ("s", self._status),
            "Metadata": ("a{sv}", {"xesam:title": ("s", "봄날"), "xesam:artist": ("as", ["BTS"])}),
        }
        while True:
            message = self._bus.receive()
            if message.header.message_type is not MessageType.method_call:
                continue
            member = message.header.fields[HeaderFields.member]
            if member == "Stop":
                return
            if member == "Get":
                self._bus.send(new_method_return(message, "v", (properties[message.body[1]],)))
            else:
                self.asked.append(member)
                self._bus.send(new_method_return(message))


async def test_the_player_that_plays_is_controlled_and_told(bus: str) -> None:
    tools = {each.name: each for each in media_tools(MprisControl(bus))}
    with closing(Player(bus, "a", "Stopped")) as stopped, closing(Player(bus, "b", "Playing")) as playing:
        assert await tools["whats_playing"].run({}, served_call()) == "Playing: 봄날 - BTS"
        for action in ("pause", "play", "next", "previous"):
            assert await tools["control_media"].run({"action": action}, served_call()) == f"Done: {action}."
        assert playing.asked == ["Pause", "Play", "Next", "Previous"]
        assert stopped.asked == []


async def test_without_a_player_or_a_bus_it_says_so(bus: str) -> None:
    with pytest.raises(ToolError, match="no_player"):
        await MprisControl(bus).playing()
    with pytest.raises(ToolError, match="no_player"):
        await MprisControl("").playing()
    with pytest.raises(ToolError, match="failed name=D-Bus"):
        await MprisControl("unix:path=/nonexistent").playing()
