"""Which kinds of shortcuts a desktop may have (V-21)."""

from collections.abc import Mapping, Sequence

from assistant.desktop.keyboard.shortcuts.way import Way


def ways(platform: str, environment: Mapping[str, str]) -> Sequence[Way]:
    """The ways to try, in this order.

    A program on an X server inside a Wayland session sees only keys that go to other such programs, so it grabs none.

    Args:
        platform: ``sys.platform``.
        environment: the variables of the process.
    """
    # Each platform lacks the libraries of the others.
    if platform == "win32":
        from assistant.desktop.keyboard.shortcuts.windows import WindowsKeys

        return [WindowsKeys()]
    if platform == "darwin":
        from assistant.desktop.keyboard.shortcuts.macos import MacKeys

        return [MacKeys()]
    found = list[Way]()
    if bus := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        from assistant.desktop.keyboard.shortcuts.portal import PortalKeys

        found.append(PortalKeys(bus))
    wayland = environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland"
    if (display := environment.get("DISPLAY")) and not wayland:
        from assistant.desktop.keyboard.shortcuts.x11 import X11Keys

        found.append(X11Keys(display))
    return found
