"""What any Whisper model can transcribe: at most 30 s, in a language that it knows. Pure."""

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.core.errors import EngineError

WINDOW_MAX_S: Final = 30.0
"""The encoder has no positions beyond this length."""


def check_length(engine: str, pcm: NDArray[np.int16]) -> None:
    """Reject a sound that is longer than the encoder's window.

    Raises:
        EngineError: it is too long.
    """
    if pcm.size > to_samples(WINDOW_MAX_S):
        raise EngineError(
            engine, f"an utterance has at most {WINDOW_MAX_S:.0f} s of audio, not {pcm.size / SAMPLE_RATE:.0f} s"
        )


def check_language(engine: str, language: str, known: Collection[str]) -> str:
    """Return the language.

    Raises:
        EngineError: the model does not know it.
    """
    if language not in known:
        raise EngineError(engine, f"the model does not recognise the language {language!r}")
    return language
