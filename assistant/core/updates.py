"""Events: what the engine reports to its clients without being asked.

Events are immutable facts and safe to pass to another thread. Those with a conversation reach the clients that follow
it, all others reach every client.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assistant.core.knowledge.files import FileState, Project
from assistant.core.machine.states import NO_TURN, Snapshot, TurnId
from assistant.core.messages import Message
from assistant.core.packets import Packet
from assistant.core.records.agents import SORI, AgentShown
from assistant.core.records.conversations import ConversationMark
from assistant.core.records.flows import FlowShown
from assistant.core.records.memory import MemoryChange
from assistant.core.records.names import Enrolment


class Severity(StrEnum):
    """The importance of a notice."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The machine's state is now ``snapshot``; its voice session uses ``conversation``."""

    conversation: str
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelMeasured:
    """Microphone level over the last 50 ms in dBFS, -96 for silence."""

    level_db: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialHeard:
    """The partial transcript of the current utterance; its first ``stable`` characters will not change."""

    conversation: str
    turn: TurnId
    text: str
    stable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceBegun:
    """Sori begins to say ``text``, the next sentence of what ``turn`` says."""

    conversation: str
    turn: TurnId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageAdded:
    """A message of the user's was saved and must be shown.

    Attributes:
        conversation: its conversation.
        turn: its turn.
        message: the message.
        spoken: whether the user said it to the microphone.
    """

    conversation: str
    turn: TurnId
    message: Message
    spoken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketEmitted:
    """A turn emitted a packet.

    Attributes:
        number: counts the packets of the turn from 1, without a gap. A packet that repeats several, because somebody
            came late, has the number of the last of them.
    """

    conversation: str
    turn: TurnId
    packet: Packet
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerInterrupted:
    """The user barged in on the answer of ``turn``."""

    conversation: str
    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWithdrawn:
    """The message of ``turn`` was half of a request. Remove it and its answer; the whole request follows."""

    conversation: str
    turn: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationOpened:
    """Another conversation is now open, with its newest messages.

    Of a turn that is still answered there, ``messages`` contains only the user's message. Its packets follow, beginning
    with the first one.

    Attributes:
        more: whether there are older messages, which ``LoadMessages`` loads.
        wanted: id of the message that the user wants to see; empty for the newest one.
        agent: the agent that answers there.
        title: its title; empty when it holds nothing to derive one from.
        project: the project that it is about; ``None`` for none.
        has_projects: whether there are any projects to choose from.
    """

    conversation: str
    messages: tuple[Message, ...]
    more: bool = False
    wanted: str = ""
    agent: AgentShown = SORI
    title: str = ""
    project: Project | None = None
    has_projects: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsChanged:
    """The list of conversations has changed. Views that show it request it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationMarked:
    """What goes on in a conversation has changed.

    Attributes:
        conversation: its id.
        mark: what goes on in it.
        turn: its running turn, for ``StopTurn``; ``NO_TURN`` for none.
        question: the text of its open question; empty for none.
    """

    conversation: str
    mark: ConversationMark
    turn: TurnId = NO_TURN
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationDeleted:
    """A conversation is hidden. It can be restored for ``undo_s`` seconds; then it is removed from the disk."""

    conversation: str
    title: str
    undo_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesDeleted:
    """Messages of a conversation are hidden. ``RestoreMessages`` undoes it for ``undo_s`` seconds; then they are gone.

    Attributes:
        conversation: the conversation, which was shown anew before (``ConversationOpened``).
        deletion: names the deletion for ``RestoreMessages``.
        count: how many questions and answers were deleted.
        undo_s: how long it can be undone.
    """

    conversation: str
    deletion: str
    count: int
    undo_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgressed:
    """How far an import is, for the client that asked for it.

    Attributes:
        path: the file.
        added: conversations that were added so far.
        passed: conversations that were read so far, also those that were there already or cannot be taken.
        fraction: the part of the file that was read, from 0 to 1; ``None`` where it cannot be told.
    """

    path: str
    added: int
    passed: int
    fraction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanged:
    """A fact was remembered or forgotten. ``UndoMemory`` undoes it."""

    change: MemoryChange


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleChanged:
    """The people whom the user knows have changed. Views that show them request them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramChanged:
    """The bot, its state, its chats or its refused calls have changed. Views that show them request them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhonesChanged:
    """A phone has signed in or was changed, or the page for phones stands otherwise. Views request it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncChanged:
    """The account of several devices stands otherwise, or its devices have changed. Views request it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectsChanged:
    """Projects or their files have changed. Views that show them request them again.

    Attributes:
        projects: ids of the projects; empty if the list of projects has changed.
    """

    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgressed:
    """How far a file of a project is.

    Attributes:
        project: id of the project.
        file: id of the file.
        state: what is done with it.
        fraction: the part that was read, from 0 to 1.
    """

    project: str
    file: str
    state: FileState
    fraction: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChosen:
    """A conversation is about another project, or about none any more."""

    conversation: str
    project: Project | None = None


RINGS_NOTICE = "notice.rang"
"""``NoticePosted.key`` for a timer, an alarm or a reminder that rings or has rung; ``TimersChanged`` tells it too."""

SCHEDULED_NOTICE = "notice.scheduled."
"""How ``NoticePosted.key`` begins for a scheduled request that was carried out, missed or interrupted."""

TELEGRAM_CALL_NOTICE = "notice.telegram_refused"
"""``NoticePosted.key`` for a call of a chat that waits for the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowChanged:
    """The guided flow of a conversation has begun, stands elsewhere, waits or is over.

    Attributes:
        conversation: the conversation.
        flow: the flow; ``None`` if there is none any more.
    """

    conversation: str
    flow: FlowShown | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePosted:
    """A notice for the user outside the conversation.

    Attributes:
        key: names the text.
        severity: how important it is.
        values: fields of the text.
        about: what it is about; it replaces an earlier notice about the same thing. Empty for a notice that stays.
        detail: technical text, shown only to who asks for it.
        fetch: name of a model that can be fetched again; empty for none.
    """

    key: str
    severity: Severity = Severity.INFO
    values: dict[str, str] = field(default_factory=dict)
    about: str = ""
    detail: str = ""
    fetch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged:
    """Settings have changed, by whoever.

    Attributes:
        names: their dotted names, such as ``voice.speed``; ``providers`` for the list of providers.
        values: the new values of those that are one value, by name; lists of texts as lists, ``None`` for no value.
    """

    names: tuple[str, ...]
    values: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChosen:
    """The language model in use.

    Attributes:
        provider: its provider.
        model: its name.
        placeholder: whether it is the small model that ships with Sori.
        conversation: the conversation in which it answers; empty for all without a choice of their own.
        reference: the reference that was chosen there; empty for the choice of the settings.
    """

    provider: str
    model: str
    placeholder: bool
    conversation: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffer:
    """A model to choose. ``reference`` is for ``ChooseModel``; ``images`` means it is known to accept images."""

    reference: str
    provider: str
    model: str
    images: bool = False
    local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsOffered:
    """The models to choose from, as far as they are found."""

    models: tuple[ModelOffer, ...]


class Keeping(StrEnum):
    """Presence of a model's weights on this machine."""

    HERE = "here"
    ABSENT = "absent"
    DAMAGED = "damaged"
    FETCHING = "fetching"
    PAUSED = "paused"
    WAITING = "waiting"
    """No server could be reached. Sori tries again by itself."""
    FAILED = "failed"
    """It could not be fetched, and only the user can have it tried again."""


class MemoryFit(StrEnum):
    """Whether a language model finds room in the memory of this machine."""

    FITS = "fits"
    TIGHT = "tight"
    """Only when other programs give memory back."""
    TOO_BIG = "too_big"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptModel:
    """A model that Sori runs itself.

    Attributes:
        model: its name.
        title: its title.
        reference: the reference for ``ChooseModel``; empty for a model that does not answer.
        purpose: what it is for: ``llm``, ``stt``, ``tts``, ``wake`` or ``endpoint``.
        needed: whether the settings need it; without it, it is fetched again.
        languages: codes of its languages; ``*`` for many more.
        memory: bytes of memory that it takes while it is loaded; ``None`` when unknown.
        memory_measured: whether ``memory`` was measured; otherwise it is an estimate.
        fit: whether that finds room here now.
        korean: how well it answers in Korean where that was measured: ``good``, ``weak`` or ``none``; empty if not.
        tools: whether it can call tools where that was measured; ``None`` if not.
        size: size of its weights in bytes.
        licence: licence of its weights; empty when unknown.
        keeping: presence of its weights.
        fraction: the fetched part, from 0 to 1, while it is not whole.
        left: remaining time of the fetch, in the user's words; empty when unknown.
        trouble: why it is waiting or failed, in the user's words.
        detail: the technical text of that.
        own: whether the user added it; such weights cannot be fetched again.
        third_party: whether it comes from packages that someone other than its makers uploaded.
        tokens_per_s: its measured speed on this machine; ``None`` before it has written enough.
    """

    model: str
    title: str
    reference: str
    size: int
    licence: str
    keeping: Keeping
    fraction: float = 0.0
    left: str = ""
    trouble: str = ""
    detail: str = ""
    own: bool = False
    third_party: bool = False
    tokens_per_s: float | None = None
    purpose: str = "llm"
    needed: bool = False
    languages: tuple[str, ...] = ()
    memory: int | None = None
    memory_measured: bool = False
    fit: MemoryFit = MemoryFit.UNKNOWN
    korean: str = ""
    tools: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlace:
    """A provider that takes an API key.

    Attributes:
        provider: its name.
        kind: its kind; names the vendor when the settings do not contain the provider yet.
        has_key: whether there is a key.
        configured: whether the settings contain it.
    """

    provider: str
    kind: str
    has_key: bool
    configured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsKept:
    """The weights on this machine, those that can be fetched, and the providers that take a key.

    Attributes:
        models: models that Sori runs itself; language models come first.
        keys: providers; those in the settings come first.
        keyring: whether the system has a keyring for keys.
        file: the file for keys without a keyring, used if the user consents.
        loaded: the language model that is loaded now; empty for none.
        loaded_memory: bytes of memory that it takes; ``None`` when unknown.
        memory_total: bytes of memory of this machine; ``None`` when unknown.
        memory_free: bytes of it that programs can still take, measured now; ``None`` when unknown.
    """

    models: tuple[KeptModel, ...]
    keys: tuple[KeyPlace, ...]
    keyring: bool
    file: str
    loaded: str = ""
    loaded_memory: int | None = None
    memory_total: int | None = None
    memory_free: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A model that is better than the small one and fits this machine.

    Attributes:
        reference: its reference for ``AdoptModel``.
        title: its title.
        provider: the server on this machine that has it; empty for one that Sori runs itself.
        size: size of its weights in bytes; 0 for a server's model.
        licence: licence of its weights; empty when unknown.
        tokens_per_s: its speed here, measured, or expected from that of the small one; ``None`` when unknown.
        to_fetch: whether it must be fetched first.
    """

    reference: str
    title: str
    provider: str = ""
    size: int = 0
    licence: str = ""
    tokens_per_s: float | None = None
    to_fetch: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSuggested:
    """The small model was too weak for a request, and a better one fits. Told once a day at most."""

    suggestion: Suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedModelMemory:
    """Sori's own language model was loaded or unloaded.

    Attributes:
        model: its name.
        size: size of its file in bytes, 0 when unknown.
        memory: memory of its process in bytes; 0 when it is not loaded, ``None`` when the system does not report it.
    """

    model: str
    size: int
    memory: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceAvailable:
    """The devices for hearing and speaking: their names, or the reason for a missing one (empty reason = usable).

    ``called`` is what wakes Sori, as it is said: the name of the agent that answers, else the wake word; empty without
    either.
    """

    microphone: str
    microphone_reason: str
    speaker: str
    speaker_reason: str
    muted: bool
    wake_word: str = ""
    called: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineProgressed:
    """Progress of a component: ``part`` names it (a text key), ``fraction`` runs from 0 to 1 and is 1 when ready.

    ``left`` is the remaining time in the user's words; empty when unknown. ``doing`` is the text key of what is being
    done, empty if ``part`` says it.
    """

    part: str
    fraction: float
    left: str = ""
    doing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsRead:
    """How much of a model's weights has been fetched or checked, for the client that asked for it.

    Attributes:
        model: the model.
        done: bytes so far.
        total: bytes of all its files.
    """

    model: str
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """How much of a file of a message has been read, for the client that prepares it.

    Attributes:
        file: the client's own id for it.
        fraction: from 0 to 1.
    """

    file: str
    fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerShown:
    """A timer to show.

    Attributes:
        id: the id for ``CancelTimer``.
        title: its title in the user's language, such as "pasta timer".
        due_at: when it rings, ISO 8601 with offset.
        ringing: whether it is ringing.
        alarm: whether it is an alarm or a reminder, which ``title`` names completely.
    """

    id: str
    title: str
    due_at: str
    ringing: bool = False
    alarm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimersChanged:
    """The running and ringing timers, earliest due first."""

    timers: tuple[TimerShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesChanged:
    """What is known of the names of agents has changed. Views that show them request them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolmentChanged:
    """How far an enrolment is (V-06)."""

    enrolment: Enrolment


class SoundCheckStage(StrEnum):
    """What happens in a check of the sound."""

    SPEAK = "speak"
    """The user should say something."""
    SOUND = "sound"
    """The test sound is played; the user should be quiet."""
    REPLAY = "replay"
    """The user's voice is played back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundCheckProgressed:
    """How far ``CheckSound`` is."""

    stage: SoundCheckStage


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingChanged:
    """How far a text is that is read aloud on request (D-09).

    Attributes:
        sentence: number of the present sentence, from 1; 0 before the first one is heard.
        sentences: number of its sentences; 0 when nothing is read any more.
        paused: whether the user has paused it.
    """

    sentence: int = 0
    sentences: int = 0
    paused: bool = False


class DictationStage(StrEnum):
    """What happens in a dictation."""

    LISTENING = "listening"
    READING = "reading"
    """The user has ended it; the last words are still being read."""
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class DictationChanged:
    """How far a dictation is (D-08), for the client that types. Nothing of it is kept.

    Attributes:
        stage: what happens.
        heard: what is heard of the present utterance; its first ``stable`` characters will not change.
        stable: length in characters of the prefix that will not change.
        unheard: whether the last utterance was not understood.
        trouble: why it cannot go on, in the user's words.
    """

    stage: DictationStage
    heard: str = field(default="", repr=False)
    stable: int = 0
    unheard: bool = False
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DictationWritten:
    """What changes at the cursor, for the client that types.

    Attributes:
        erased: characters before the cursor to be removed first.
        text: what is written then.
    """

    erased: int
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStopped:
    """The engine has ended and sends nothing more.

    Attributes:
        reason: empty after a requested end.
        worded: whether the reason says in the user's words what is wrong and what to do.
        hung: whether it hangs. Only a new process can replace it then.
    """

    reason: str = ""
    worded: bool = False
    hung: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedTurn:
    """A turn of which a client missed packets; ``packet`` is the number of the first one that it missed."""

    conversation: str
    turn: TurnId
    packet: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """The client took events too slowly, and some were dropped here. What it shows must be fetched again.

    The newest states (``StateChanged``, ``VoiceAvailable``, timers, marks) follow by themselves.

    Attributes:
        count: number of dropped events.
        conversations: conversations of which something was dropped, for ``FollowConversation``.
        turns: their turns of which packets were dropped, for ``FollowTurn``.
    """

    count: int
    conversations: tuple[str, ...]
    turns: tuple[MissedTurn, ...] = ()


ConversationUpdate = (
    PartialHeard
    | SentenceBegun
    | MessageAdded
    | PacketEmitted
    | AnswerInterrupted
    | TurnWithdrawn
    | ConversationOpened
    | MessagesDeleted
    | ProjectChosen
    | FlowChanged
)
"""What one conversation shows."""
ListUpdate = ConversationsChanged | ConversationMarked | ConversationDeleted | ImportProgressed
"""The list of conversations."""
ModelsUpdate = ModelsOffered | ModelsKept | EmbeddedModelMemory | WeightsRead | ModelSuggested
"""The models to choose from."""
EngineUpdate = StateChanged | LevelMeasured | VoiceAvailable | ModelChosen | EngineProgressed | EngineStopped
"""The engine itself: its state, what it has loaded and how far it is."""
NameUpdate = NamesChanged | EnrolmentChanged
"""The names by which agents are called."""
ProjectUpdate = ProjectsChanged | FileProgressed
"""The projects and their files."""
DictationUpdate = DictationChanged | DictationWritten
"""A dictation, for the client that types."""

Update = (
    ConversationUpdate
    | ListUpdate
    | ModelsUpdate
    | EngineUpdate
    | NameUpdate
    | DictationUpdate
    | ProjectUpdate
    | ReadingChanged
    | FileReading
    | TimersChanged
    | MemoryChanged
    | PeopleChanged
    | TelegramChanged
    | PhonesChanged
    | SyncChanged
    | NoticePosted
    | SettingsChanged
    | SoundCheckProgressed
    | Missed
)

Publish = Callable[[Update], None]
"""Reports an event."""
