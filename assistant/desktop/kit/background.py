"""Work that would hold the window up, on another thread: reading files, decoding and encoding images."""

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal, Slot

_Result = TypeVar("_Result")


class Background(QObject, Generic[_Result]):
    """Runs ``work`` on a thread of Qt's pool and gives what it returns to ``then`` on Qt's own.

    When this object goes away before, nobody is called.

    Args:
        work: touches no widget and raises nothing.
        then: takes the result.
        parent: whoever waits for it.
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
    """Drop what has not begun and wait for what has: Python must not end beneath a thread that runs it.

    Returns:
        Whether nothing runs any more after ``timeout_ms``.
    """
    pool = QThreadPool.globalInstance()
    pool.clear()
    return pool.waitForDone(timeout_ms)


class _Carrier(QObject):
    """Has the signal: it lives as long as the work, whatever becomes of whoever waits."""

    done = Signal(object)
