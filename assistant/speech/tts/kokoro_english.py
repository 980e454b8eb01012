"""English in the symbols of Kokoro, from the phonemes of espeak-ng.

Kokoro writes American English with letters of its own for diphthongs and affricates; source: the model's symbol table
and the description of its phonemes in ``misaki``.
"""

import re
from typing import Final

from assistant.speech.espeak_library import espeak_library

_ABBREVIATION: Final = re.compile(r"\b(Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Sr|vs)\.")
"""espeak-ng ends a clause at their full stops."""
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
"""The end of *little*, not the beginning of *hello*."""
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
        # The clause as it is written ends with the first letter of the next.
        stops = _STOP.findall(written[:-1] if written[-1:].isalnum() else written)
        symbols += sound + (stops[-1].replace("–", "—") if stops else ",") + " "
    return symbols.strip().removesuffix(",")
