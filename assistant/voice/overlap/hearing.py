"""Speech over the running turn, while Sori thinks or speaks: its events, its words and its onset."""

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Protocol, assert_never

from assistant.audio.echo.onset import LEARNED_FROM_S, Rest, without_echo
from assistant.audio.echo.presence import Echo
from assistant.audio.level import level_db
from assistant.audio.speech_segments import PreRoll
from assistant.audio.vad import VoiceFrame
from assistant.core.audio import FRAME_BYTES, FRAME_MS, to_samples
from assistant.core.errors import SoriError
from assistant.core.machine import events as ev
from assistant.core.machine.events import Meaning
from assistant.core.machine.states import TurnId
from assistant.speech.endpoint.continuation import Relation
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.speech.text.names.likelihood import over_silence
from assistant.speech.text.stop_words import STOP_PHRASES
from assistant.voice.conversation import HeardConversation
from assistant.voice.ears import VoiceDetector
from assistant.voice.heard_sound import HeardSound
from assistant.voice.overlap.judge import ENDED_MS, LONGEST_MS, Overlap, OverlapJudge
from assistant.voice.overlap.user_level import RoomVoices, UserLevel, loud_level_db, loud_of, may_be_rest
from assistant.voice.overlap.words import OverlapWords, called_name, classify, is_believed, is_unclear

LEAD_IN_MS = 400
"""Sound kept before the first syllable."""
GOES_ON_WITHIN_MS = 3_000
"""Speech that begins within this time after the end of a request may continue the request, because the user has heard
hardly anything of the answer."""
AT_ONCE_MS = 1_200
"""Pause after a request in which the user has heard at most a small part of the answer. People pause for 500 to 800 ms
inside sentences; a pause of a second is measured up to 0.1 s too long."""
WORDS_WITHIN_MS = 1_500
"""Longest wait for the words of short speech. A recogniser that takes longer cannot save the answer."""
SURE = 0.9
"""Speech probability from which voice activity detection is sure. Where the model of the echo path is trusted, the rest
of an echo reaches it in 1 of 700 frames."""
UNREAD_WORD_MS = 260
"""Speech that interrupts when its words cannot be read: longer than a cough's voiced part (about 200 ms)."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Onset:
    """The sound in which the user began to speak.

    Attributes:
        pcm: the best version of this sound.
        began_ms_ago: time since the start of the speech.
        speech_ms: duration of the speech, without pauses.
        silence_ms: silence at the end of the sound.
        unprocessed: the same sound without echo cancellation, while the presence of an echo is unknown.
        both: what was heard and what was played, from some time before on; empty without an echo.
        drift: by how much the echo's delay grows, as a share of the time.
        transcript: a draft of its words, if they are known.
        stops: whether its words were taken for a stop word, which the transcript may misspell.
        name: the name by which its words call Sori; empty for none.
    """

    pcm: bytes
    began_ms_ago: int
    speech_ms: int = 0
    silence_ms: int = 0
    unprocessed: bytes | None = None
    both: tuple[bytes, bytes] = (b"", b"")
    drift: float = 0.0
    transcript: Transcript | None = None
    stops: bool = False
    name: str = ""

    def restored(self) -> Rest:
        """The sound with the words that echo cancellation has removed, of the same length; takes about 0.1 s."""
        heard, played = self.both
        if not any(played):
            return Rest(pcm=self.pcm, voice=True)
        rest = without_echo(heard, played, speech=to_samples(self.began_ms_ago / 1000), drift=self.drift)
        return replace(rest, pcm=rest.pcm[-len(self.pcm) :])


class UsersSpeech(Protocol):
    """The user's utterances, as far as the meaning of speech over a turn depends on them.

    Attributes:
        level: how loud the user speaks.
        others: how loud the voices are that do not speak to Sori.
        heard_ms: total time of heard sound.
    """

    level: UserLevel
    others: RoomVoices
    heard_ms: int

    @property
    def names(self) -> Sequence[str]:
        """The names by which Sori can be called."""

    async def compute(self, work: Callable[[], Rest]) -> Rest:
        """Run a function on a thread."""

    async def read_draft(self, pcm: bytes) -> Transcript:
        """Transcribe a sound on this machine; it may be Sori's own voice, or speech to somebody else."""

    async def weigh(self, pcm: bytes, phrases: Sequence[str], language: str) -> Weighed | None:
        """How well phrases fit a sound in a language; ``None`` if nobody can tell."""

    def ended_within(self, limit_ms: int) -> bool:
        """Whether the user's last utterance ended at most ``limit_ms`` ago."""

    def relation(self, text: str, language: str) -> Relation:
        """Relate words to the user's last utterance."""

    def unfinished(self) -> bool:
        """Whether the words of the user's last utterance lack something."""


class OverlapHearing:
    """Listens over the running turn.

    Without an echo, echo cancellation removes the user's voice, and the absence of an echo is known only after the cues
    or, without them, after half a second of the first answer. The microphone signal is therefore kept and judged as
    well, and is used once the absence is known.

    With a recognised echo, echo cancellation weakens the user's voice. What is heard beside the echo is then judged, as
    soon as it is known.

    Speech that is much weaker than the user's utterances pauses the voice once and does not end the answer, unless it
    is a stop word. For the rest of the answer, only louder speech counts. Directly after a request, weaker speech is
    first of all the rest of it: then its words, the length of the pause, and the voices that were heard in the room
    before decide (``may_be_rest``).

    Speech that is too short to be an interruption by itself is transcribed while the voice is paused. Stop words always
    interrupt, and so does a name by which Sori can be called. If the recogniser fails or is slow, any speech as long as
    a word interrupts.

    Args:
        voice: voice activity detection for the microphone signal, and for what is heard beside an echo.
        conversation: takes the events.
        user: the user's utterances.
        cancels: whether echo cancellation is on. Only then the words that it has removed are restored.

    Attributes:
        answers: whether Sori has asked a question, so that a yes is an answer.
    """

    def __init__(
        self,
        voice: VoiceDetector,
        conversation: HeardConversation,
        user: UsersSpeech,
        *,
        cancels: bool = True,
    ) -> None:
        self._voice = voice
        self._conversation = conversation
        self._user = user
        self._cancels = cancels
        self._trace = conversation.trace
        self._judge = OverlapJudge()
        self._cleaned, self._heard, self._played = (PreRoll(_KEPT_MS) for _ in range(3))
        self._echo = Echo.EXPECTED
        self._drift = 0.0
        self._judged = _Judged.CLEANED
        self._reading = 0
        """Number of times that words were asked for; a result of an earlier time is outdated."""
        self._awaits_words = False
        self._waited_ms = 0
        self._paused = False
        self._others_speak = False
        """Whether somebody spoke over this answer, but not to Sori."""
        self._weak = False
        """Whether the speech was weaker than the user's."""
        self._follows = False
        """Whether long speech is followed to its end, because it may be the rest of the request."""
        self._levels_db: deque[float] = deque(maxlen=_LOUD_WITHIN_MS // FRAME_MS)
        self._transcript: Transcript | None = None
        self._stops = False
        self._name = ""
        self.answers = False

    @property
    def suspected(self) -> bool:
        """Whether a suspicion is open."""
        return self._judge.suspected

    @property
    def speaks(self) -> bool:
        """Whether somebody speaks."""
        return self._judge.speaks

    def begin(self) -> None:
        """Forget the sound before the turn."""
        self._judge.false_alarms = 0
        self._paused = self._others_speak = False
        for kept in (self._cleaned, self._heard, self._played):
            kept.clear()
        self._judged = _Judged.CLEANED

    def reset(self) -> None:
        """Forget the suspicion; the sound is kept."""
        self._forget_words()
        self._judge.reset()
        self._follows = False

    def take_onset(self) -> Onset:
        """Return the sound in which the speech began, and forget it."""
        onset = self._onset()
        self._transcript, self._stops, self._name = None, False, ""
        for kept in (self._cleaned, self._heard, self._played):
            kept.clear()
        return onset

    def _onset(self) -> Onset:
        judge = self._judge
        length = (judge.began_ms_ago + LEAD_IN_MS) // FRAME_MS * FRAME_BYTES
        cleaned, heard = self._cleaned.pcm[-length:], self._heard.pcm[-length:]
        learned = round(LEARNED_FROM_S * 1000) // FRAME_MS * FRAME_BYTES
        both = self._heard.pcm[-length - learned :], self._played.pcm[-length - learned :]
        unprocessed = None
        match self._echo:
            case Echo.ABSENT:
                cleaned, both = heard, (b"", b"")
            case Echo.EXPECTED:
                unprocessed = heard
            case Echo.RECOGNISED:
                pass
            case _:
                assert_never(self._echo)
        return Onset(
            pcm=cleaned,
            began_ms_ago=judge.began_ms_ago,
            speech_ms=judge.speech_ms,
            silence_ms=judge.silence_ms,
            unprocessed=unprocessed,
            both=both if self._cancels else (b"", b""),
            drift=self._drift,
            transcript=self._transcript,
            stops=self._stops,
            name=self._name,
        )

    def hear(self, turn: TurnId, sound: HeardSound) -> None:
        """Take the next 10 ms while ``turn`` runs."""
        self._cleaned.push(sound.cleaned)
        self._heard.push(sound.heard)
        self._played.push(sound.played)
        self._echo, self._drift = sound.echo, sound.drift
        verdict = self._judge_sound(sound)
        match verdict:
            case Overlap.SUSPECTED:
                self._conversation.tell(ev.OverlapSuspected(turn=turn))
            case Overlap.HEARD:
                self._forget_words()
                self._paused = True
                self._trace.note("overlap", echo=sound.echo)
                self._conversation.tell(ev.OverlapHeard(turn=turn))
            case Overlap.ENDED:
                self._weak = self._comes_from_elsewhere()
                self._follows = False
                self._ask_for_words(turn)
            case Overlap.WENT_ON:
                self._forget_words()
            case Overlap.DISMISSED:
                self._dismiss(turn, OverlapWords.NOTHING)
            case Overlap.CONFIRMED:
                self._judge_long(turn)
            case None:
                self._wait_for_words(turn)
            case _:
                assert_never(verdict)

    def _judge_long(self, turn: TurnId) -> None:
        """Judge speech that is too long for a word of agreement."""
        self._weak = self._comes_from_elsewhere()
        if not self._weak:
            self._confirm(turn)
            return
        self._follows = self._soon and not self._follows and not self._others_speak
        if self._follows:
            self._judge.go_on()
        else:
            self._others_speak = True
        self._ask_for_words(turn)

    def _judge_sound(self, sound: HeardSound) -> Overlap | None:
        """Judge a frame. Once others have spoken, only sound that is as loud as the user counts."""
        beside_echo = sound.echo is Echo.RECOGNISED
        others = sound.separated.pcm if sound.separated is not None else sound.cleaned
        self._levels_db.append(level_db(others if beside_echo else sound.heard))
        unprocessed, separated = self._heard_speech(sound), self._separated_voice(sound)
        counts = not self._others_speak or self._is_loud(beside_echo=beside_echo)
        return self._judge.feed(
            speech=sound.speech and counts,
            heard_db=level_db(sound.cleaned),
            played_db=level_db(sound.played),
            echo=sound.echo is not Echo.ABSENT,
            unprocessed_speech=unprocessed and counts,
            separated_speech=None if separated is None else separated.speech and counts,
            sure=separated is not None and separated.probability >= SURE,
        )

    @property
    def _soon(self) -> bool:
        """Whether the speech began so soon after the request that it may continue it."""
        return self._user.ended_within(GOES_ON_WITHIN_MS + self._judge.began_ms_ago)

    def _is_loud(self, *, beside_echo: bool) -> bool:
        """Whether the newest sound is as loud as the user. Single vowels of others are, too."""
        least_db = self._user.level.least_db(beside_echo=beside_echo)
        return least_db is None or loud_of(self._levels_db) >= least_db

    def _comes_from_elsewhere(self) -> bool:
        """Whether the speech, as far as it was heard without an echo, is weaker than the user's voice."""
        pcm = self._alone()
        return bool(pcm) and self._user.level.is_elsewhere(pcm)

    def _alone(self) -> bytes:
        """The speech, as far as it was heard without an echo."""
        length = self._judge.began_ms_ago // FRAME_MS * FRAME_BYTES
        if self._echo is not Echo.ABSENT:
            played = self._played.pcm
            quiet = len(played) - len(played.rstrip(b"\0"))
            length = min(quiet - _ECHO_BYTES, length)
        return self._heard.pcm[-(length // FRAME_BYTES * FRAME_BYTES) :] if length >= FRAME_BYTES else b""

    def _may_be_users(self, transcript: Transcript, *, over: bool) -> bool:
        """Whether speech that is weaker than the user's may be the rest of the request that has just ended.

        ``over`` says whether the speech has ended.
        """
        user, user_db = self._user, self._user.level.least_db(beside_echo=False)
        if not self._soon or user_db is None:
            return False
        return may_be_rest(
            user.relation(transcript.text, transcript.language),
            unfinished=user.unfinished(),
            at_once=user.ended_within(AT_ONCE_MS + self._judge.began_ms_ago),
            over=over,
            others=user.others.speak_at(loud_level_db(self._alone()), user_db, user.heard_ms),
        )

    def _wait_for_words(self, turn: TurnId) -> None:
        """Decide without words when they take too long."""
        if self._awaits_words:
            self._waited_ms += FRAME_MS
            if self._waited_ms >= WORDS_WITHIN_MS:
                self._decide_unread(turn)

    def _ask_for_words(self, turn: TurnId) -> None:
        self._reading += 1
        self._awaits_words = True
        self._waited_ms = 0
        self._conversation.listening.start(self._judge_words(turn, self._reading), name="words of an overlap")

    async def _judge_words(self, turn: TurnId, reading: int) -> None:
        """Transcribe the speech that has ended, and decide by its words."""
        onset = self._onset()
        try:
            rest = await self._user.compute(onset.restored)
            transcript = await self._user.read_draft(rest.pcm)
            fits = await self._weighed(rest.pcm, transcript.language) if is_unclear(transcript) else {}
        except SoriError as error:
            log.warning("the words of speech over an answer are not known: %s", error)
            self._trace.note("error", code=error.code, detail=error.detail)
            if reading == self._reading and self._awaits_words:
                self._decide_unread(turn)
            return
        if reading == self._reading and self._awaits_words:
            self._decide(turn, transcript, fits, onset.speech_ms, voice=rest.voice)

    async def _weighed(self, pcm: bytes, language: str) -> Mapping[str, float]:
        names = self._user.names
        phrases = (*STOP_PHRASES.get(language, ()), *names)
        found = await self._user.weigh(pcm, phrases, language) if phrases else None
        if found is None:
            return {}
        of_names = {name: found.fits[name] for name in names if name in found.fits}
        return {**found.fits, **over_silence(of_names, found.silent)}

    def _decide(
        self, turn: TurnId, transcript: Transcript, fits: Mapping[str, float], speech_ms: int, *, voice: bool
    ) -> None:
        saying, over = self._conversation.saying, self._judge.silence_ms >= ENDED_MS
        name = called_name(transcript, self._user.names, fits, saying=saying)
        words = classify(
            transcript,
            speech_ms=speech_ms,
            saying=saying,
            echo=self._echo is not Echo.ABSENT,
            answers=self.answers or saying.rstrip().endswith("?"),
            voice=voice,
            fits=fits,
            name=name,
        )
        if is_believed(transcript, voice=voice) and self._conversation.meaning(transcript.text, False) in _STOPS:
            words = OverlapWords.STOP
        elif self._is_elsewhere(words) and not (self._weak and self._may_be_users(transcript, over=over)):
            words = OverlapWords.ELSEWHERE
        elif voice and words is OverlapWords.NOTHING and speech_ms >= UNREAD_WORD_MS and self._soon:
            # The end of a sentence is recognised better together with its beginning.
            words = OverlapWords.INTERRUPTION
        if self._follows and not words.interrupts and self._may_be_users(transcript, over=True):
            self._awaits_words = False  # Its end decides.
            return
        if words is OverlapWords.ELSEWHERE:
            self._others_speak = True
            self._user.others.learn(self._alone(), self._user.heard_ms)
        if words.interrupts:
            self._transcript, self._stops, self._name = transcript, words is OverlapWords.STOP, name
            self._confirm(turn)
        else:
            self._dismiss(turn, words, transcript.text)

    def _is_elsewhere(self, words: OverlapWords) -> bool:
        """Whether the level of speech with these words tells that somebody else said them."""
        if words is OverlapWords.STOP:
            return False
        return self._others_speak or (self._weak and words is OverlapWords.INTERRUPTION)

    def _decide_unread(self, turn: TurnId) -> None:
        """Decide without words: the user rather than the answer is heard."""
        if self._judge.speech_ms >= UNREAD_WORD_MS and not self._others_speak:
            self._confirm(turn)
        else:
            self._dismiss(turn, OverlapWords.NOTHING)

    def _confirm(self, turn: TurnId) -> None:
        self.reset()
        self._conversation.tell(ev.OverlapConfirmed(turn=turn, soon=self._soon, called=bool(self._name)))

    def _dismiss(self, turn: TurnId, words: OverlapWords, text: str = "") -> None:
        if words in (OverlapWords.NOTHING, OverlapWords.ECHO) and self._paused:
            self._judge.false_alarms += 1
        self._paused = False
        self.reset()
        self._trace.note("resumed", reason=words, **({"text": text} if text else {}))
        self._conversation.tell(ev.OverlapDismissed(turn=turn))

    def _forget_words(self) -> None:
        self._reading += 1
        self._awaits_words = False

    def _heard_speech(self, sound: HeardSound) -> bool:
        """Whether the microphone signal contains speech. False without a check while an echo is known to be present."""
        if sound.echo is Echo.RECOGNISED:
            return False
        if self._judged is not _Judged.HEARD and sound.cleaned == sound.heard:
            return sound.speech
        return self._voice_in(_Judged.HEARD, sound.heard).speech

    def _separated_voice(self, sound: HeardSound) -> VoiceFrame | None:
        """The voice beside a recognised echo; ``None`` while that cannot be known.

        While the model of the echo path was not checked, the echo may be left in the sound. It may also be left by the
        canceller, but seldom by both.
        """
        if sound.echo is not Echo.RECOGNISED or sound.separated is None:
            return None
        voice = self._voice_in(_Judged.SEPARATED, sound.separated.pcm)
        return voice if sound.separated.trusted else VoiceFrame(speech=voice.speech and sound.speech, probability=0.0)

    def _voice_in(self, judged: "_Judged", pcm: bytes) -> VoiceFrame:
        """The voice in a sound that is judged besides the cleaned one."""
        if self._judged is not judged:
            self._voice.reset()
            self._judged = judged
        return self._voice.feed(pcm)


class _Judged(Enum):
    """The last sound that was judged besides the cleaned one."""

    CLEANED = auto()
    """None besides it."""
    HEARD = auto()
    SEPARATED = auto()


_KEPT_MS = LEAD_IN_MS + LONGEST_MS + WORDS_WITHIN_MS + round(LEARNED_FROM_S * 1000)
"""Sound that is kept."""
_ECHO_BYTES = 250 // FRAME_MS * FRAME_BYTES
"""Sound after the pause of the voice in which its echo dies away."""
_LOUD_WITHIN_MS = 300
"""The newest sound, whose loud fifth tells whether it is as loud as the user."""
_STOPS = frozenset({Meaning.STOP, Meaning.CLOSING})
"""Meanings that always interrupt."""
