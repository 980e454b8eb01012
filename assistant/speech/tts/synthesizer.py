"""The Protocol of a speech synthesiser (V-12).

An engine's module declares ``ENGINE: SynthesizerEngine``. Heavy imports happen in its ``create``.
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
        speed: pace relative to the voice's normal pace; 2 is twice as fast.
        name: name of one of the engine's voices; empty selects the default of the language. ``SynthesizerSet`` takes
            several names, separated by commas, and uses those that speak the language.
        awaited: whether the listener waits in silence for this text. If so, the delay of its first words matters most.
    """

    language: str
    speed: float = 1.0
    name: str = ""
    awaited: bool = False


AskServer = Callable[[str, Voice], Iterator[tuple[NDArray[np.int16], int]]]
"""Asks a server for the sound of a text, and yields mono pieces with their sample rate. Raises ``SoriError``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedVoice:
    """One voice of an engine.

    Attributes:
        name: the name shown to the user, unique among all engines. A voice that speaks several languages is declared
            once for each.
        language: ISO 639-1 code.
    """

    name: str
    language: str


class Voices:
    """Speaks each text with a suitable engine, as ``assistant.speech.tts.choice.SynthesizerSet`` does.

    Calls block; one thread uses an instance.
    """

    @property
    def speaking(self) -> str:
        """Id of the engine that was used last; empty if that is unknown."""
        return ""

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        """Yield mono speech in pieces, each with its sample rate.

        Raises:
            EngineError: no engine can speak the text; ``detail`` gives the reason of each.
        """
        raise NotImplementedError

    def unusable(self, name: str, language: str) -> str:
        """The first of the named voices that cannot speak ``language`` here; empty if all can, or were not tried yet.

        Args:
            name: names of voices, separated by commas.
            language: ISO 639-1 code. Known voices of other languages are not looked at.
        """
        del name, language
        return ""

    def abandon(self) -> None:
        """End the request to a server that ``synthesize`` waits for, if any. Called from another thread."""


class Synthesizer(Protocol):
    """Turns text into speech. Calls block; one thread uses an instance."""

    @property
    def sample_rate(self) -> int:
        """Samples per second of the sound that ``synthesize`` yields."""
        ...

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Yield mono speech in pieces, the first as early as the engine can.

        Raises:
            EngineError: the engine cannot speak this text.
        """
        ...

    def close(self) -> None:
        """Free the voice."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesizerEngine:
    """The declaration in a synthesiser's module.

    Attributes:
        id: engine id used in the settings.
        languages: ISO 639-1 codes that it speaks.
        models: names in ``weights/manifest.toml`` of the models that ``create`` needs.
        neural: whether it sounds human; such engines are preferred.
        rank: preference among neural engines; a lower value is preferred.
        demanding: whether it may be too slow for a machine. If so, its pace is measured before it is used.
        on_request: whether its models are fetched only if the settings name the engine, because they are large.
        connect: makes a synthesiser that asks a server, for an engine that sends the text away. Such an engine speaks
            only if the settings name it.
        licence: licence of the voices, as shown to the user.
        voices: its voices; the first voice of a language is the default.
        further_voices: voices that the user cannot choose. They say names that Sori enrols by itself.
        create: loads the engine, given a function from a model's manifest name to its directory, and a thread count.
    """

    id: str
    languages: frozenset[str]
    models: tuple[str, ...]
    neural: bool
    rank: int = 0
    demanding: bool = False
    on_request: bool = False
    licence: str = ""
    voices: tuple[NamedVoice, ...] = ()
    further_voices: tuple[NamedVoice, ...] = ()
    create: Callable[[Callable[[str], Path], int], Synthesizer]
    connect: Callable[[AskServer], Synthesizer] | None = None

    @property
    def remote(self) -> bool:
        """Whether it sends the text to a server."""
        return self.connect is not None
