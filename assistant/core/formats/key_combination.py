"""Keys that are pressed together, as a user writes them: ``ctrl+alt+space`` (V-21)."""

from dataclasses import dataclass
from string import ascii_lowercase, digits

MODIFIERS = ("ctrl", "alt", "shift", "super")
"""``alt`` is Option and ``super`` is Command on macOS; ``super`` is the Windows key on Windows."""
FUNCTION_KEYS = tuple(f"f{number}" for number in range(1, 13))
KEYS = (*ascii_lowercase, *digits, *FUNCTION_KEYS, "space")


@dataclass(frozen=True, slots=True)
class Combination:
    """Modifiers in the order of ``MODIFIERS``, and one of ``KEYS``."""

    modifiers: tuple[str, ...]
    key: str

    def __str__(self) -> str:
        """The combination as it is shown: ``Ctrl+Alt+Space``."""
        return "+".join(part.capitalize() for part in (*self.modifiers, self.key))


def read_combination(text: str) -> Combination | None:
    """Read a combination that a shortcut for all windows may have; ``None`` if it may not be one.

    A function key may stand alone. All others need a modifier besides Shift, because the combination types nothing in
    other programs any more.
    """
    *modifiers, key = [part.strip().lower() for part in text.split("+")]
    if key not in KEYS or len(set(modifiers)) < len(modifiers) or not set(modifiers) <= set(MODIFIERS):
        return None
    if key not in FUNCTION_KEYS and not set(modifiers) - {"shift"}:
        return None
    return Combination(tuple(each for each in MODIFIERS if each in modifiers), key)
