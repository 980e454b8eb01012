"""How hard a model is to think, in the words that APIs share, and the nearest where a model knows fewer (P-09)."""

from collections.abc import Iterable

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""From the least to the most."""


def other_effort(wanted: str, refused: Iterable[str]) -> str:
    """``wanted``, or where it is refused the nearest that is not, the harder of two; empty when all are.

    ``none`` comes last of all: whoever asks for thought is not served by none.
    """
    taken = frozenset(refused)
    if wanted not in taken:
        return wanted
    place = EFFORTS.index(wanted) if wanted in EFFORTS else EFFORTS.index("medium")
    left = [each for each in EFFORTS if each not in taken]
    left.sort(key=lambda each: (each == "none", abs(EFFORTS.index(each) - place), -EFFORTS.index(each)))
    return left[0] if left else ""
