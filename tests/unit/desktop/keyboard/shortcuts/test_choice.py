"""Which shortcuts a desktop may have (V-21)."""

import pytest

from assistant.desktop.keyboard.shortcuts.choice import ways

BUS, SCREEN = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus"}, {"DISPLAY": ":0"}


@pytest.mark.parametrize(
    ("platform", "environment", "names"),
    [
        ("linux", {}, []),
        ("linux", {**BUS, **SCREEN}, ["PortalKeys", "X11Keys"]),
        ("linux", SCREEN, ["X11Keys"]),
        ("linux", {**SCREEN, "XDG_SESSION_TYPE": "x11"}, ["X11Keys"]),
        ("linux", {**BUS, **SCREEN, "XDG_SESSION_TYPE": "wayland"}, ["PortalKeys"]),
        ("linux", {**SCREEN, "WAYLAND_DISPLAY": "wayland-0"}, []),
        ("darwin", {**BUS, **SCREEN}, ["MacKeys"]),
    ],
)
def test_the_ways_of_a_desktop(platform: str, environment: dict[str, str], names: list[str]) -> None:
    assert [type(each).__name__ for each in ways(platform, environment)] == names
