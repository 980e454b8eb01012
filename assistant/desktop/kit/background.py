"""Runs work that would block the window on another thread: reading files, decoding and encoding images."""

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal, Slot

_Result = TypeVar("_Result")


class Background(QObject, Generic[_Result]):
    """Runs ``work`` on a thread of Qt's pool and passes its result to ``then`` on Qt's main thread.

    If this object is destroyed before, ``then`` is not called.

    Args:
        work: must not touch widgets or raise.
        then: gets the result.
        parent: the object that waits for the result.
    """

    def __init__(self, work: Callable[[], _Result], then: Callable[[_Result], None], parent: QObject) -> None:
        super().__init__(parent)
        self._then = then
        carrier = _Carrier()
        carrier.done.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        QThreadPool.globalInstance().start(lambda: carrier.done.emit(work()))

    @Slot(object)
    def _deliver(self, result: _Result) -> None:
        self._then(result)
        self.deleteLater()


def end_background(timeout_ms: int) -> bool:
    """Drop work that has not begun and wait for the rest. Python must not end while a thread still runs its code.

    Returns:
        Whether all work has ended within ``timeout_ms``.
    """
    pool = QThreadPool.globalInstance()
    pool.clear()
    return pool.waitForDone(timeout_ms)


class _Carrier(QObject):
    """Owns the signal. It lives as long as the work, even if the waiting object is destroyed."""

    done = Signal(object)
