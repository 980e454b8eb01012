"""The words that a user is likely to say now, for the recogniser: names first, then those of the conversation. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MOST_WORDS: Final = 120
"""Most words. Comparing them with the words of a transcript takes about 1 ms for each word of the transcript."""
MOST_MESSAGES: Final = 6
"""Messages of the conversation whose words count, the newest ones. People return to what was just said."""
MOST_NAMES: Final = 60
"""Most names, so that the words of the conversation have room behind them."""

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W\d_]+)*")
_KOREAN: Final = re.compile(r"[가-힣]+")
_PARTICLE: Final = re.compile(r"(?<=[가-힣])(?:으로|이랑|에서|에게|한테|까지|부터|이나|[은는이가을를과와로의에도만])$")
_LEAST_LATIN: Final = 4
"""Shorter Latin words are mostly articles and the like, which the recogniser knows."""


def likely_words(names: Iterable[str], messages: Iterable[str]) -> tuple[str, ...]:
    """The likely words, each once, the most likely first.

    Args:
        names: names and titles around the conversation; a name may be several words.
        messages: the messages of the conversation, the newest first.
    """
    found: dict[str, None] = {}
    for name in names:
        plain = " ".join(name.split())
        if len(found) < MOST_NAMES and any(map(str.isalpha, plain)):
            found.setdefault(plain)
    for message in list(messages)[:MOST_MESSAGES]:
        for word in words_of(message):
            found.setdefault(word)
    return tuple(found)[:MOST_WORDS]


def words_of(text: str) -> Iterator[str]:
    """The words of a message that are worth expecting: Korean ones also without their particle, and long Latin ones."""
    for word in _WORD.findall(text):
        if _KOREAN.fullmatch(word):
            if len(word) > 1:
                yield word
            stem = _PARTICLE.sub("", word)
            if stem != word and stem:
                yield stem
        elif len(word) >= _LEAST_LATIN and word.isascii() and not word.isdigit():
            yield word
