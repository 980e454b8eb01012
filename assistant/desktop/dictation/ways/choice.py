"""Which ways to type a desktop has (D-08).

============================  ==================================================
Windows                       ``SendInput``
macOS                         events of Quartz
Linux with Wayland            the portal ``RemoteDesktop``, which asks the user
Linux with X11                XTEST; what it cannot type is pasted
where none of these works     the text is left in the clipboard
============================  ==================================================
"""

from collections.abc import Mapping, Sequence

from assistant.desktop.dictation.ways.way import TypingWay


def ways(platform: str, environment: Mapping[str, str]) -> Sequence[TypingWay]:
    """The ways to try, in this order.

    Args:
        platform: ``sys.platform``.
        environment: the variables of the process.
    """
    # Each platform lacks the libraries of the others.
    if platform == "win32":
        from assistant.desktop.dictation.ways.windows import WindowsTyping

        return [WindowsTyping()]
    if platform == "darwin":
        from assistant.desktop.dictation.ways.macos import MacTyping

        return [MacTyping()]
    wayland = environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland"
    if (display := environment.get("DISPLAY")) and not wayland:
        from assistant.desktop.dictation.ways.x11 import X11Typing

        return [X11Typing(display, environment)]
    if wayland and (bus := environment.get("DBUS_SESSION_BUS_ADDRESS")):
        from assistant.desktop.dictation.ways.portal import PortalTyping

        return [PortalTyping(bus)]
    return []
