"""Hybrid logical time: a causal order of the writes of several devices that stays close to their clocks.

From Kulkarni, Demirbas, Madappa, Avva and Leone, "Logical Physical Clocks and Consistent Snapshots in Globally
Distributed Databases" (2014): the largest time that a device has seen, and a counter for events within that time.
"""

from dataclasses import dataclass

_COUNTER_END = 1 << 16


@dataclass(frozen=True, slots=True, order=True)
class Stamp:
    """One instant of hybrid logical time. Stamps have a total order; the device id decides between equals.

    Attributes:
        milliseconds: Unix time, below 2 to the power of 48.
        counter: position among the stamps with the same milliseconds, below 2 to the power of 16.
        device: id of the device that made the stamp.
    """

    milliseconds: int
    counter: int
    device: str

    def __str__(self) -> str:
        """The form stored in rows. Texts have the same order as their stamps."""
        return f"{self.milliseconds:012x}-{self.counter:04x}-{self.device}"

    @classmethod
    def parse(cls, text: str) -> "Stamp":
        """Parse a stamp.

        Raises:
            ValueError: the text is not a stamp.
        """
        milliseconds, counter, device = text.split("-", 2)
        return cls(int(milliseconds, 16), int(counter, 16), device)

    def next(self, now_ms: int) -> "Stamp":
        """The stamp of this device's next write. It is greater than this stamp, even when the clock was set back.

        Args:
            now_ms: Unix time in milliseconds by the device's clock.
        """
        if now_ms > self.milliseconds:
            return Stamp(now_ms, 0, self.device)
        if self.counter + 1 < _COUNTER_END:
            return Stamp(self.milliseconds, self.counter + 1, self.device)
        return Stamp(self.milliseconds + 1, 0, self.device)

    def after(self, remote: "Stamp", now_ms: int) -> "Stamp":
        """The stamp for receiving a write of another device; greater than both stamps.

        Args:
            remote: the stamp of the remote write.
            now_ms: Unix time in milliseconds by the device's clock.
        """
        newest = max((self.milliseconds, self.counter), (remote.milliseconds, remote.counter))
        return Stamp(*newest, self.device).next(now_ms)


def beginning(device: str) -> Stamp:
    """The smallest stamp of a device."""
    return Stamp(0, 0, device)
