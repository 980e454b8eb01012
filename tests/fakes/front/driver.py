"""A user who does one thing after another at a running window."""

import time
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from assistant.desktop.main_window import MainWindow

Holds = Callable[[MainWindow], bool]
Then = Callable[[MainWindow], object]


class Driver:
    """Does one thing after another while the application runs, then leaves.

    Args:
        patience_s: seconds after which the user gives up: less than pytest's own limit, which raises inside of Qt's
            loop, so that the loop goes on all the same.
    """

    def __init__(self, patience_s: float = 90.0) -> None:
        self._patience_s = patience_s
        self.left = list[tuple[Holds, Then]]()
        self._stays = False
        self._gives_up_at = 0.0
        self._timer = QTimer()
        self._timer.timeout.connect(self._advance)

    def when(self, holds: Holds, then: Then) -> None:
        """Do something as soon as a window is in a state, after all that was to be done before."""
        self.left.append((holds, then))

    def stay(self) -> None:
        """Do not leave at the end, because the window leaves by itself."""
        self._stays = True

    def start(self) -> None:
        """Begin."""
        self._gives_up_at = time.monotonic() + self._patience_s
        self._timer.start(5)

    def stop(self) -> None:
        """Do nothing any more.

        Raises:
            AssertionError: something was not done.
        """
        self._timer.stop()
        assert not self.left, f"{len(self.left)} things were not done, because the window was not in the state for them"

    def _advance(self) -> None:
        windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
        if not windows:
            return
        if not (self.left or self._stays) or time.monotonic() > self._gives_up_at:
            self._timer.stop()
            windows[-1].quit_wanted.emit()
        if not self.left:
            return
        holds, then = self.left[0]
        window = next(filter(holds, windows), None)
        if window is not None:
            self.left.pop(0)
            then(window)
