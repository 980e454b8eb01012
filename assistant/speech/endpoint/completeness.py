"""Whether the transcript of an utterance is a finished sentence.

The judgement uses grammar alone. The recogniser ends nearly every transcript with a full stop or a question mark, so
these marks are no evidence. A trailing comma or ellipsis is: the recogniser writes it when something is missing.
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
    """How complete a sentence looks, from 0 (more must follow) to 1 (nothing is missing).

    Args:
        text: the transcript so far.
        language: ``ko`` or ``en``. If the last word contains Hangul, the Korean rules apply whatever the language.

    Returns:
        The completeness, or ``None`` when the text contains no word.
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
    """The words of a text in lower case, without punctuation. A hyphen separates words (double-shot gives two)."""
    plain = unicodedata.normalize("NFC", text).lower().replace("’", "'").replace("-", " ")
    return [word for each in plain.split() if (word := each.strip(_MARKS))]
