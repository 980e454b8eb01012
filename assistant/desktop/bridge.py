"""From the engine's thread to Qt's: updates are published on any thread and delivered, in order, on Qt's.

Text comes faster than a screen shows it. What only grows (an answer, reasoning) is joined and what only supersedes (a
level, a partial transcript) is replaced while it waits, and such updates wait up to 33 ms: about 30 deliveries a
second. Any other update takes everything before it along at once, so nothing is late and nothing changes places.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal, Slot

from assistant.core.packets import AnswerDelta, ReasoningDelta
from assistant.core.updates import LevelMeasured, PacketEmitted, PartialHeard, Update

DELIVERY_INTERVAL_MS = 33
"""About 30 deliveries of text a second: smooth to the eye, and cheap."""


class Bridge(QObject):
    """Carries updates to the one view that is connected, and holds them until it is.

    Lives on the thread that makes it, which must be Qt's.
    """

    _arrived = Signal()
    _delivered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._waiting: deque[Update] = deque()
        self._announced = False
        self._closed = False
        self._connected = False
        self._since_delivery = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._deliver)
        self._arrived.connect(self._on_arrival, Qt.ConnectionType.QueuedConnection)

    def publish(self, update: Update) -> None:
        """Deliver an update on Qt's thread, soon. Safe on any thread; after ``close`` it does nothing."""
        with self._lock:
            if self._closed:
                return
            self._enqueue(update)
            if self._connected and not self._announced:
                self._announced = True
                self._arrived.emit()

    def connect_view(self, view: Callable[[Update], None]) -> None:
        """Deliver to ``view`` from now on, beginning with what has been held. Call on Qt's thread, once."""
        self._delivered.connect(view)
        with self._lock:
            self._connected = True
            self._announced = True
        self._arrived.emit()

    def close(self) -> None:
        """Deliver nothing any more. Call on Qt's thread before the view goes away."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
        self._timer.stop()

    def _enqueue(self, update: Update) -> None:
        """Append, joining with the update before it where the two together say the same."""
        joined = _joined(self._waiting[-1], update) if self._waiting else None
        if joined is None:
            self._waiting.append(update)
        else:
            self._waiting[-1] = joined

    @Slot()
    def _on_arrival(self) -> None:
        with self._lock:
            self._announced = False
            patient = all(_can_wait(update) for update in self._waiting)
        passed_ms = self._since_delivery.elapsed() if self._since_delivery.isValid() else DELIVERY_INTERVAL_MS
        if not patient or passed_ms >= DELIVERY_INTERVAL_MS:
            self._deliver()
        elif not self._timer.isActive():
            self._timer.start(DELIVERY_INTERVAL_MS - int(passed_ms))

    @Slot()
    def _deliver(self) -> None:
        self._timer.stop()
        self._since_delivery.start()
        with self._lock:
            updates = list(self._waiting)
            self._waiting.clear()
        for update in updates:
            self._delivered.emit(update)


def _can_wait(update: Update) -> bool:
    """Whether an update may wait for the next delivery of text."""
    match update:
        case PacketEmitted(packet=packet):
            return isinstance(packet, AnswerDelta | ReasoningDelta)
        case LevelMeasured() | PartialHeard():
            return True
        case _:
            return False


def _joined(earlier: Update, later: Update) -> Update | None:
    """One update that says what both say in sequence, or ``None``."""
    match earlier, later:
        case LevelMeasured(), LevelMeasured():
            return later
        case PartialHeard(turn=turn), PartialHeard() if later.turn == turn:
            return later
        case PacketEmitted(turn=turn, packet=grown), PacketEmitted(packet=delta) if later.turn == turn:
            if (
                isinstance(grown, AnswerDelta | ReasoningDelta)
                and type(grown) is type(delta)
                and grown.turn_index == delta.turn_index
            ):
                return replace(earlier, packet=replace(grown, text=grown.text + delta.text))
    return None
