"""English in Kokoro's symbols, converted from the phonemes of espeak-ng.

Kokoro writes American English with its own letters for diphthongs and affricates. Sources: the model's symbol table and
the phoneme description in ``misaki``.
"""

import re
from typing import Final

from assistant.speech.espeak_library import espeak_library

_ABBREVIATION: Final = re.compile(r"\b(Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Sr|vs)\.")
"""espeak-ng would end a clause at the full stop of these abbreviations."""
_REWRITTEN: Final = (
    ("\u0361", ""),
    ("\u200d", ""),
    ("eɪ", "A"),
    ("aɪ", "I"),
    ("aʊ", "W"),
    ("ɔɪ", "Y"),
    ("oʊ", "O"),
    ("tʃ", "ʧ"),
    ("dʒ", "ʤ"),
    ("ɜːɹ", "ɜɹ"),
    ("ɜː", "ɜɹ"),
    ("ɚɹ", "ɚ"),
    ("ɚ", "əɹ"),
    ("ʔn\u0329", "tᵊn"),
    ("n\u0329", "ᵊn"),
    ("l\u0329", "ᵊl"),
    ("ɾ", "T"),
    ("ʔ", "t"),
    ("ɐ", "ə"),
    ("r", "ɹ"),
    ("ː", ""),
    ("-", ""),
)
_SYLLABIC_L: Final = re.compile(r"əl(?![ˈˌ]?[aæɑɐeɛəɜiɪoɔuʊʌAIOWYᵻj])")
"""A syllabic l, as at the end of *little*. The l of *hello* is not syllabic."""
_STOP: Final = re.compile(r"[.!?…;:,—–]")


def english_symbols(text: str) -> str:
    """The symbols for an English text.

    Raises:
        EngineError: espeak-ng cannot be used.
    """
    symbols = ""
    for written, sound in espeak_library().phonemes(_ABBREVIATION.sub(r"\1", text), "en"):
        for old, new in _REWRITTEN:
            sound = sound.replace(old, new)
        sound = _SYLLABIC_L.sub("ᵊl", sound)
        # The written form of a clause includes the first letter of the next clause.
        stops = _STOP.findall(written[:-1] if written[-1:].isalnum() else written)
        symbols += sound + (stops[-1].replace("–", "—") if stops else ",") + " "
    return symbols.strip().removesuffix(",")
