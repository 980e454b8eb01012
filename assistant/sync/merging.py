"""Brings two changes of one text together, line by line (S-04)."""

from collections.abc import Sequence
from dataclasses import dataclass

from merge3 import Merge3


@dataclass(frozen=True, slots=True)
class Merged:
    """Two changes of a text as one.

    Attributes:
        text: the text. No line that either side has added or changed is missing.
        contested: whether both sides have changed the same lines. The text then has both forms.
        beside: whether both sides have added different lines at the same place.
    """

    text: str
    contested: bool
    beside: bool


def merged(base: str, theirs: str, ours: str) -> Merged:
    """Merge two texts that have come from ``base``.

    Lines that both sides have added at one place follow each other, theirs first. Of lines that both have changed, both
    forms stay. Lines that one side has changed and the other has removed stay in their changed form.
    """
    lines: list[str] = []
    contested = beside = False
    whole = (_lines(base), _lines(theirs), _lines(ours))
    for group in Merge3(*whole).merge_groups():
        if group[0] != "conflict":
            lines += group[1]
            continue
        _, before, first, second = group
        kept = [each for each in first if each not in before]
        added = [each for each in second if each not in before and each not in kept]
        lines += _in_both(before, first, second) + kept + added
        both = bool(kept and added)
        contested, beside = contested or (both and bool(before)), beside or both
    return Merged("".join(lines), contested, beside)


def _in_both(before: Sequence[str], first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The lines of a contested place that neither side has changed."""
    return [each for each in before if each in first and each in second]


def _lines(text: str) -> list[str]:
    """Lines with their ends. The last gets one, or it would differ as soon as a line follows it."""
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")] if text else []
