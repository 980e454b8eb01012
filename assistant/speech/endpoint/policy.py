"""Endpoint policy (V-08): decides in a pause whether the utterance is over, from sound, words and silence.

No single source is sufficient. Smart Turn misses the end of some complete human recordings and takes half of the cut
ones for complete. Words can form a complete sentence before the speaker's sentence ends. When sound and words agree
that the speaker has finished, a short silence is enough. When they disagree, or one reports that something is missing,
the speaker gets more time. Without evidence, silence alone decides.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

Preset = Literal["fast", "balanced", "patient"]


class Belief(StrEnum):
    """What one source of evidence says about the end."""

    CERTAIN = "certain"
    FINISHED = "finished"
    UNSURE = "unsure"
    UNFINISHED = "unfinished"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseSigns:
    """The evidence in a pause.

    Attributes:
        silence_ms: duration of the current silence.
        speech_ms: voiced duration of the utterance so far.
        probability: Smart Turn's lowest probability in this pause; ``None`` before the first one.
        completeness: ``text_completeness`` of the transcript up to this pause; ``None`` while there is no transcript of
            the current revision.
        transcribing: whether a transcript up to this pause is being made.
    """

    silence_ms: int
    speech_ms: int
    probability: float | None = None
    completeness: float | None = None
    transcribing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision in a pause.

    Attributes:
        end: whether the utterance is over.
        required_ms: the silence that this evidence requires.
        probable: whether the words make the end probable, and it is near enough that an answer may be prepared.
        sound: the belief from the sound.
        words: the belief from the words.
    """

    end: bool
    required_ms: int
    probable: bool
    sound: Belief
    words: Belief


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patience:
    """The times of one preset in milliseconds.

    Attributes:
        required: required silence by the beliefs from sound and words.
        transcribing: additional silence while the transcript is missing; the answer cannot start without it.
        short: minimum silence after a short sound whose words are not a complete answer.
        probe_at: silences at which the models are run.
    """

    required: dict[tuple[Belief, Belief], int]
    transcribing: int
    short: int
    probe_at: tuple[int, ...]


_PRESETS: Final[tuple[Preset, ...]] = ("fast", "balanced", "patient")

_REQUIRED_MS: Final[dict[tuple[Belief, Belief], tuple[int, int, int]]] = {
    # sound, words                              fast, balanced, patient
    (Belief.FINISHED, Belief.CERTAIN): (280, 400, 650),
    (Belief.UNSURE, Belief.CERTAIN): (300, 420, 700),
    (Belief.UNFINISHED, Belief.CERTAIN): (330, 450, 800),
    (Belief.NONE, Belief.CERTAIN): (300, 420, 700),
    (Belief.FINISHED, Belief.FINISHED): (320, 440, 750),
    (Belief.UNSURE, Belief.FINISHED): (460, 640, 1000),
    (Belief.UNFINISHED, Belief.FINISHED): (650, 900, 1300),
    (Belief.NONE, Belief.FINISHED): (440, 600, 900),
    (Belief.FINISHED, Belief.UNSURE): (600, 900, 1300),
    (Belief.UNSURE, Belief.UNSURE): (750, 1100, 1500),
    (Belief.UNFINISHED, Belief.UNSURE): (950, 1300, 1800),
    (Belief.NONE, Belief.UNSURE): (700, 1000, 1400),
    (Belief.FINISHED, Belief.NONE): (450, 700, 1000),
    (Belief.UNSURE, Belief.NONE): (650, 900, 1300),
    (Belief.UNFINISHED, Belief.NONE): (900, 1250, 2000),
    (Belief.NONE, Belief.NONE): (700, 900, 1400),
    (Belief.FINISHED, Belief.UNFINISHED): (900, 1300, 1900),
    (Belief.UNSURE, Belief.UNFINISHED): (1050, 1500, 2200),
    (Belief.UNFINISHED, Belief.UNFINISHED): (1300, 1900, 2800),
    (Belief.NONE, Belief.UNFINISHED): (1050, 1500, 2200),
}
"""Silence that ends the utterance.

People leave about 200 ms between turns and pause for 500 to 800 ms inside sentences (Heldner and Edlund, "Pauses, gaps
and overlaps in conversations", 2010). The words have the largest weight because they are most often right: an
incomplete sentence is not over, and a Korean final ending is nearly always the end. English words that could be a whole
sentence are one only half of the time, and the sound is right about as often, so a short silence requires both to agree
(``docs/decisions/end-of-turn.md`` has the measurements).
"""
_PROBABLE: Final = frozenset({Belief.FINISHED, Belief.CERTAIN})
_LEAD_MS: Final = 400
"""How long before the end an answer is prepared: about as long as a quick model takes to the first sound. Where doubt
asks for a longer silence, an earlier answer gains little and is thrown away if the speaker goes on."""
_TRANSCRIBING_MS: Final = (200, 250, 300)
_SHORT_MS: Final = (420, 550, 900)
_PROBE_AT_MS: Final = ((100, 200), (100, 200), (100, 200))
"""The model runs early and twice. With a longer silence in its input Smart Turn takes cut sentences for complete more
often, so the lowest of its results counts."""

SHORT_SPEECH_MS: Final = 300
"""Speech up to this duration is one or two syllables: an answer, or the beginning of something longer."""
SOUND_FINISHED: Final = 0.7
SOUND_UNFINISHED: Final = 0.3
WORDS_CERTAIN: Final = 0.9
WORDS_FINISHED: Final = 0.75
WORDS_UNFINISHED: Final = 0.25


class EndpointPolicy:
    """Decides in a pause whether the utterance is over. Pure, so it can be called in every frame.

    Args:
        preset: how much time the speaker gets to think.
    """

    def __init__(self, preset: Preset) -> None:
        column = _PRESETS.index(preset)
        self._patience = _Patience(
            required={beliefs: times[column] for beliefs, times in _REQUIRED_MS.items()},
            transcribing=_TRANSCRIBING_MS[column],
            short=_SHORT_MS[column],
            probe_at=_PROBE_AT_MS[column],
        )

    @property
    def probe_at_ms(self) -> tuple[int, ...]:
        """Silences, ascending, at which the listener runs Smart Turn and requests a transcript."""
        return self._patience.probe_at

    def decide(self, evidence: PauseSigns) -> Decision:
        """Decide from the evidence."""
        sound = _belief(evidence.probability, finished=SOUND_FINISHED, unfinished=SOUND_UNFINISHED)
        words = _belief(evidence.completeness, finished=WORDS_FINISHED, unfinished=WORDS_UNFINISHED)
        if evidence.completeness is not None and evidence.completeness >= WORDS_CERTAIN:
            words = Belief.CERTAIN
        required = self._patience.required[sound, words]
        if evidence.transcribing and words is Belief.NONE:
            required += self._patience.transcribing
        if evidence.speech_ms <= SHORT_SPEECH_MS and words is not Belief.CERTAIN:
            required = max(required, self._patience.short)
        return Decision(
            end=evidence.silence_ms >= required,
            required_ms=required,
            probable=_is_probable(sound, words) and evidence.silence_ms >= required - _LEAD_MS,
            sound=sound,
            words=words,
        )


def _is_probable(sound: Belief, words: Belief) -> bool:
    return words in _PROBABLE or (words, sound) == (Belief.UNSURE, Belief.FINISHED)


def _belief(value: float | None, *, finished: float, unfinished: float) -> Belief:
    if value is None:
        return Belief.NONE
    if value >= finished:
        return Belief.FINISHED
    return Belief.UNFINISHED if value <= unfinished else Belief.UNSURE


POLICIES: Final = {preset: EndpointPolicy(preset) for preset in _PRESETS}
"""Policy by preset."""
