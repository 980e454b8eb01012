"""What has happened: the facts that the interaction machine is told.

Events are past participles. Every event that belongs to a turn carries its ``turn``, so that what a cancelled turn
still says is dropped in one line.
"""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.errors import ErrorCode
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment


class Meaning(StrEnum):
    """What an utterance means to the conversation itself, decided by code before any model sees it."""

    REQUEST = "request"
    CLOSING = "closing"
    STOP = "stop"
    YES = "yes"
    NO = "no"


class Timer(StrEnum):
    """The timers that the machine can ask for."""

    SILENCE = "silence"
    """Nobody has spoken since listening began."""

    ANSWER = "answer"
    """A question that was asked aloud has had no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeWordHeard:
    """The wake word was recognised."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceToggled:
    """The user switched voice mode on or off: tray, button, shortcut or ``sori toggle``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSubmitted:
    """The user sent a typed message; ``speak`` says whether the answer is also read aloud."""

    text: str
    speak: bool = False
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPressed:
    """The user wants the newest message answered again, by ``model`` (a reference) where one is named."""

    model: str = ""
    speak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StopPressed:
    """The user wants whatever is going on to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicrophoneLost:
    """The microphone went away or was muted; listening cannot go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementDue:
    """Sori has something to say by itself, such as a timer that rings.

    Attributes:
        text: what to say.
        awaits_reply: whether to listen afterwards, for "stop" or a request, without a wake word.
    """

    text: str
    awaits_reply: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted:
    """The user began to speak while being listened to.

    With ``overheard``, so shortly after Sori's own voice that it may be its echo.
    """

    turn: TurnId
    overheard: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceTranscribed:
    """The user finished an utterance and it was understood as ``text``.

    With ``continues``, the request of that turn had been cut in two: ``text`` is both halves, ``rest`` the second.
    """

    turn: TurnId
    text: str
    meaning: Meaning = Meaning.REQUEST
    continues: TurnId | None = None
    rest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceRejected:
    """Sound ended without words; ``was_speech`` tells unintelligible speech from noise."""

    turn: TurnId
    was_speech: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerFired:
    """A timer that the machine started has run out."""

    turn: TurnId
    timer: Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """The turn asks the user ``text`` and waits."""

    turn: TurnId
    question: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionClosed:
    """The question was answered, by whichever way, or waits no more."""

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
    """The model has finished; ``will_speak`` when some of the answer is still to be heard."""

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
    """All of this turn's speech has been played, or none of it could be made."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapSuspected:
    """Something like speech is heard over the running turn."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapDismissed:
    """It was not speech after all."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapConfirmed:
    """The user really speaks over the running turn: barge-in.

    With ``soon``, so shortly after the request that this may be the rest of it.
    """

    turn: TurnId
    soon: bool = False


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
    | OverlapDismissed
    | OverlapConfirmed
)
"""Events that belong to one turn."""

UserEvent = WakeWordHeard | VoiceToggled | TextSubmitted | RetryPressed | StopPressed | MicrophoneLost | AnnouncementDue
"""Events that come from outside any turn."""

Event = TurnEvent | UserEvent
