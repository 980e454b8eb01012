"""The Protocol of an end-of-turn model: does this sound like someone who has finished?"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class TurnEndDetector(Protocol):
    """Judges by sound alone. Blocking; used from one thread only."""

    def probability(self, pcm: NDArray[np.int16]) -> float:
        """Probability from 0 to 1 that the speaker has finished.

        Args:
            pcm: the utterance so far, 16 kHz mono, ending in the pause; only the last 8 s are considered.
        """
        ...
