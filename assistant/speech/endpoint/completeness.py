"""Whether the transcript of an utterance is a finished sentence.

The judgement uses grammar alone. The recogniser ends nearly every transcript with a full stop or a question mark, so
these marks are no evidence. A trailing comma or ellipsis is: the recogniser writes it when something is missing.
"""

import re
import unicodedata
from typing import Final

from assistant.speech.endpoint.english_sentence import UNFINISHED, UNSURE, begins_sentence, english_completeness
from assistant.speech.endpoint.korean_sentence import korean_completeness
from assistant.speech.text.vocabulary import words

_CLOSING: Final = re.compile(r"[\"'”’)\]」』]+$")
_HANGUL: Final = re.compile(r"[가-힣]")
_OPEN_ENDS: Final = ("...", "…", ",", "，", "、", "-", "—", ":", ";")
_LONGEST_ITEM: Final = 3
_ENDING_LISTS: Final = words("and or not please thanks etc")
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
    completeness = english_completeness(said)
    return min(completeness, UNSURE) if _is_open_list(text) else completeness


def _is_open_list(text: str) -> bool:
    """Whether an English text ends with a list without *and* or *or* before its last item: *milk, eggs, bread*.

    Two commas are needed. After one, a name or *please* may stand.
    """
    items = [spoken_words(item) for item in text.split(",")[1:]]
    short = all(0 < len(item) <= _LONGEST_ITEM for item in items)
    if len(items) < 2 or not short or begins_sentence(items[-1]):
        return False
    return items[-1][0] not in _ENDING_LISTS and items[-1] != items[-2]


def spoken_words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation. A hyphen separates words (double-shot gives two)."""
    plain = unicodedata.normalize("NFC", text).lower().replace("’", "'").replace("-", " ")
    return [word for each in plain.split() if (word := each.strip(_MARKS))]
