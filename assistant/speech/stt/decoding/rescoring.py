"""Whether a likely word fits the sound nearly as well as what the decoder has written (V-09).

The encoder has already run, so the transcript and all proposals cost one pass of the decoder.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from assistant.core.audio import SAMPLE_RATE
from assistant.speech.stt.decoding.likely_words import Change, Proposal, proposals
from assistant.speech.stt.decoding.phrase_fit import beginning_of, view
from assistant.speech.stt.decoding.whisper_model import Whisper
from assistant.speech.stt.judgement import judge
from assistant.speech.stt.recognizer import Transcript

MOST_ROUNDS: Final = 2
"""Most likely words that are written into one transcript."""
LEAST_ALLOWED: Final = 2.0
"""By how much a proposal may be less probable than the transcript if the decoder was sure of its own words."""
ALLOWED_FOR_DOUBT: Final = 2.0
"""What is added to it for each unit of the log probability by which the decoder was unsure of these words."""
MOST_DOUBT: Final = 4.0
"""Greater doubt adds no more. ``docs/decisions/speech-recognition.md`` says how the three numbers were found."""
_LEAST: Final = 1e-9
"""Smallest probability, so that its logarithm exists."""


def likelier(
    model: Whisper, encoded: Any, heard: Transcript, words: Sequence[str], *, settled: int, refused: set[Change]
) -> Transcript | None:
    """The transcript with likely words where they fit the sound; ``None`` if there are none.

    Args:
        model: the model.
        encoded: the encoder's output.
        heard: the transcript that the decoder has written freely.
        words: the likely words, the most likely first.
        settled: length in characters of the beginning that stays as it is.
        refused: what did not fit a shorter sound of this utterance, and is not checked again; more is added.
    """
    if not judge(heard, speech_ms=heard.samples * 1000 // SAMPLE_RATE).accept:
        return None
    text = heard.text
    for _ in range(MOST_ROUNDS):
        found = proposals(text, words, language=heard.language, settled=settled, refused=refused)
        rated = fits(model, encoded, heard.samples, text, found, heard.language) if found else []
        refused |= {each.change for each, fit in zip(found, rated, strict=True) if not fit.enough}
        chosen = best(found, rated)
        if chosen is None:
            break
        text = chosen.text
    return None if text == heard.text else replace(heard, text=text)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a proposal fits the sound.

    Attributes:
        loss: how much less probable than the transcript it is: a difference of log probabilities.
        doubt: how improbable the words are in whose place it stands: a negative log probability.
    """

    loss: float
    doubt: float

    @property
    def enough(self) -> bool:
        """Whether the proposal is more credible than the transcript, as it is likely."""
        return self.loss <= LEAST_ALLOWED + ALLOWED_FOR_DOUBT * min(self.doubt, MOST_DOUBT)


def best(found: Sequence[Proposal], rated: Sequence[Fit]) -> Proposal | None:
    """The proposal that fits best of those that fit well enough; ``None`` if none does. Pure."""
    fitting = [(fit.loss, place) for place, fit in enumerate(rated) if fit.enough]
    return found[min(fitting)[1]] if fitting else None


def fits(model: Whisper, encoded: Any, samples: int, text: str, found: Sequence[Proposal], language: str) -> list[Fit]:
    """How well each proposal fits the sound.

    Args:
        model: the model.
        encoded: the encoder's output.
        samples: length of the sound.
        text: the transcript.
        found: the proposals, at least one.
        language: the language of the transcript.
    """
    output = beginning_of(encoded, samples)
    tokens = [model.tokens_of(each, language) for each in (text, *(proposal.text for proposal in found))]
    rated = model.probabilities(view(np.repeat(output, len(tokens), axis=0)), tokens, language)
    heard, *others = (np.log(np.maximum(each, _LEAST)) for each in rated)
    differing = [slice(*_differing(tokens[0], each)) for each in tokens[1:]]
    return [
        Fit(float(heard.sum() - other.sum()), float(-heard[place].sum()))
        for other, place in zip(others, differing, strict=True)
    ]


def _differing(one: Sequence[int], other: Sequence[int]) -> tuple[int, int]:
    """Where ``one`` differs from ``other``: the first place, and the place after the last one."""
    most = min(len(one), len(other))
    start = next((place for place in range(most) if one[place] != other[place]), most)
    end = next((back for back in range(most - start) if one[-1 - back] != other[-1 - back]), most - start)
    return start, len(one) - end
