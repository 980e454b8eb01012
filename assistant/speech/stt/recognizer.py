"""The base class of a speech recogniser (V-09).

An engine's module declares ``ENGINE: RecognizerEngine``. Heavy imports happen in its ``create``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.speech.stt.recommendation import SIZES


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The recognised text of a span of audio, with the evidence for judging it.

    Attributes:
        text: the words, stripped; empty when no words were recognised.
        language: ISO 639-1 code.
        samples: length of the transcribed audio at 16 kHz. The transcript is not valid for a longer span.
        average_log_probability: mean log probability of the tokens; below about -1 the text is doubtful.
        no_speech_probability: the model's probability that nobody spoke.
        compression_ratio: length of the text divided by its zlib-compressed length; above 2.4 the text repeats itself.
        engine: id of the engine.
        complete: of the transcript of a growing utterance: whether it may serve as that of the whole utterance if
            nothing more is said.
    """

    text: str
    language: str
    samples: int
    average_log_probability: float = 0.0
    no_speech_probability: float = 0.0
    compression_ratio: float = 1.0
    engine: str = ""
    complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The first words of a sound, and how well phrases fit its beginning.

    Attributes:
        transcript: the words that the recogniser chose freely.
        fits: how well each phrase fits, in the writing that fits best: a log probability, comparable between phrases of
            different lengths. Empty if the engine cannot tell.
        silent: how well each phrase fits silence, in the same way: how probable its words are by themselves.
        continued: for each phrase that fits well enough, the transcript if the sound begins with it.
    """

    transcript: Transcript
    fits: Mapping[str, float] = field(default_factory=dict)
    silent: Mapping[str, float] = field(default_factory=dict)
    continued: Mapping[str, str] = field(default_factory=dict)


class Recognizer:
    """Turns speech into text. Calls block; one thread uses an instance.

    The abilities that not every engine has are members too, whose defaults say that the ability is missing.

    Attributes:
        can_weigh: whether ``weigh`` can tell how well phrases fit.
    """

    can_weigh: bool = False

    def transcribe(
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
        grows: bool = False,
    ) -> Transcript:
        """Transcribe one utterance.

        Args:
            pcm: 16 kHz mono, starting at the first syllable of the utterance.
            language: ``ko`` or ``en``, or ``None`` to detect it.
            likely: the language that the user probably speaks; it decides when the sound is too short to tell.
            prefix: confirmed text for the beginning of ``pcm``. An engine that supports it decodes only the rest.
            draft: whether speed matters more than accuracy. Nothing of the sound leaves this computer.
            grows: with ``draft``: whether ``pcm`` is the beginning of an utterance that is transcribed again when there
                is more of it. An engine may remember what it heard, and then needs less time for the whole.

        Raises:
            EngineError: recognition failed.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Free the model."""
        raise NotImplementedError

    def weigh(
        self, pcm: NDArray[np.int16], phrases: Mapping[str, Sequence[str]], *, language: str, least: float
    ) -> Weighed:
        """Transcribe the beginning of an utterance as a draft, and weigh phrases if the engine can.

        Args:
            pcm: 16 kHz mono, at most a few seconds.
            phrases: the phrases, each with the writings of it that are tried.
            language: ``ko`` or ``en``.
            least: how well a phrase must fit for its continued transcript.

        Raises:
            EngineError: recognition failed.
        """
        del phrases, least  # This engine cannot weigh.
        return Weighed(transcript=self.transcribe(pcm, language=language, draft=True))

    def expect(self, words: Sequence[str]) -> None:
        """Expect these words in the next utterances, instead of those before. Called on the recogniser's thread.

        A word is written only where the sound resembles it. Drafts that do not grow are read without it. The words do
        not leave this computer. An engine that hears no better with them ignores them.

        Args:
            words: names and other words, the most likely first.
        """

    def abandon(self) -> None:
        """End the running ``transcribe``, which then returns an empty text. Called from another thread.

        An engine that cannot be ended goes on.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognizerOptions:
    """What an engine is loaded with. An engine ignores options that it does not have.

    Attributes:
        threads: threads for one inference; 0 leaves the choice to the library.
        device: ``cpu``, ``cuda``, or ``auto`` for the engine's default.
        compute_type: CTranslate2's name for the type of the numbers, or ``auto`` for the engine's default.
        size: a key of ``recommendation.SIZES``, or ``auto`` for the engine's default.
    """

    threads: int = 0
    device: str = "auto"
    compute_type: str = "auto"
    size: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognizerEngine:
    """The declaration in a recogniser's module.

    Attributes:
        id: engine id used in the settings.
        models: names in ``weights/manifest.toml`` of the models that ``create`` needs.
        create: loads the engine, given a function from a model's manifest name to its directory, and the options.
        sized: whether ``SIZES`` are its models, and one of them is loaded in place of ``models``.
    """

    id: str
    models: tuple[str, ...]
    create: Callable[[Callable[[str], Path], RecognizerOptions], Recognizer]
    sized: bool = False

    def models_for(self, size: str) -> tuple[str, ...]:
        """The names of the models that are needed for a size of the settings."""
        return (SIZES[size],) if self.sized and size in SIZES else self.models
