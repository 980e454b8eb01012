"""The Protocol of a speech synthesiser (V-12).

An engine's module declares ``ENGINE: SynthesizerEngine``; heavy imports happen in its ``create``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """How to speak.

    Attributes:
        language: ISO 639-1 code of the text.
        speed: 1 is the voice's own pace, 2 twice as fast.
    """

    language: str
    speed: float = 1.0


class Synthesizer(Protocol):
    """Turns text into speech. Blocking; used from one thread only."""

    @property
    def sample_rate(self) -> int:
        """Samples a second of what ``synthesize`` yields."""
        ...

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Mono speech in pieces, the first as early as the engine can.

        Raises:
            EngineError: the engine cannot speak this.
        """
        ...

    def close(self) -> None:
        """Free the voice."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesizerEngine:
    """What a synthesiser's module declares.

    Attributes:
        id: name in the settings.
        languages: ISO 639-1 codes it speaks.
        models: names in ``models/manifest.toml`` that ``create`` needs.
        neural: whether it sounds human; such engines are preferred where they speak the language.
        create: loads the engine; takes a function from a manifest model's name to its directory, and a thread count.
    """

    id: str
    languages: frozenset[str]
    models: tuple[str, ...]
    neural: bool
    create: Callable[[Callable[[str], Path], int], Synthesizer]
