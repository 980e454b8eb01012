"""An utterance during capture, with the results known so far."""

from dataclasses import dataclass, field

from assistant.core.audio import to_samples
from assistant.core.machine.states import TurnId
from assistant.speech.endpoint.continuation import Relation, is_afterthought, relation
from assistant.speech.stt.judgement import is_polite_phrase
from assistant.speech.stt.partials import StablePrefix
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.long_utterance import Parts
from assistant.voice.utterance import Utterance
from assistant.voice.waking.after_wake import RequestBeforeWakeWord, WakeWordSaid
from assistant.voice.waking.name_said import NameSaid

SaidBefore = WakeWordSaid | RequestBeforeWakeWord | NameSaid
"""A wake word or a name that is said in the same breath as a request."""

DETECTED_LATE_MS = 140
"""By how much the voice detector reports the end of speech too late. If it hears a voice for longer in what seems to be
the room, somebody speaks as softly as the room sounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An utterance that was understood, kept because it may be only the first half of one.

    Attributes:
        turn: the turn that answers it.
        pcm: its sound.
        text: its words.
        language: language of the words.
        ended_ms: when its speech ended, in milliseconds of heard sound.
        wake_word: the wake word or the name said in the same breath.
    """

    turn: TurnId
    pcm: bytes
    text: str
    language: str
    ended_ms: int
    wake_word: SaidBefore | None = None


@dataclass(slots=True)
class Capture:
    """An utterance during capture, with the results known so far.

    Attributes:
        prefix: the words on the screen.
        words: the words that were read of the utterance's sound; a called name is among them.
        probability: lowest probability from the end-of-turn model for the revision ``judged``.
        transcript: the transcript of the revision ``transcribed``.
        partial_at: length in samples of the sound of the last transcription.
        early: a transcript that was begun in a lull, before there was a pause.
        early_at: length in samples of the sound of ``early``, and the revision.
        probes: number of the policy's probes made in the current pause.
        reading: the revision whose whole sound is being transcribed; -1 for none.
        ended: whether the utterance is over and only its transcript is missing.
        endpoint: the reason why it is over.
        wake_word: the wake word or the name said in the same breath.
        before: the previous utterance, which may be the first half of this one.
        at_once: whether the gap to ``before`` was too short to hear much of an answer.
        answered: whether the answer to ``before`` was heard to its end.
        prepared: the revision for whose transcript an answer is being prepared; -1 for none.
        preparations: number of answers that were prepared.
        parts: the parts of the utterance before this one, if it is too long for one transcript.
        opening: ``wake_word`` of the first part.
    """

    utterance: Utterance
    prefix: StablePrefix = field(default_factory=StablePrefix)
    words: StablePrefix = field(default_factory=StablePrefix)
    probability: float | None = None
    judged: int = -1
    transcript: Transcript | None = None
    transcribed: int = -1
    early: Transcript | None = None
    early_at: tuple[int, int] = (0, -1)
    probes: int = 0
    probed_revision: int = -1
    partial_at: int = 0
    recognising: bool = False
    wants_transcript: bool = False
    reading: int = -1
    ended: bool = False
    endpoint: str = ""
    wake_word: SaidBefore | None = None
    before: Said | None = None
    at_once: bool = False
    answered: bool = False
    prepared: int = -1
    preparations: int = 0
    parts: Parts = field(default_factory=Parts)
    opening: SaidBefore | None = None

    @property
    def pcm(self) -> bytes:
        """The sound of the whole utterance."""
        return self.parts.pcm + self.utterance.pcm

    def relation_to(self, before: Said, text: str, language: str) -> Relation:
        """The relation to ``before``, given the words ``text`` of this utterance."""
        if self.answered and is_polite_phrase(text):
            return Relation.APART  # the user thanks for the answer
        known = relation(before.text, text, language, answered=self.answered)
        if self.at_once and (known is Relation.UNCLEAR or is_afterthought(text, language)):
            return Relation.HALVES
        return known

    @property
    def current_transcript(self) -> Transcript | None:
        """The transcript, if it covers the current revision."""
        return self.transcript if self.transcribed == self.utterance.revision else None

    @property
    def lull_is_read(self) -> bool:
        """Whether the last transcription was begun in the current lull, so that nothing was said since."""
        utterance, at = self.utterance, self.partial_at
        began = utterance.samples - to_samples(utterance.lull_ms / 1000)
        return at > began and utterance.speech_end - at <= to_samples(DETECTED_LATE_MS / 1000)

    @property
    def early_transcript(self) -> Transcript | None:
        """The transcript that was begun in the current lull, if there is one."""
        return self.early if self.early_at == (self.partial_at, self.utterance.revision) and self.lull_is_read else None

    @property
    def current_probability(self) -> float | None:
        """The end-of-turn probability, if it covers the current revision."""
        return self.probability if self.judged == self.utterance.revision else None
