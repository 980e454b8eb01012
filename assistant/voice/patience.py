"""How long the listener waits for the end of a sentence that a model is writing (V-13)."""

from typing import Final

LONGEST_MS: Final = 500
"""Longest wait, from the sentence before on. A model that writes 40 tokens a second completes nearly all sentences
earlier."""
LONGEST_FIRST_MS: Final = 300
"""Longest wait from the first text of an answer on. Nothing sounds yet, and a voice needs 0.5 to 0.9 s for a sentence
while the model goes on writing on the same processor."""
SURE_AFTER_MS: Final = 250
"""From this time on, the pace of the model is known."""
SLOW_WEIGHT_A_SECOND: Final = 60
"""A slower model takes longer than ``LONGEST_MS`` for nearly all sentences. In the weight of ``sentences``: speech has
about 16 a second, a model of ten tokens a second about 40, and one of forty tokens about 150."""

KNOWN_WEIGHT: Final = 60
"""The pace of a shorter answer says little: its model may have sent it at once."""


class WritingPace:
    """How fast the model writes, learnt from one answer after another.

    Attributes:
        slow: whether the last answer of some length was written by a slow model.
    """

    def __init__(self) -> None:
        self.slow = False

    def learn(self, written_ms: int, weight: int) -> None:
        """Take an answer: the time from its first text to its last, and the weight of all its text."""
        if weight >= KNOWN_WEIGHT:
            self.slow = weight * 1000 < SLOW_WEIGHT_A_SECOND * written_ms


def is_over(waited_ms: int, weight: int, *, first: bool) -> bool:
    """Whether the beginning of the sentence should be said.

    Args:
        waited_ms: time since the sentence is awaited.
        weight: the weight of its text so far.
        first: whether it is the first sentence of the answer.
    """
    slow = waited_ms >= SURE_AFTER_MS and weight * 1000 < SLOW_WEIGHT_A_SECOND * waited_ms
    return slow or waited_ms >= (LONGEST_FIRST_MS if first else LONGEST_MS)
