"""How often the beginning of speech may be transcribed while Sori waits for a name. Pure, in milliseconds of sound."""

from typing import Final

MOST: Final = 4
"""Onsets that may be transcribed one after another."""
EVERY_MS: Final = 6_000
"""Sound after which one more onset may be transcribed. Beside a television this is one short transcription in 6 s."""


class Allowance:
    """Counts the transcriptions that may begin."""

    def __init__(self) -> None:
        self._spent_ms = 0

    def passed(self, ms: int) -> None:
        """Sound has passed."""
        self._spent_ms = max(0, self._spent_ms - ms)

    @property
    def ample(self) -> bool:
        """Whether enough are left for a transcription that is seldom needed."""
        return self._spent_ms <= (MOST - 2) * EVERY_MS

    def take(self) -> bool:
        """Use one transcription; return whether there was one left."""
        if self._spent_ms > (MOST - 1) * EVERY_MS:
            return False
        self._spent_ms += EVERY_MS
        return True
