"""What waits for one client: replies and events in their order, and never more than a bounded number of events."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from assistant.core.machine.states import TurnId
from assistant.core.updates import ConversationUpdate, Missed, MissedTurn, PacketEmitted, Update

MOST_EVENTS: Final = 1000
"""Events that wait for a client at most: half a minute of a fast model's answer, less than a megabyte."""

Reply = Callable[[], None]
"""Delivers one reply."""


@dataclass(slots=True)
class _Gap:
    """What was dropped; it stands in the queue where the dropped events would stand."""

    count: int = 0
    conversations: dict[str, None] = field(default_factory=dict)
    turns: dict[TurnId, MissedTurn] = field(default_factory=dict)

    def add(self, event: Update) -> None:
        self.count += 1
        if isinstance(event, ConversationUpdate):
            self.conversations[event.conversation] = None
        if isinstance(event, PacketEmitted) and event.turn not in self.turns:
            missed = MissedTurn(conversation=event.conversation, turn=event.turn, packet=event.number)
            self.turns[event.turn] = missed

    def told(self) -> Missed:
        return Missed(count=self.count, conversations=tuple(self.conversations), turns=tuple(self.turns.values()))


class Outbox:
    """A queue to which the engine adds without ever waiting, and from which one thread of the client takes.

    Once it is full, events are dropped until the client has taken everything before them; it then gets ``Missed``.
    Replies are never dropped.

    Args:
        most: number of events that may wait.
    """

    def __init__(self, most: int = MOST_EVENTS) -> None:
        self._most = most
        self._queue: deque[Reply | Update | _Gap] = deque()
        self._events = 0
        self._gap: _Gap | None = None
        self._closed = False
        self._changed = threading.Condition()

    def put(self, event: Update) -> None:
        """Add an event, or note that it is dropped."""
        with self._changed:
            if self._closed:
                return
            if self._gap is None and self._events >= self._most:
                self._gap = _Gap()
                self._queue.append(self._gap)
            if self._gap is not None:
                self._gap.add(event)
                return
            self._queue.append(event)
            self._events += 1
            self._changed.notify()

    def reply(self, reply: Reply) -> bool:
        """Add a reply; returns whether it will be delivered, which it is unless the outbox is closed."""
        with self._changed:
            if self._closed:
                return False
            self._queue.append(reply)
            self._changed.notify()
            return True

    def take(self) -> Reply | Update | None:
        """The next reply or event, waited for; ``None`` when the outbox is closed and its replies are taken."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            if not self._queue:
                return None
            item = self._queue.popleft()
            if isinstance(item, _Gap):
                self._gap = None
                return item.told()
            if not callable(item):
                self._events -= 1
            return item

    def close(self) -> None:
        """Deliver the replies that wait, and nothing more."""
        with self._changed:
            self._closed = True
            self._queue = deque(each for each in self._queue if callable(each))
            self._changed.notify()
