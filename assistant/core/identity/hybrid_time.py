"""Hybrid logical time: a causal order of the writes of several devices that stays close to their clocks.

From Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical Physical Clocks and Consistent Snapshots in Globally
Distributed Databases" (2014): the largest time that a device has seen, and a counter for events within that time.

Rows hold a time as one integer: the milliseconds in its high bits, the counter in its low 16 bits. So a counter that
overflows increases the milliseconds.
"""

from dataclasses import dataclass

COUNTER_BITS = 16
_LATEST_MS = 1 << 46
"""The largest accepted clock time, in the year 4199. A larger one is wrong and would not fit the integer of a row."""


def next_time(last: int, now_ms: int) -> int:
    """The time of a device's next write, as an integer. It is greater than ``last``, even when the clock was set back.

    Args:
        last: the largest time that the device has seen.
        now_ms: Unix time in milliseconds by the device's clock.
    """
    return max(min(now_ms, _LATEST_MS) << COUNTER_BITS, last + 1)


@dataclass(frozen=True, slots=True, order=True)
class Stamp:
    """One instant of hybrid logical time. Stamps have a total order; the device id decides between equals.

    Attributes:
        milliseconds: Unix time, below 2 to the power of 47.
        counter: position among the stamps with the same milliseconds, below 2 to the power of 16.
        device: id of the device that made the stamp.
    """

    milliseconds: int
    counter: int
    device: str

    @classmethod
    def at(cls, time: int, device: str) -> "Stamp":
        """The stamp of a time as rows hold it."""
        return cls(time >> COUNTER_BITS, time & ((1 << COUNTER_BITS) - 1), device)

    @property
    def time(self) -> int:
        """The form stored in rows, beside the device: a signed integer of 64 bits."""
        return self.milliseconds << COUNTER_BITS | self.counter

    def __str__(self) -> str:
        """The stamp as text. Texts have the same order as their stamps."""
        return f"{self.milliseconds:012x}-{self.counter:04x}-{self.device}"

    @classmethod
    def parse(cls, text: str) -> "Stamp":
        """Parse the text of a stamp.

        Raises:
            ValueError: the text is not a stamp.
        """
        milliseconds, counter, device = text.split("-", 2)
        return cls(int(milliseconds, 16), int(counter, 16), device)

    def next(self, now_ms: int) -> "Stamp":
        """The stamp of this device's next write; see ``next_time``."""
        return Stamp.at(next_time(self.time, now_ms), self.device)

    def after(self, remote: "Stamp", now_ms: int) -> "Stamp":
        """The stamp for receiving a write of another device; greater than both stamps.

        Args:
            remote: the stamp of the remote write.
            now_ms: Unix time in milliseconds by the device's clock.
        """
        return Stamp.at(next_time(max(self.time, remote.time), now_ms), self.device)


def beginning(device: str) -> Stamp:
    """The smallest stamp of a device."""
    return Stamp(0, 0, device)
