"""Effects: the orders that the interaction machine gives.

The names of effects are imperatives. The voice session performs effects in order. No effect returns a value.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.errors import ErrorCode
from assistant.core.machine.events import Timer
from assistant.core.machine.states import Snapshot, TurnId


class Origin(StrEnum):
    """Where a request came from."""

    VOICE = "voice"
    TEXT = "text"


class Cue(StrEnum):
    """Short sounds for the user (V-20)."""

    AWAKE = "awake"
    HEARD = "heard"
    ERROR = "error"
    TIMER = "timer"


class Prompt(StrEnum):
    """Fixed sentences that Sori says without a model; the value is the key of the text."""

    MISHEARD = "prompt.misheard"
    END_QUESTION = "prompt.end_question"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginListening:
    """Listen for an utterance of the user's.

    Attributes:
        turn: id of the turn that the utterance begins or answers.
        keep_onset: whether the utterance includes the speech that was heard before this effect.
        continues: id of an earlier turn; the utterance may be the rest of that turn's request.
    """

    turn: TurnId
    keep_onset: bool = False
    continues: TurnId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndListening:
    """Discard the present utterance and wait for the wake word only."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTurn:
    """Answer what the user has said, and read the answer aloud.

    Attributes:
        turn: id of the turn.
        text: the words.
        continues: id of an earlier turn. ``text`` replaces that turn's message, and its answer is withdrawn. If that
            turn has already had effects, it stays, and ``rest`` is the message instead of ``text``.
        rest: the second half of a request that was cut in two.
    """

    turn: TurnId
    text: str
    continues: TurnId | None = None
    rest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinTurn:
    """Take a turn over that has begun without the machine; ``aloud`` when its answer is read aloud."""

    turn: TurnId
    aloud: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTurn:
    """Stop the model and its tools. Shown text stays; of spoken text the history keeps only the part that was heard."""

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
    """Say a question after the sentences that ``turn`` is already speaking; ``again`` after an unclear answer.

    ``words`` says that the answer is words, not yes or no.
    """

    turn: TurnId
    question: str
    text: str
    again: bool = False
    words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitAnswer:
    """The question with this id was heard: its time counts. Report ``TimerFired`` after ``within_s`` of audio time."""

    turn: TurnId
    question: str
    within_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuestion:
    """Give the turn the user's answer to the question with this id; ``agrees`` is ``None`` if there was none in time.

    ``text`` holds an answer in words, ``said`` the words of a yes or a no, which may cover more than one call.
    """

    turn: TurnId
    question: str
    agrees: bool | None
    text: str = ""
    said: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeReading:
    """Read the turn's further text aloud again, after a question."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class SayError:
    """Say the error after the sentences that ``turn`` is already speaking."""

    turn: TurnId
    code: ErrorCode


@dataclass(frozen=True, slots=True, kw_only=True)
class StopSpeech:
    """Stop speaking at once and discard the sentences not yet spoken."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckSpeech:
    """Lower the voice while it is unclear whether the user speaks."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseSpeech:
    """Be silent while it is unclear whether the user interrupts. No sound is lost."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreSpeech:
    """Speak on where the voice was paused, at full level."""

    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTimer:
    """Report ``TimerFired`` after the time that the settings give for a silence, counted in audio time.

    With ``resumed``, the time is what remained when the timer was last cancelled.
    """

    turn: TurnId
    timer: Timer
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTimer:
    """Stop a timer without ``TimerFired``."""

    timer: Timer


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayCue:
    """Play a short sound, unless the settings turn such sounds off."""

    cue: Cue


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishState:
    """Show the new state."""

    snapshot: Snapshot


Effect = (
    BeginListening
    | EndListening
    | StartTurn
    | JoinTurn
    | CancelTurn
    | SayPrompt
    | SayText
    | SayQuestion
    | AwaitAnswer
    | AnswerQuestion
    | ResumeReading
    | SayError
    | StopSpeech
    | DuckSpeech
    | PauseSpeech
    | RestoreSpeech
    | StartTimer
    | StopTimer
    | PlayCue
    | PublishState
)
