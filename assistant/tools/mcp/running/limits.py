"""What of a server's messages is read. The engine shares an interpreter with this, so no step may take long. Pure.

A message is parsed by one call that lets no other thread run. So its size and its shape are limited before, and so is
the number of messages in a time.
"""

import re
from dataclasses import dataclass

from assistant.core.records.mcp import SENT_TOO_MUCH

LONGEST_MESSAGE = 4 * 1024 * 1024
"""Bytes of the longest message."""
_MOST_OBJECTS = 3_000
_MOST_OBJECTS_OF_TOOLS = 10_000
_MOST_PARTS = 50_000
_MOST_PARTS_OF_TOOLS = 100_000
_TOKENS = re.compile(rb'"[^"]*(?:"|$)|[{\[,]')
"""Strings, of which the last may have no end, and what begins or parts objects and lists."""
_PERIOD_S = 0.1
_MOST_MESSAGES = 50
"""Messages in a period. Reading one takes about a third of a millisecond."""
_MOST_PERIODS = 50
"""Periods in a row with that many messages."""


def problem_of(message: bytes) -> str:
    """Why a message is not parsed; empty if it can be.

    The time to parse it grows with the number of objects most of all. A list of tools has many, a result has few.
    """
    tools = b'"inputSchema"' in message
    objects, parts = message.count(b"{"), message.count(b",") + message.count(b"[")
    most_objects = _MOST_OBJECTS_OF_TOOLS if tools else _MOST_OBJECTS
    most_parts = _MOST_PARTS_OF_TOOLS if tools else _MOST_PARTS
    if objects <= most_objects and parts <= most_parts:
        return ""
    # Signs in strings do not count. Without escapes a string ends at the next quote.
    plain = message.replace(b"\\\\", b"").replace(b'\\"', b"")
    objects = parts = 0
    # Other threads run between two tokens.
    for token in _TOKENS.finditer(plain):
        sign = plain[token.start()]
        objects += sign == _BRACE
        parts += sign in _PARTERS
        if objects > most_objects:
            return f"{SENT_TOO_MUCH} a message of more than {most_objects} objects"
        if parts > most_parts:
            return f"{SENT_TOO_MUCH} a message of more than {most_parts} parts"
    return ""


_BRACE = ord("{")
_PARTERS = b",["


@dataclass(slots=True)
class MessagePace:
    """Slows a server down that sends many messages, and finds out that it does not stop."""

    _began_s: float = float("-inf")
    _messages: int = 0
    _full_periods: int = 0

    @property
    def problem(self) -> str:
        """Why the server is not read any longer; empty if it is."""
        if self._full_periods <= _MOST_PERIODS:
            return ""
        rate, time_s = _MOST_MESSAGES / _PERIOD_S, _MOST_PERIODS * _PERIOD_S
        return f"{SENT_TOO_MUCH} more than {rate:.0f} messages a second for {time_s:.0f} s"

    def wait_s(self, now_s: float) -> float:
        """Count a message; returns the seconds to wait before the next one is read.

        Args:
            now_s: the time on a clock that never goes back.
        """
        past = now_s - self._began_s
        if past >= _PERIOD_S:
            full = self._messages >= _MOST_MESSAGES and past < 2 * _PERIOD_S
            self._full_periods = self._full_periods + 1 if full else 0
            self._began_s, self._messages, past = now_s, 0, 0.0
        self._messages += 1
        return _PERIOD_S - past if self._messages >= _MOST_MESSAGES else 0.0
