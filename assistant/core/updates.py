"""What the engine tells whoever shows it: the window, the console, a test.

Updates are facts, immutable, and safe to hand to another thread.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.conversations import ConversationEntry
from assistant.core.machine.states import Snapshot, TurnId
from assistant.core.messages import Message
from assistant.core.packets import Packet


class Severity(StrEnum):
    """How much a notice matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The machine's state is now ``snapshot``; it talks in ``conversation``."""

    conversation: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelMeasured:
    """Loudness of the microphone over the last 50 ms in dBFS, -96 for silence."""

    level_db: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialHeard:
    """What has been understood so far of what the user is saying; the first ``stable`` characters will not change."""

    conversation: str
    turn: TurnId
    text: str
    stable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAdded:
    """A message was saved and shall be shown: the user's own, or an announcement such as a timer that rings."""

    conversation: str
    turn: TurnId
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketEmitted:
    """The running turn emitted a packet."""

    conversation: str
    turn: TurnId
    packet: Packet


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerInterrupted:
    """The user spoke over the answer of ``turn``."""

    conversation: str
    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWithdrawn:
    """The message of ``turn`` was half of one; with its answer it is gone, and the whole follows."""

    conversation: str
    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationOpened:
    """Another conversation is now shown, with its newest messages.

    Attributes:
        more: whether there are older ones, which ``LoadEarlier`` asks for.
    """

    conversation: str
    messages: tuple[Message, ...]
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierLoaded:
    """Messages of a conversation, oldest first, that came before those that are shown; ``more`` came before these."""

    conversation: str
    messages: tuple[Message, ...]
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsChanged:
    """The list of conversations is not what it was; whoever shows it asks for it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsListed:
    """The conversations that ``query`` finds, the one that was written in last first."""

    query: str
    entries: tuple[ConversationEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationDeleted:
    """A conversation is hidden; for ``undo_s`` seconds it can be restored, then it is removed from the disk."""

    conversation: str
    title: str
    undo_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePosted:
    """Something to tell the user outside the conversation; ``key`` names the text."""

    key: str
    severity: Severity = Severity.INFO
    values: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChosen:
    """The language model in use; ``placeholder`` when it is the small stand-in that ships with Sori."""

    provider: str
    model: str
    placeholder: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffer:
    """A model to choose; ``reference`` is what ``ChooseModel`` takes, ``images`` whether it is known to see."""

    reference: str
    provider: str
    model: str
    images: bool = False
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsOffered:
    """The models that can be chosen, and the reference that this conversation has chosen (empty for none).

    Attributes:
        searching: whether more may be found at any moment.
    """

    chosen: str
    models: tuple[ModelOffer, ...]
    searching: bool = False


class Keeping(StrEnum):
    """How much of a model's weights is on this machine."""

    HERE = "here"
    ABSENT = "absent"
    DAMAGED = "damaged"
    FETCHING = "fetching"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptModel:
    """A model for Sori's own server.

    Attributes:
        model: its name.
        title: what it is.
        reference: what ``ChooseModel`` takes.
        size: bytes of its weights.
        licence: under which they may be used; empty where nobody knows.
        keeping: how much of it is here.
        fraction: how much of it is here while it is fetched or paused, from 0 to 1.
        left: how long fetching still takes, in the user's words; empty where nobody knows.
        own: whether the user has put it there; nobody could fetch it again.
        third_party: whether it comes from packages that others than its makers have uploaded.
        tokens_per_s: what it was seen to write on this machine; ``None`` before it has written enough.
    """

    model: str
    title: str
    reference: str
    size: int
    licence: str
    keeping: Keeping
    fraction: float = 0.0
    left: str = ""
    own: bool = False
    third_party: bool = False
    tokens_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlace:
    """A provider that takes an API key.

    Attributes:
        provider: its name.
        kind: its kind; names the vendor where the settings do not have it yet.
        has_key: whether there is a key.
        configured: whether the settings have it.
    """

    provider: str
    kind: str
    has_key: bool
    configured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsKept:
    """The weights on this machine, those that could be fetched, and the providers that take a key.

    Attributes:
        models: for Sori's own server.
        keys: providers, those of the settings first.
        keyring: whether the system has a keyring for keys.
        file: where keys are kept otherwise, if the user consents.
    """

    models: tuple[KeptModel, ...]
    keys: tuple[KeyPlace, ...]
    keyring: bool
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedModelMemory:
    """Sori's own language model was loaded, or its memory given back.

    Attributes:
        model: its name.
        size: bytes of its file, 0 when unknown.
        memory: bytes that its process holds; 0 when it is not loaded, ``None`` where the system does not tell.
    """

    model: str
    size: int
    memory: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceAvailable:
    """What can be heard and said: device names, or why there is none (empty reason = usable)."""

    microphone: str
    microphone_reason: str
    speaker: str
    speaker_reason: str
    muted: bool
    wake_word: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineProgressed:
    """A part is being made ready: ``part`` names it (a text key), ``fraction`` from 0 to 1, 1 when ready.

    ``left`` says in the user's words how long it still takes; empty where nobody knows.
    """

    part: str
    fraction: float
    left: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerShown:
    """A timer as it is shown.

    Attributes:
        id: what ``CancelTimer`` takes.
        title: what it is called in the user's language, such as "pasta timer".
        due_at: the instant at which it rings, ISO 8601 with offset.
        ringing: whether it rings now.
    """

    id: str
    title: str
    due_at: str
    ringing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimersChanged:
    """The timers that run and ring, the first to be due first."""

    timers: tuple[TimerShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStopped:
    """The engine has ended; nothing follows. ``reason`` is empty when it was asked to."""

    reason: str = ""


Update = (
    StateChanged
    | LevelMeasured
    | PartialHeard
    | MessageAdded
    | PacketEmitted
    | AnswerInterrupted
    | TurnWithdrawn
    | ConversationOpened
    | EarlierLoaded
    | ConversationsChanged
    | ConversationsListed
    | ConversationDeleted
    | NoticePosted
    | ModelChosen
    | ModelsOffered
    | ModelsKept
    | EmbeddedModelMemory
    | VoiceAvailable
    | EngineProgressed
    | TimersChanged
    | EngineStopped
)
