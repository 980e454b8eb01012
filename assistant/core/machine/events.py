"""Events: the facts that the interaction machine is told.

The names of events are past participles. Every event of a turn carries the id of the turn, so that late events of a
cancelled turn are dropped in one place.
"""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.errors import ErrorCode
from assistant.core.machine.states import TurnId


class Meaning(StrEnum):
    """What an utterance means for the session. Rules decide it before a model reads the utterance."""

    REQUEST = "request"
    COMMAND = "command"
    """A request that is answered without a model."""
    CLOSING = "closing"
    STOP = "stop"
    YES = "yes"
    NO = "no"

    @property
    def is_request(self) -> bool:
        """Whether the utterance asks for an answer."""
        return self in (Meaning.REQUEST, Meaning.COMMAND)

    @property
    def answers(self) -> bool:
        """Whether the utterance can answer a question for words."""
        return self.is_request or self is Meaning.YES


class Timer(StrEnum):
    """The timers that the machine can start."""

    SILENCE = "silence"
    """Time without speech while Sori listens."""

    ANSWER = "answer"
    """Time without an answer after a question was heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordHeard:
    """The wake word was recognised."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceToggled:
    """The user switched voice mode on or off: tray, button, shortcut or ``sori toggle``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan:
    """A turn that the machine has not ordered began in its conversation: a message was typed, here or elsewhere.

    Attributes:
        turn: the turn.
        aloud: whether its answer is read aloud.
    """

    turn: TurnId
    aloud: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StopPressed:
    """The user stopped the running turn, or listening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationLeft:
    """The user opened another conversation. An answer that is not read aloud goes on in the one that was left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicrophoneLost:
    """The microphone was unplugged or muted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementDue:
    """Sori has an announcement to make, such as a ringing timer.

    Attributes:
        text: the announcement.
        awaits_reply: whether to listen afterwards without a wake word, for "stop" or a request.
        user_speaks: whether the user is saying something, holds the talk key, or dictates.
        wanted: whether the user wants to hear the text now, so that no sound calls for attention before it.
    """

    text: str
    awaits_reply: bool = False
    user_speaks: bool = False
    wanted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RingingChanged:
    """A timer began to ring, or the last ringing timer was stopped."""

    rings: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted:
    """The user began to speak while Sori listened.

    ``may_be_echo`` when the speech began so shortly after Sori's own speech that it may be the echo.
    """

    turn: TurnId
    may_be_echo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceTranscribed:
    """The user finished an utterance, and it was transcribed.

    Attributes:
        turn: id of the turn that listened.
        text: the transcript.
        meaning: what the utterance means for the session.
        continues: id of an earlier turn whose request was cut in two. Then ``text`` holds both halves.
        rest: the second half of such a request.
        addressed: whether it calls Sori by the wake word or a name.
    """

    turn: TurnId
    text: str
    meaning: Meaning = Meaning.REQUEST
    continues: TurnId | None = None
    rest: str = ""
    addressed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceRejected:
    """An utterance ended without a transcript; ``was_speech`` for unintelligible speech, not for noise."""

    turn: TurnId
    was_speech: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired:
    """A timer of the machine has run out."""

    turn: TurnId
    timer: Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """The turn asks the user the question ``text`` and waits for the answer.

    Attributes:
        turn: the turn.
        question: the question's id.
        text: what is said.
        within_s: seconds for the answer, from when the question was heard.
        words: whether the answer is words, not yes or no.
        changeable: whether other words than a yes or a no are a new request, which changes what is asked about.
    """

    turn: TurnId
    question: str
    text: str
    within_s: float
    words: bool = False
    changeable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionClosed:
    """The question was answered by any means, or waits no more."""

    turn: TurnId
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """The turn runs a tool."""

    turn: TurnId
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """The tool returned; ``failed`` when it returned an error."""

    turn: TurnId
    name: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCompleted:
    """The model has finished; ``will_speak`` when part of the answer is still to be spoken."""

    turn: TurnId
    will_speak: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed:
    """The turn ended with an error."""

    turn: TurnId
    code: ErrorCode


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAudioReady:
    """The first sound of this turn's speech is about to be played."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechFinished:
    """All of this turn's speech has been played, or none could be synthesised."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSuspected:
    """A sound like speech is heard during the running turn."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapHeard:
    """Somebody speaks during the running turn. Whether it is an interruption is not known yet."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapDismissed:
    """The sound was no interruption: no speech, a word of agreement, or Sori's own voice."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapConfirmed:
    """The user interrupts the running turn (barge-in).

    ``soon`` when so little time has passed since the request that this may be the rest of it; ``called`` when the words
    call Sori by a name.
    """

    turn: TurnId
    soon: bool = False
    called: bool = False


TurnEvent = (
    SpeechStarted
    | UtteranceTranscribed
    | UtteranceRejected
    | TimerFired
    | QuestionAsked
    | QuestionClosed
    | ToolStarted
    | ToolFinished
    | AnswerCompleted
    | TurnFailed
    | FirstAudioReady
    | SpeechFinished
    | OverlapSuspected
    | OverlapHeard
    | OverlapDismissed
    | OverlapConfirmed
)
"""Events that belong to one turn."""

UserEvent = (
    WakeWordHeard
    | VoiceToggled
    | TurnBegan
    | StopPressed
    | ConversationLeft
    | MicrophoneLost
    | AnnouncementDue
    | RingingChanged
)
"""Events that do not belong to the current turn."""

Event = TurnEvent | UserEvent
