"""Carries updates to Qt: published on any thread, delivered in order on Qt's thread.

Text arrives faster than a screen can show it. So updates that add text (an answer, reasoning) are joined, and updates
that replace an earlier one (a level, a partial transcript) replace it. These updates wait up to 33 ms, which is about
30 deliveries a second. Any other update is delivered at once, together with all updates before it, so the order never
changes.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal, Slot

from assistant.core.packets import AnswerDelta, ReasoningDelta, goes_on, joined
from assistant.core.updates import LevelMeasured, PacketEmitted, PartialHeard, Update

DELIVERY_INTERVAL_MS = 33
"""Milliseconds between deliveries of text: about 30 a second look smooth and cost little."""


class Bridge(QObject):
    """Delivers updates to one connected view, and keeps them until a view is connected.

    Create it on Qt's thread.
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
        """Deliver an update on Qt's thread within 33 ms. May be called on any thread; does nothing after ``close``."""
        with self._lock:
            if self._closed:
                return
            self._enqueue(update)
            if self._connected and not self._announced:
                self._announced = True
                self._arrived.emit()

    def connect_view(self, view: Callable[[Update], None]) -> None:
        """Deliver the waiting and all later updates to ``view``. Call once, on Qt's thread."""
        self._delivered.connect(view)
        with self._lock:
            self._connected = True
            self._announced = True
        self._arrived.emit()

    def close(self) -> None:
        """Stop deliveries. Call on Qt's thread before the view is destroyed."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
        self._timer.stop()

    def _enqueue(self, update: Update) -> None:
        """Append an update, or join it with the last waiting one if they can be one update."""
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
    """Whether an update may wait for the next delivery."""
    match update:
        case PacketEmitted(packet=packet):
            return isinstance(packet, AnswerDelta | ReasoningDelta)
        case LevelMeasured() | PartialHeard():
            return True
        case _:
            return False


def _joined(earlier: Update, later: Update) -> Update | None:
    """One update that is equal to both in sequence, or ``None``."""
    match earlier, later:
        case LevelMeasured(), LevelMeasured():
            return later
        case PartialHeard(turn=turn), PartialHeard() if later.turn == turn:
            return later
        case PacketEmitted(turn=turn, packet=grown), PacketEmitted(packet=more) if later.turn == turn:
            return replace(later, packet=joined((grown, more))) if goes_on(grown, more) else None
    return None
