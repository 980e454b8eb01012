"""How wide a text is. A Korean letter says about as much as two Latin ones, and is about as many tokens of a model."""

_FIRST_WIDE = 0x1100
"""The first letter of Hangul. Before it are the alphabets."""
_SIGNS = (0x2000, 0x2E80)
"""Punctuation and signs, which are narrow; behind them are the letters of East Asia."""


class Widths:
    """Counts the columns between two offsets of a text: two for a letter of East Asia, one for any other.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        import numpy as np  # A start without files does without it.

        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        wide = (codes >= _FIRST_WIDE) & ~((codes >= _SIGNS[0]) & (codes < _SIGNS[1]))
        self._before = np.concatenate([[0], np.cumsum(wide + np.int32(1), dtype=np.int32)])

    def before(self, at: int) -> int:
        """Columns before an offset."""
        return int(self._before[at])

    def between(self, start: int, end: int) -> int:
        """Columns between two offsets."""
        return int(self._before[end] - self._before[start])
