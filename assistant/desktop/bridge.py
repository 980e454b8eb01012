"""Carries events and replies to Qt: taken on any thread, delivered in order on Qt's thread.

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

MOST_WAITING = 5000
"""Events that wait for Qt at most. A thread that brings more waits until Qt has taken them."""
DELIVERY_INTERVAL_MS = 33
"""Milliseconds between deliveries of text: about 30 a second look smooth and cost little."""


Reply = Callable[[], None]
"""Hands a reply over."""


class Bridge(QObject):
    """Delivers updates to one connected view, and keeps them until a view is connected.

    Create it on Qt's thread.
    """

    _arrived = Signal()
    _delivered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Condition()
        self._waiting: deque[Update | Reply] = deque()
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
            self._lock.wait_for(lambda: self._closed or len(self._waiting) < MOST_WAITING)
            self._take(update)

    def call(self, reply: Reply) -> None:
        """Call ``reply`` on Qt's thread, after all updates before it. May be called on any thread."""
        with self._lock:
            self._take(reply)

    def _take(self, item: Update | Reply) -> None:
        if self._closed:
            return
        self._enqueue(item)
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
            self._lock.notify_all()
        self._timer.stop()

    def _enqueue(self, item: Update | Reply) -> None:
        """Append an update or a reply; join an update with the last waiting one if they can be one update."""
        last = self._waiting[-1] if self._waiting else None
        joined = None if last is None or callable(last) or callable(item) else _joined(last, item)
        if joined is None:
            self._waiting.append(item)
        else:
            self._waiting[-1] = joined

    @Slot()
    def _on_arrival(self) -> None:
        with self._lock:
            self._announced = False
            patient = all(not callable(item) and _can_wait(item) for item in self._waiting)
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
            items = list(self._waiting)
            self._waiting.clear()
            self._lock.notify_all()
        for item in items:
            if callable(item):
                item()
            else:
                self._delivered.emit(item)


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
