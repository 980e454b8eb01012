"""A terminal with somebody at its keyboard: a program under a pty of its own, whose control keys work."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.host.places import default_home, models_folder

_CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

_LEAD_SESSION = """
import fcntl, os, signal, sys, termios
os.setsid()
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the program's own, so that Ctrl-C reaches it as a signal; whoever runs the tests in the background
of a shell has handed down that it is to be ignored."""

CTRL_C = "\x03"
CTRL_D = "\x04"


def screenless(home: Path) -> dict[str, str]:
    """The environment of a Sori in a terminal without a desktop, with its data in ``home`` and the installed models."""
    environment = {
        **os.environ,
        "SORI_HOME": str(home),
        "SORI_MODELS": str(models_folder(default_home())),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
    }
    for screen in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(screen, None)
    return environment


class Terminal:
    """Runs a program in a terminal; to be used in a ``with`` statement.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        environment: its environment.
        limit_s: how long to wait for anything.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], *, limit_s: float = 120.0
    ) -> None:
        self._limit_s = limit_s
        self._screen = ""
        self._seen = 0
        self._over = False
        self._written = threading.Condition()
        self._keyboard, program_side = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LEAD_SESSION, *command],
            cwd=folder,
            env=environment,
            stdin=program_side,
            stdout=program_side,
            stderr=program_side,
        )
        os.close(program_side)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.running:
            self._process.kill()
            self._process.wait()
        self._reader.join(self._limit_s)
        os.close(self._keyboard)

    @property
    def screen(self) -> str:
        """Everything written so far, without control sequences."""
        return _CONTROL_SEQUENCE.sub("", self._screen)

    @property
    def running(self) -> bool:
        """Whether the program has not ended."""
        return self._process.poll() is None

    def press(self, keys: str) -> None:
        """Press keys; nothing is waited for."""
        os.write(self._keyboard, keys.encode())

    def type(self, line: str) -> None:
        """Type a line and the return key."""
        self.press(f"{line}\r")

    def interrupt(self) -> None:
        """Press Ctrl-C, whatever the program is doing."""
        self.press(CTRL_C)

    def hang_up(self) -> None:
        """Send the signal of a terminal that was closed."""
        self._process.send_signal(signal.SIGHUP)

    def kill(self) -> None:
        """End the program as a crash does: it can save nothing."""
        self._process.kill()
        self._process.wait(self._limit_s)

    def expect(self, text: str) -> None:
        """Wait until ``text`` appears after whatever was waited for before."""
        with self._written:
            shown = self._await(lambda new: text in new)
            assert shown, f"no {text!r} on the screen:\n{self.screen}"
            self._seen = self.screen.index(text, self._seen) + len(text)

    def until(self, reached: Callable[[str], bool]) -> str:
        """Wait until this holds of all that was written after whatever was waited for before; returns it."""
        with self._written:
            assert self._await(reached), f"something is missing on the screen:\n{self.screen}"
            new = self.screen[self._seen :]
            self._seen += len(new)
            return new

    def _await(self, reached: Callable[[str], bool]) -> bool:
        """Wait for this or the end of the program; whether it holds."""
        self._written.wait_for(lambda: self._over or reached(self.screen[self._seen :]), self._limit_s)
        return reached(self.screen[self._seen :])

    def status(self) -> int:
        """Wait for the end; the exit status."""
        return self._process.wait(self._limit_s)

    def _read(self) -> None:
        pending = b""
        while True:
            try:
                read = os.read(self._keyboard, 65_536)
            except OSError:  # Linux's way of saying that the program's side is closed
                read = b""
            pending += read
            whole = pending.decode(errors="ignore") if not read else _whole_characters(pending)
            pending = pending[len(whole.encode()) :]
            with self._written:
                self._screen += whole
                self._over = not read
                self._written.notify_all()
            if not read:
                return


def _whole_characters(raw: bytes) -> str:
    """What of ``raw`` ends with a whole character."""
    for cut in range(4):
        try:
            return raw[: len(raw) - cut].decode()
        except UnicodeDecodeError:
            continue
    return raw.decode(errors="replace")
