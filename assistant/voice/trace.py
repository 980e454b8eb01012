"""The trace of a session: events in audio time (V-22).

The event names are a public interface: ``wake, listening, speech_started, speech_ended, transcript, partial,
first_token, first_audio, sentence, interrupted, overlap, resumed, done, idle``, ``probable_end`` and ``went_on`` of an
early answer, ``asked`` of a typed turn, and ``speech_rejected``, ``error``, ``prompt``, ``routed``, ``fallback``.
"""

from collections.abc import Callable
from typing import Any


class Trace:
    """Collects events.

    Args:
        now: returns the audio time in seconds.
        on_event: takes each event as it is recorded.
    """

    def __init__(self, now: Callable[[], float], on_event: Callable[[dict[str, Any]], None] | None = None) -> None:
        self._now = now
        self._on_event = on_event
        self._events: list[dict[str, Any]] = []

    def note(self, event: str, **details: Any) -> None:
        """Record that ``event`` happened now."""
        entry = {"t": round(self._now(), 3), "event": event, **details}
        self._events.append(entry)
        if self._on_event is not None:
            self._on_event(entry)

    def take(self) -> list[dict[str, Any]]:
        """Return and forget all events since the last call, in order."""
        events, self._events = self._events, []
        return events
