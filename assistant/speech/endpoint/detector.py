"""The Protocol of an end-of-turn model, which judges by sound whether the speaker has finished."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class TurnEndDetector(Protocol):
    """Judges by sound alone. Calls block; one thread uses an instance."""

    def probability(self, pcm: NDArray[np.int16]) -> float:
        """Probability from 0 to 1 that the speaker has finished.

        Args:
            pcm: the utterance so far, 16 kHz mono, including the pause at its end. Only the last 8 s are used.
        """
        ...
