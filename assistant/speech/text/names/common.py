"""Common words that sound like a wake phrase."""

from functools import cache
from typing import Final

from assistant.speech.text.korean.latin_words.loanwords import PRONUNCIATION
from assistant.speech.text.names.calls import called

_LIST: Final = "common_speech.txt"


def confusable(phrase: str) -> tuple[str, ...]:
    """The common beginnings of speech that would be taken for a call of ``phrase``."""
    return tuple(each for each in _common() if called(each, phrase) is not None)


@cache
def _common() -> tuple[str, ...]:
    lines = (PRONUNCIATION / _LIST).read_text(encoding="utf-8").splitlines()
    return tuple(each.strip() for line in lines if not line.startswith("#") for each in line.split(","))
