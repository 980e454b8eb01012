"""The Protocol of a speech recogniser (V-09).

An engine's module declares ``ENGINE: RecognizerEngine``; heavy imports happen in its ``create``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What was said in a span of audio, with the evidence to doubt it by.

    Attributes:
        text: the words, stripped; empty when nothing was understood.
        language: ISO 639-1 code.
        samples: length of the audio that this covers, at 16 kHz. A transcript is of no use for a longer span.
        average_log_probability: mean of the tokens' log probabilities; below about -1 it is doubtful.
        no_speech_probability: the model's own belief that nobody spoke.
        compression_ratio: length of the text over its zlib-compressed length; above 2.4 it repeats itself.
        engine: id of the engine that made it.
    """

    text: str
    language: str
    samples: int
    average_log_probability: float = 0.0
    no_speech_probability: float = 0.0
    compression_ratio: float = 1.0
    engine: str = ""


class Recognizer(Protocol):
    """Turns speech into text. Blocking; used from one thread only."""

    def transcribe(
        self, pcm: NDArray[np.int16], *, language: str | None, prefix: str = "", draft: bool = False
    ) -> Transcript:
        """Transcribe one utterance.

        Args:
            pcm: 16 kHz mono, from the utterance's first syllable on.
            language: ``ko`` or ``en``, or ``None`` to tell by the sound.
            prefix: text already confirmed for the beginning of ``pcm``; engines that can, decode only what follows.
            draft: for a partial on the screen: speed before accuracy.

        Raises:
            EngineError: the engine cannot go on.
        """
        ...

    def close(self) -> None:
        """Free the model."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognizerEngine:
    """What a recogniser's module declares.

    Attributes:
        id: name in the settings.
        models: names in ``models/manifest.toml`` that ``create`` needs, looked up below the directory it is given.
        create: loads the engine; takes a function from a manifest model's name to its directory, and a thread count.
    """

    id: str
    models: tuple[str, ...]
    create: Callable[[Callable[[str], Path], int], Recognizer]
