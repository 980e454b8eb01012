"""What Sori's own voices make of a wake phrase, as a file: the sound of their words, and how they are transcribed.

Pure. No sound can be made from it. ``docs/decisions/spoken-names.md`` says how it is used.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from assistant.speech.wake.likeness import UNREADABLE, Steps, normalised

_NUMBERS: Final = 96
_LONGEST: Final = 50
"""Steps of a word, four seconds. More is no word."""
_KEPT: Final = 64
"""Files that are kept as they were read last. The names are looked up at each onset."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnWords:
    """A wake phrase as Sori's voices say it.

    Attributes:
        phrase: the wake phrase; another phrase makes the words void.
        takes: the sound of each word.
        heard: the transcripts of those words that may be spellings of the phrase.
        made_from: the voices and models; others make the words void.
    """

    phrase: str
    takes: tuple[Steps, ...]
    heard: tuple[str, ...]
    made_from: str


def packed(words: OwnWords) -> bytes:
    """The words as the bytes of a file."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {f"take{index:02}": take.astype(np.float16) for index, take in enumerate(words.takes)}
    texts = {"phrase": words.phrase, "made_from": words.made_from}
    np.savez_compressed(
        file, heard=_text(words.heard), **{name: _text([text]) for name, text in texts.items()}, **arrays
    )
    return file.getvalue()


@lru_cache(maxsize=_KEPT)
def unpacked(content: bytes) -> OwnWords | None:
    """The words that ``packed`` has made; ``None`` if the bytes are something else."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            names = sorted(name for name in file.files if name.startswith("take"))
            takes = tuple(normalised(file[name].astype(np.float32)) for name in names)
            phrase, made_from = str(file["phrase"][0]), str(file["made_from"][0])
            heard = tuple(str(text) for text in file["heard"])
    except UNREADABLE:
        return None
    usable = bool(takes) and all(take.ndim == 2 and take.shape[1] == _NUMBERS for take in takes)
    if not usable or any(not 0 < len(take) <= _LONGEST or not np.isfinite(take).all() for take in takes):
        return None
    return OwnWords(phrase=phrase, takes=takes, heard=heard, made_from=made_from)


def _text(texts: Sequence[str]) -> Any:
    return np.array(list(texts), dtype=np.str_)
