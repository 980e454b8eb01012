"""An utterance that is being captured, and what is known of it so far."""

from dataclasses import dataclass

from assistant.core.machine.states import TurnId
from assistant.speech.endpoint.continuation import Relation, relation
from assistant.speech.stt.judgement import is_polite_phrase
from assistant.speech.stt.partials import StablePrefix
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.after_wake import WakeWordSaid
from assistant.voice.utterance import Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An utterance that was understood, in case that it was only half of one.

    Attributes:
        turn: the turn that answers it.
        pcm: its sound.
        text: its words.
        language: of the words.
        ended_ms: when its speech ended, in heard time.
        wake_word: what was said right before it in the same breath.
    """

    turn: TurnId
    pcm: bytes
    text: str
    language: str
    ended_ms: int
    wake_word: WakeWordSaid | None = None


@dataclass(slots=True)
class Capture:
    """An utterance and what is known of it so far.

    Attributes:
        probability: the end-of-turn model's lowest word on the revision ``judged``.
        transcript: the recogniser's word on the revision ``transcribed``.
        probes: how many of the policy's probes were made in the current pause.
        ended: whether the utterance is over and only its transcript is awaited.
        endpoint: why it is over.
        wake_word: what was said right before it in the same breath.
        before: what was said a moment before, and may have been the first half of this.
        at_once: whether so little time lies between both that hardly anything of an answer can have been heard.
        answered: whether the answer to ``before`` was heard to its end.
    """

    utterance: Utterance
    prefix: StablePrefix
    probability: float | None = None
    judged: int = -1
    transcript: Transcript | None = None
    transcribed: int = -1
    probes: int = 0
    probed_revision: int = -1
    partial_at: int = 0
    recognising: bool = False
    wants_transcript: bool = False
    ended: bool = False
    endpoint: str = ""
    wake_word: WakeWordSaid | None = None
    before: Said | None = None
    at_once: bool = False
    answered: bool = False

    def relation_to(self, before: Said, text: str, language: str) -> Relation:
        """What this is to ``before``, if ``text`` are its words."""
        if self.answered and is_polite_phrase(text):
            return Relation.APART  # thanks for the answer
        known = relation(before.text, text, language, answered=self.answered)
        return Relation.HALVES if known is Relation.UNCLEAR and self.at_once else known

    @property
    def current_transcript(self) -> Transcript | None:
        """The transcript of the utterance as it is now."""
        return self.transcript if self.transcribed == self.utterance.revision else None

    @property
    def current_probability(self) -> float | None:
        """The end-of-turn model's word on the utterance as it is now."""
        return self.probability if self.judged == self.utterance.revision else None
