"""Hangul syllables in Unicode's order: initial consonant, vowel, final consonant."""

FIRST, LAST = ord("가"), ord("힣")
"""Code points of the first and the last syllable."""
FINALS = 28
"""Syllables with the same initial consonant and vowel: one without a final consonant, and one for each of 27."""
_INITIALS, _VOWELS = 19, 21


def final_of(word: str) -> int:
    """Index of the final consonant of a word's last syllable in Unicode's order.

    It is 0 without a final consonant, for an empty word, and for a word that does not end in Hangul.
    """
    last = ord(word[-1]) if word else 0
    return (last - FIRST) % FINALS if FIRST <= last <= LAST else 0


def vowel_of(word: str) -> int | None:
    """Index of the vowel of a word's last syllable in Unicode's order; ``None`` if it does not end in Hangul."""
    last = ord(word[-1]) if word else 0
    return (last - FIRST) // FINALS % _VOWELS if FIRST <= last <= LAST else None


def open_syllables(*vowels: int) -> str:
    """All syllables that end in one of these vowels, given by their index in Unicode's order."""
    return "".join(
        chr(FIRST + (initial * _VOWELS + vowel) * FINALS) for initial in range(_INITIALS) for vowel in vowels
    )
