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
        name: one of the engine's voices; empty for its default for the language.
        awaited: whether the listener waits in silence for this text, so that its first words matter most.
    """

    language: str
    speed: float = 1.0
    name: str = ""
    awaited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedVoice:
    """One voice of an engine.

    Attributes:
        name: the user's name for it, the same in no other engine.
        language: ISO 639-1 code of what it speaks.
    """

    name: str
    language: str


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
        rank: among engines that sound human, the lower is preferred.
        demanding: whether it may be too slow for a machine, so that its pace is measured before it is relied on.
        licence: of the voices, as it is shown.
        voices: what it speaks with; the first of a language is its default.
        create: loads the engine; takes a function from a manifest model's name to its directory, and a thread count.
    """

    id: str
    languages: frozenset[str]
    models: tuple[str, ...]
    neural: bool
    rank: int = 0
    demanding: bool = False
    licence: str = ""
    voices: tuple[NamedVoice, ...] = ()
    create: Callable[[Callable[[str], Path], int], Synthesizer]
