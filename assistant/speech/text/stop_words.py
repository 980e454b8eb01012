"""Words that stop an answer, by language. They are never taken for a recogniser's invention."""

import re
from collections.abc import Mapping
from typing import Final

STOP_PHRASES: Final[Mapping[str, tuple[str, ...]]] = {
    "ko": ("그만", "그만해", "잠깐", "잠깐만", "잠시만", "멈춰", "조용", "조용히 해", "스톱"),
    "en": ("stop", "stop it", "wait", "enough", "quiet", "be quiet", "hold on"),
}
"""The stop words that are weighed against a sound, by language."""
STOP_WORDS: Final = (
    *(word for words in STOP_PHRASES.values() for word in words),
    *("그만해요", "그만하세요", "잠깐만요", "잠시만요", "멈춰요", "조용히", "중지", "stop stop", "wait wait"),
)
"""All stop words: longer forms fit the sound of the shorter ones and need no weighing."""
_STOPS: Final = re.compile("(?:" + "|".join(word.replace(" ", "") for word in STOP_WORDS) + ")+")


def says_stop(letters: str) -> bool:
    """Whether a text consists of stop words, once or repeated.

    Args:
        letters: the text in lower case, without spaces and punctuation.
    """
    return _STOPS.fullmatch(letters) is not None
