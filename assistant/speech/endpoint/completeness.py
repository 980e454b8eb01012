"""Whether the words of an utterance, as far as they are understood, are a finished sentence.

Judged by grammar alone. The recogniser ends nearly everything with a full stop or a question mark, whole or not, so its
marks say nothing; only the dots or the comma with which it shows that something is missing are believed.
"""

import re
import unicodedata
from typing import Final

from assistant.speech.endpoint.english_sentence import UNFINISHED, english_completeness
from assistant.speech.endpoint.korean_sentence import korean_completeness

_CLOSING: Final = re.compile(r"[\"'”’)\]」』]+$")
_HANGUL: Final = re.compile(r"[가-힣]")
_OPEN_ENDS: Final = ("...", "…", ",", "，", "、", "-", "—", ":", ";")
_MARKS: Final = '.,!?。！？"“”‘()[]…'


def text_completeness(text: str, language: str) -> float | None:
    """How finished a sentence looks, from 0 (something must follow) to 1 (nothing is missing).

    Args:
        text: what was understood so far.
        language: ``ko`` or ``en``; Korean letters in the last word decide for Korean whatever it says.

    Returns:
        ``None`` when there is no word to judge by.
    """
    plain = _CLOSING.sub("", unicodedata.normalize("NFC", text).strip())
    said = spoken_words(text)
    if not any(letter.isalnum() for letter in plain):
        return None
    if plain.endswith(_OPEN_ENDS):
        return UNFINISHED
    if _HANGUL.search(said[-1]) or (language == "ko" and not said[-1].isascii()):
        return korean_completeness(said, asked=plain.endswith(("?", "？")))
    return english_completeness(said)


def spoken_words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation; a hyphen joins two words (double-shot)."""
    plain = unicodedata.normalize("NFC", text).lower().replace("’", "'").replace("-", " ")
    return [word for each in plain.split() if (word := each.strip(_MARKS))]
