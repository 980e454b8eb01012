"""By how much the clocks of loudspeaker and microphone differ, from the delays of the echo.

Two sound cards have two clocks, which differ by up to 100 parts per million. The echo's delay then grows or shrinks by
0.1 ms a second, which after two seconds is half a wave of 2.5 kHz. Measured delays are exact to 0.01 ms, so two cues
1.5 s apart are enough to know the drift.
"""

from collections import deque
from typing import Final

import numpy as np

MOST_PPM: Final = 300.0
USUAL_PPM: Final = 50.0
"""Drift that is usual before any measurement: its standard deviation."""
EXACT_MS: Final = 0.02
"""Standard deviation of a measured delay. It is 0.003 to 0.01 ms, also in a reverberant room; measurements that overlap
count several times."""
EVERY_S: Final = 0.2
"""Least time between two measurements that count."""
REMEMBERED: Final = 100
"""Number of measurements that count."""
JUMP_MS: Final = 0.3
"""Difference from the expected delay from which the echo has another way."""
JUMPED_AFTER: Final = 3
"""Number of consecutive measurements of another way after which the former way is forgotten."""


class ClockDrift:
    """Learns the drift from measured delays: a straight line through them.

    Attributes:
        ms_a_second: by how much the delay grows each second.
    """

    def __init__(self) -> None:
        self.ms_a_second = 0.0
        self._points: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)
        self._usual = 0.0
        self._others = 0

    def measure(self, at_s: float, delay_ms: float) -> None:
        """Take a delay that was measured in sound around ``at_s``."""
        if self._points and at_s < self._points[-1][0] + EVERY_S:
            return
        if self._points and abs(delay_ms - self._expected_ms(at_s)) > JUMP_MS:
            self._others += 1
            if self._others < JUMPED_AFTER:
                return
            # The clocks are the same as before.
            self._usual = self.ms_a_second
            self._points.clear()
        self._others = 0
        self._points.append((at_s, delay_ms))
        self._fit()

    def _expected_ms(self, at_s: float) -> float:
        times, delays = np.array(self._points).T
        return float(delays.mean() + self.ms_a_second * (at_s - times.mean()))

    def _fit(self) -> None:
        times, delays = np.array(self._points).T
        times, delays = times - times.mean(), delays - delays.mean()
        doubt = (EXACT_MS / (USUAL_PPM * 1e-3)) ** 2
        slope = (float(times @ delays) + doubt * self._usual) / (float(times @ times) + doubt)
        self.ms_a_second = float(np.clip(slope, -MOST_PPM * 1e-3, MOST_PPM * 1e-3))
