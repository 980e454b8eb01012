"""Reasoning efforts that APIs share, and the nearest one where a model knows fewer (P-09)."""

from collections.abc import Iterable

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""From the lowest to the highest."""


def other_effort(wanted: str, refused: Iterable[str]) -> str:
    """The effort nearest to ``wanted`` that is not refused, the higher of two; empty when all are refused.

    ``none`` is the last choice, because the request asks for reasoning.
    """
    taken = frozenset(refused)
    if wanted not in taken:
        return wanted
    place = EFFORTS.index(wanted) if wanted in EFFORTS else EFFORTS.index("medium")
    left = [each for each in EFFORTS if each not in taken]
    left.sort(key=lambda each: (each == "none", abs(EFFORTS.index(each) - place), -EFFORTS.index(each)))
    return left[0] if left else ""
