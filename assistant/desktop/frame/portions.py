"""Work of Qt's thread in portions: the window answers between them."""

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

_PORTION_S = 0.008
"""A portion ends with the first step after this time: half of a frame at 60 Hz."""


class Portions(QObject):
    """Does the steps of one work at a time: the first portion at once, the others when Qt has nothing else to do.

    Args:
        parent: its end also ends the work.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[None] = iter(())
        self._then: Callable[[], None] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    def begin(self, steps: Iterator[None], then: Callable[[], None] | None = None) -> None:
        """Begin other work; what is left of the former one is dropped.

        Args:
            steps: does one step for each item.
            then: called after the last step.
        """
        self._steps, self._then = steps, then
        self._go_on()

    def finish(self) -> None:
        """Do all that is left at once."""
        for _ in self._steps:
            pass
        self._end()

    def _go_on(self) -> None:
        end = time.monotonic() + _PORTION_S
        for _ in self._steps:
            if time.monotonic() >= end:
                self._timer.start()
                return
        self._end()

    def _end(self) -> None:
        self._timer.stop()
        then, self._then = self._then, None
        if then is not None:
            then()
