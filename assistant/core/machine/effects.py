"""What shall be done: the orders that the interaction machine gives.

Effects are imperatives. The voice session performs them in order; none returns a value.
"""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.errors import ErrorCode
from assistant.core.machine.events import Timer
from assistant.core.machine.states import Snapshot, TurnId
from assistant.core.messages import Attachment


class Origin(StrEnum):
    """Where a request came from."""

    VOICE = "voice"
    TEXT = "text"


class Cue(StrEnum):
    """Short sounds that tell the user what happened (V-20)."""

    AWAKE = "awake"
    HEARD = "heard"
    ERROR = "error"
    TIMER = "timer"


class Prompt(StrEnum):
    """Fixed sentences that Sori says by itself; the value is the key of the text."""

    MISHEARD = "prompt.misheard"
    END_QUESTION = "prompt.end_question"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginListening:
    """Listen for an utterance of ``turn``; with ``keep_onset``, from the first syllable already being spoken.

    With ``continues``, it may be the rest of that turn's request.
    """

    turn: TurnId
    keep_onset: bool = False
    continues: TurnId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndListening:
    """Drop what was being heard and only wait for the wake word."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTurn:
    """Answer ``text`` and the files that go with it.

    With ``again``, answer the newest message that is already stored; ``model`` names who shall, empty for the usual.
    With ``continues``, ``text`` takes the place of that turn's message, whose answer is withdrawn; where it has already
    done something, ``rest`` is the message instead.
    """

    turn: TurnId
    text: str
    origin: Origin
    speak: bool
    attachments: tuple[Attachment, ...] = ()
    again: bool = False
    model: str = ""
    continues: TurnId | None = None
    rest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTurn:
    """Stop the model and its tools; keep what was shown, and of what was being said only what was heard."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SayPrompt:
    """Say a fixed sentence as the speech of ``turn``."""

    turn: TurnId
    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class SayText:
    """Say ``text`` as the speech of ``turn``."""

    turn: TurnId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SayQuestion:
    """Say a question as the speech of ``turn``, after what it is already saying; ``again`` when no answer was clear."""

    turn: TurnId
    text: str
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuestion:
    """Give the turn the user's answer."""

    turn: TurnId
    question: str
    agrees: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakOn:
    """The question is over: what the turn still writes is read aloud again."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SayError:
    """Say what went wrong, after what is already being said."""

    turn: TurnId
    code: ErrorCode


@dataclass(frozen=True, slots=True, kw_only=True)
class StopSpeech:
    """Silence at once and forget what was still to be said."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckSpeech:
    """Lower the voice while it is unclear whether the user speaks."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreSpeech:
    """Raise the voice again."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTimer:
    """Report ``TimerFired`` after the settings' time for ``timer``, counted in audio time.

    With ``resumed``, after what was left of that time when the timer was last cancelled.
    """

    turn: TurnId
    timer: Timer
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTimer:
    """Forget a timer."""

    timer: Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayCue:
    """Play a short sound, if the user wants such sounds."""

    cue: Cue


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishState:
    """Show the new state."""

    snapshot: Snapshot


Effect = (
    BeginListening
    | EndListening
    | StartTurn
    | CancelTurn
    | SayPrompt
    | SayText
    | SayQuestion
    | AnswerQuestion
    | SpeakOn
    | SayError
    | StopSpeech
    | DuckSpeech
    | RestoreSpeech
    | StartTimer
    | CancelTimer
    | PlayCue
    | PublishState
)
