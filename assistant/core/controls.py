"""Controls: the former form of the requests (``core/service/requests``), until all callers have moved to them."""

from dataclasses import dataclass, field
from typing import Protocol

from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.messages import Attachment
from assistant.core.records.agents import AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitText:
    """Answer this typed message.

    Attributes:
        conversation: id of its conversation; empty for the open one. A message for another conversation is answered in
            parallel to the open one.
    """

    text: str
    conversation: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answer a question of a turn (``Ask``). Only the first answer counts, and only before the deadline.

    Attributes:
        turn: id of the turn that asks.
        question: the question's id.
        choice: one of the question's choices.
        text: the words of the choice ``ANSWER_TEXT``.
    """

    turn: TurnId
    question: str
    choice: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowQuestion:
    """A person can see a question of a turn now (``Ask``): its time counts from the first such control."""

    turn: TurnId
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Answer the user's newest message again without storing it twice; ``model`` is a model reference (settings)."""

    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regenerate:
    """Answer the question before an answer of the open conversation anew. The former answer stays as a version.

    Attributes:
        message: id of a message of the answer.
        model: a model reference (settings); empty for the usual choice.
    """

    message: str
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EditMessage:
    """Replace a message of the user in the open conversation, and answer it. The former message stays as a version.

    Attributes:
        message: its id.
        text: its new text.
        attachments: its new files; empty to keep those it has.
    """

    message: str
    text: str
    attachments: tuple[Attachment, ...] = ()


EditMessage = _EditMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChooseModel:
    """Use ``model``, a model reference, in this conversation; empty restores the choice of the settings (P-23)."""

    model: str


ChooseModel = _ChooseModel


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListModels:
    """List the models that can be chosen; the reply is ``ModelsOffered``."""


ListModels = _ListModels


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListTraces:
    """List the newest traces of turns; the reply is ``TracesListed``."""


ListTraces = _ListTraces


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListNames:
    """List the agents of the current workspace with their wake phrases; the reply is ``NamesListed``."""


ListNames = _ListNames


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetWakePhrase:
    """Call this agent by another wake phrase; empty for none. The reply is ``NamesListed``."""

    agent: AgentId
    phrase: str


SetWakePhrase = _SetWakePhrase


@dataclass(frozen=True, slots=True, kw_only=True)
class _EnrolName:
    """Listen to the user who says the wake phrase of this agent; the replies are ``EnrolmentChanged``."""

    agent: AgentId


EnrolName = _EnrolName


@dataclass(frozen=True, slots=True, kw_only=True)
class _StopEnrolment:
    """End the enrolment that is going on; nothing of it is kept."""


StopEnrolment = _StopEnrolment


@dataclass(frozen=True, slots=True, kw_only=True)
class _ForgetEnrolment:
    """Forget how the user says the wake phrase of this agent. The reply is ``NamesListed``."""

    agent: AgentId


ForgetEnrolment = _ForgetEnrolment


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListMcpServers:
    """List the states of the MCP servers; the reply is ``McpServersListed``."""


ListMcpServers = _ListMcpServers


@dataclass(frozen=True, slots=True, kw_only=True)
class _RestartMcpServer:
    """Start this MCP server again at once."""

    server: str


RestartMcpServer = _RestartMcpServer


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListTools:
    """List the tools of the agent to which the open conversation belongs; the reply is ``ToolsListed``."""


ListTools = _ListTools


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stop:
    """Stop this turn in any conversation; without a turn, stop all activity in the open conversation."""

    turn: TurnId = NO_TURN


Stop = _Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToggleVoice:
    """Begin or end a spoken conversation."""


ToggleVoice = _ToggleVoice


@dataclass(frozen=True, slots=True, kw_only=True)
class _HoldToTalk:
    """The user holds the key or button for talking, or releases it. The utterance lasts as long as it is held."""

    held: bool


HoldToTalk = _HoldToTalk


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetMuted:
    """Mute or unmute the microphone. A muted microphone does not detect the wake word either."""

    muted: bool


SetMuted = _SetMuted


@dataclass(frozen=True, slots=True, kw_only=True)
class _DismissTimers:
    """Silence all ringing timers."""


DismissTimers = _DismissTimers


@dataclass(frozen=True, slots=True, kw_only=True)
class _CancelTimer:
    """Cancel this timer, whether it is running or ringing."""

    timer: str


CancelTimer = _CancelTimer


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewConversation:
    """Open an empty conversation; the current one stays in the store."""


NewConversation = _NewConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class _SwitchAgent:
    """Begin a new conversation with an agent, or with the default agent of a workspace; one of the two is empty."""

    agent: str = ""
    workspace: str = ""


SwitchAgent = _SwitchAgent


@dataclass(frozen=True, slots=True, kw_only=True)
class _UndoMemory:
    """Undo this change of the memory; empty for the newest one."""

    change: str = ""


UndoMemory = _UndoMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenConversation:
    """Open a stored conversation. In the current one, an answer that is read aloud stops; any other goes on.

    Attributes:
        message: id of the message that the user wants to see; empty for the newest one.
    """

    conversation: str
    message: str = ""


OpenConversation = _OpenConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListConversations:
    """List the conversations that match ``query``, all if it is empty; the reply is ``ConversationsListed``."""

    query: str = ""


ListConversations = _ListConversations


@dataclass(frozen=True, slots=True, kw_only=True)
class _RenameConversation:
    """Set the title of a conversation; an empty title restores the one from its first message."""

    conversation: str
    title: str


RenameConversation = _RenameConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class _DeleteConversation:
    """Hide a conversation. It is removed from the disk unless ``RestoreConversation`` follows in time."""

    conversation: str


DeleteConversation = _DeleteConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class _RestoreConversation:
    """Undo a deletion, within the time that ``ConversationDeleted`` gives."""

    conversation: str


RestoreConversation = _RestoreConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadEarlier:
    """Load messages of the open conversation before the one with this id, the newest ones if it is empty.

    The reply is ``EarlierLoaded``.
    """

    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShowVersion:
    """Show the version of the open conversation in which a message stands (``Message.versions``)."""

    message: str


ShowVersion = _ShowVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class _BranchConversation:
    """Open a new conversation that begins with the messages of the open one, up to this message."""

    message: str


BranchConversation = _BranchConversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """End the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListKeptModels:
    """List the weights on this machine and those to fetch; the reply is ``ModelsKept``, repeated on changes."""


ListKeptModels = _ListKeptModels


@dataclass(frozen=True, slots=True, kw_only=True)
class _FetchModel:
    """Fetch the weights of this model, or resume a paused fetch."""

    model: str


FetchModel = _FetchModel


@dataclass(frozen=True, slots=True, kw_only=True)
class _PauseFetch:
    """Pause the fetch of this model until ``FetchModel``, also across restarts."""

    model: str


PauseFetch = _PauseFetch


@dataclass(frozen=True, slots=True, kw_only=True)
class _RemoveModel:
    """Delete the weights of this model."""

    model: str


RemoveModel = _RemoveModel


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoreKey:
    """Store the API key of a provider and use it from now on.

    Attributes:
        provider: the provider's name. A name that is missing in the settings is a vendor's, and is added to them.
        key: the key.
        in_file: whether the user consents to storing the key in a file of Sori's folder when there is no keyring.
    """

    provider: str
    key: str = field(repr=False)
    in_file: bool = False


StoreKey = _StoreKey


ModelControl = ListKeptModels | FetchModel | PauseFetch | RemoveModel | StoreKey
"""Controls for the weights on this machine and the keys of providers."""

ConversationControl = (
    NewConversation
    | OpenConversation
    | ListConversations
    | RenameConversation
    | DeleteConversation
    | RestoreConversation
    | LoadEarlier
    | ShowVersion
    | BranchConversation
)
"""Controls for the stored conversations."""

TimerControl = DismissTimers | CancelTimer
"""Controls for timers."""

NameControl = ListNames | SetWakePhrase | EnrolName | StopEnrolment | ForgetEnrolment
"""Controls for the names by which agents are called."""

Control = (
    SubmitText
    | Answer
    | ShowQuestion
    | Retry
    | Regenerate
    | EditMessage
    | ChooseModel
    | ListModels
    | ListTools
    | ListTraces
    | ListMcpServers
    | RestartMcpServer
    | SwitchAgent
    | UndoMemory
    | Stop
    | ToggleVoice
    | HoldToTalk
    | SetMuted
    | ConversationControl
    | TimerControl
    | NameControl
    | ModelControl
    | Quit
)


class Controls(Protocol):
    """The receiver of controls. Safe to call from any thread."""

    def send(self, control: Control) -> None:
        """Pass a control to the engine and return at once."""
        ...
