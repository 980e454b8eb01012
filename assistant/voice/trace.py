"""The trace of a session: what happened when, in audio time (V-22).

The names of the events are a public interface: ``wake, listening, speech_started, speech_ended, transcript, partial,
first_token, first_audio, sentence, interrupted, resumed, done, idle``, and ``speech_rejected``, ``error``, ``prompt``.
"""

from collections.abc import Callable
from typing import Any


class Trace:
    """Collects events.

    Args:
        now: seconds of audio time.
        on_event: is told each event as it is noted.
    """

    def __init__(self, now: Callable[[], float], on_event: Callable[[dict[str, Any]], None] | None = None) -> None:
        self._now = now
        self._on_event = on_event
        self._events: list[dict[str, Any]] = []

    def note(self, event: str, **details: Any) -> None:
        """Note that ``event`` happened now."""
        entry = {"t": round(self._now(), 3), "event": event, **details}
        self._events.append(entry)
        if self._on_event is not None:
            self._on_event(entry)

    def take(self) -> list[dict[str, Any]]:
        """All events since the last call, in order."""
        events, self._events = self._events, []
        return events
