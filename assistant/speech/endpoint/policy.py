"""When a pause is the end (V-08): what the sound says and what the words say, weighed against the silence.

Neither is enough by itself. Smart Turn misses the end of some whole human recordings and takes half of the cut ones for
whole; words can be a whole sentence before the speaker's is. Where both agree that the speaker has finished, a short
silence is enough. Where they disagree or say that something is missing, the speaker gets time to think. Where nothing
is known, silence alone decides.
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
class Evidence:
    """What is known in a pause.

    Attributes:
        silence_ms: how long nobody has spoken.
        speech_ms: how much voice the utterance has so far.
        probability: the lowest of Smart Turn's answers for this pause, ``None`` before there is one.
        completeness: ``text_completeness`` of what was understood of the utterance, up to this pause; ``None`` before
            there is an answer, or when the words are of an earlier state of the utterance.
        transcribing: a transcript up to this pause is on its way.
    """

    silence_ms: int
    speech_ms: int
    probability: float | None = None
    completeness: float | None = None
    transcribing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do in a pause.

    Attributes:
        end: the utterance is over.
        required_ms: the silence that this evidence asks for.
        sound: what the sound was taken to say.
        words: what the words were taken to say.
    """

    end: bool
    required_ms: int
    sound: Belief
    words: Belief


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patience:
    """Times of one preset in milliseconds.

    Attributes:
        required: by what sound and words say.
        transcribing: what is added while the words are still being read; no answer could begin without them.
        short: least silence after a single short sound whose words are not a whole answer.
        probe_at: silences at which to ask the models.
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
"""Silence after which the utterance is over.

People leave about 200 ms between turns and pause for 500 to 800 ms inside of sentences (Heldner and Edlund, "Pauses,
gaps and overlaps in conversations", 2010). What the words say weighs most, because it is most often right: a sentence
that lacks something is not over, a Korean final ending nearly always is the end. English words that could be whole are
whole half of the time only, and the sound is right about as often, so that both must agree before a short silence is
enough (``docs/decisions/end-of-turn.md`` has the measurements).
"""
_TRANSCRIBING_MS: Final = (200, 250, 300)
_SHORT_MS: Final = (420, 550, 900)
_PROBE_AT_MS: Final = ((100, 200), (100, 200), (100, 200))
"""Early, and twice: the longer the silence that the sound ends in, the more often Smart Turn calls cut sentences whole.
The lowest of its answers counts."""

SHORT_SPEECH_MS: Final = 300
"""A voice of up to this length is one syllable or two: an answer, or only the beginning of something."""
SOUND_FINISHED: Final = 0.7
SOUND_UNFINISHED: Final = 0.3
WORDS_CERTAIN: Final = 0.9
WORDS_FINISHED: Final = 0.75
WORDS_UNFINISHED: Final = 0.25


class EndpointPolicy:
    """Decides in a pause whether the utterance is over; pure, so that it can be asked every frame.

    Args:
        preset: how much time to think the speaker gets.
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
        """Silences, ascending, at which the listener asks Smart Turn and starts a transcript that may be the last."""
        return self._patience.probe_at

    def decide(self, evidence: Evidence) -> Decision:
        """Weigh what is known."""
        sound = _belief(evidence.probability, finished=SOUND_FINISHED, unfinished=SOUND_UNFINISHED)
        words = _belief(evidence.completeness, finished=WORDS_FINISHED, unfinished=WORDS_UNFINISHED)
        if evidence.completeness is not None and evidence.completeness >= WORDS_CERTAIN:
            words = Belief.CERTAIN
        required = self._patience.required[sound, words]
        if evidence.transcribing and words is Belief.NONE:
            required += self._patience.transcribing
        if evidence.speech_ms <= SHORT_SPEECH_MS and words is not Belief.CERTAIN:
            required = max(required, self._patience.short)
        return Decision(end=evidence.silence_ms >= required, required_ms=required, sound=sound, words=words)


def _belief(value: float | None, *, finished: float, unfinished: float) -> Belief:
    if value is None:
        return Belief.NONE
    if value >= finished:
        return Belief.FINISHED
    return Belief.UNFINISHED if value <= unfinished else Belief.UNSURE


POLICIES: Final = {preset: EndpointPolicy(preset) for preset in _PRESETS}
"""By preset, its policy."""
