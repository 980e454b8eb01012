"""A virtual X server, and a keyboard on it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.ext import xtest


@contextmanager
def x_server(size: str = "640x480") -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The name of a new server, and its process. ``size`` is that of its screen in pixels."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}", server
    finally:
        server.terminate()
        server.wait()


class XKeyboard:
    """Presses keys by the server's XTEST extension.

    Args:
        display: name of the server.
    """

    def __init__(self, display: str) -> None:
        self.display = Display(display)

    def press(self, *keys: str) -> None:
        """Press keys one after another, by names such as ``Control_L``."""
        for key in keys:
            self._send(X.KeyPress, key)

    def release(self, *keys: str) -> None:
        """Release keys one after another."""
        for key in keys:
            self._send(X.KeyRelease, key)

    def strike(self, *keys: str) -> None:
        """Press keys together, and release them."""
        self.press(*keys)
        self.release(*reversed(keys))

    def close(self) -> None:
        """End the connection."""
        with suppress(ConnectionClosedError):  # the server has ended
            self.display.close()

    def _send(self, kind: int, key: str) -> None:
        xtest.fake_input(self.display, kind, self.display.keysym_to_keycode(XK.string_to_keysym(key)))
        self.display.sync()
