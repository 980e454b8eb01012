"""Kokoro's voices: the language of each and the style files that it mixes.

A style is a point in one space that Kokoro learned for all its languages. A point between two voices is also a voice.
Korean has no style file of its own; one such mixture speaks it more clearly than any single file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelFileError
from assistant.speech.tts.kokoro_symbols import LONGEST

_STYLE: Final = 256
"""Length of one style vector."""

Styles = NDArray[np.float32]
"""Styles of one voice, shape 510 × 1 × 256: a row of 1 × 256 for each number of symbols."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KokoroVoice:
    """One voice.

    Attributes:
        language: ISO 639-1 code.
        parts: weights by style file name; they sum to 1.
    """

    language: str
    parts: Mapping[str, float]


VOICES: Final[Mapping[str, KokoroVoice]] = {
    "kf_sori": KokoroVoice(language="ko", parts={"hf_alpha": 0.7, "jf_alpha": 0.3}),
    "hf_alpha": KokoroVoice(language="ko", parts={"hf_alpha": 1.0}),
    "hm_omega": KokoroVoice(language="ko", parts={"hm_omega": 1.0}),
    "af_heart": KokoroVoice(language="en", parts={"af_heart": 1.0}),
    "am_michael": KokoroVoice(language="en", parts={"am_michael": 1.0}),
}
"""The first voice of a language is its default. Korean uses Hindi voices, because Hindi distinguishes plain from
aspirated stops, and a mixture of a Hindi and a Japanese voice; docs/decisions/korean-pronunciation.md says how it was
found."""
FURTHER: Final[Mapping[str, KokoroVoice]] = {
    "alpha_mich": KokoroVoice(language="ko", parts={"hf_alpha": 0.6, "am_michael": 0.4}),
    "alpha_heart": KokoroVoice(language="ko", parts={"hf_alpha": 0.7, "af_heart": 0.3}),
}
"""Further intelligible mixtures. They are not offered to the user; they say the names that Sori enrols by itself.
docs/decisions/spoken-names.md tells how much they add."""
EVERY: Final[Mapping[str, KokoroVoice]] = {**VOICES, **FURTHER}


def styles_of(directory: Path) -> dict[str, Styles]:
    """The styles of all voices, by voice name.

    Args:
        directory: the model directory, which contains ``voices/*.bin``.

    Raises:
        ModelFileError: a style file is missing or damaged.
    """
    names = dict.fromkeys(name for voice in EVERY.values() for name in voice.parts)
    files = {name: _file(directory, name) for name in names}
    return {name: _mixed(voice, files) for name, voice in EVERY.items()}


def _mixed(voice: KokoroVoice, files: Mapping[str, Styles]) -> Styles:
    mixed = np.zeros((LONGEST, 1, _STYLE), np.float32)
    for name, weight in voice.parts.items():
        mixed += np.float32(weight) * files[name]
    return mixed


def _file(directory: Path, name: str) -> Styles:
    path = directory / "voices" / f"{name}.bin"
    try:
        rows: Styles = np.fromfile(path, dtype=np.float32).reshape(LONGEST, 1, _STYLE)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: {error}", model=directory.name, cause=error) from error
    return rows
