"""What a person at the controls can ask of the engine: from the window, the tray, the console or ``sori toggle``."""

from dataclasses import dataclass, field
from typing import Protocol

from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.messages import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitText:
    """Answer this typed message.

    Attributes:
        conversation: where it belongs; empty for the one that is open. In another it is answered beside what goes on.
    """

    text: str
    conversation: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answer a question of a turn (``Ask``); of several answers the first counts, and only before the deadline.

    Attributes:
        turn: the turn that asks.
        question: the question's id.
        choice: one of its choices.
    """

    turn: TurnId
    question: str
    choice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Answer the newest message of the user's again, without storing it twice; ``model`` is a reference (settings)."""

    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseModel:
    """Let this conversation be answered by ``model``, a reference; empty for as the settings say (P-23)."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels:
    """Look which models there are; ``ModelsOffered`` answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Stop this turn, of whichever conversation; without one, whatever is going on in the open conversation."""

    turn: TurnId = NO_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class ToggleVoice:
    """Begin or end a spoken conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMuted:
    """Mute or unmute the microphone; muted, nothing is heard, not even the wake word."""

    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissTimers:
    """Let every timer that rings be quiet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTimer:
    """Cancel the timer of this id, whether it runs or rings."""

    timer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversation:
    """Leave this conversation in the store and open an empty one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenConversation:
    """Show this conversation and go on with it; what is being answered in another is stopped first."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConversations:
    """``ConversationsListed`` answers, with those that ``query`` finds; all of them where it is empty."""

    query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameConversation:
    """Call a conversation this; with an empty title, what its first message says."""

    conversation: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteConversation:
    """Hide a conversation, and remove it from the disk unless ``RestoreConversation`` comes in time."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreConversation:
    """Take a deletion back, while ``ConversationDeleted`` says that this can be done."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadEarlier:
    """``EarlierLoaded`` answers, with messages of the open conversation that came before the one of this id."""

    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """End the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKeptModels:
    """Look which weights are on this machine or could be fetched; ``ModelsKept`` answers, and follows every change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchModel:
    """Fetch the weights of this model, or go on with it after a pause."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseFetch:
    """Fetch no more of this model until ``FetchModel``, also after a restart."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveModel:
    """Delete the weights of this model."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreKey:
    """Keep the API key of a provider, and use it from now on.

    Attributes:
        provider: its name; one that the settings do not have is a vendor's, and is added to them.
        key: the key.
        in_file: whether the user consents to a file of Sori's folder, where there is no keyring.
    """

    provider: str
    key: str = field(repr=False)
    in_file: bool = False


ModelControl = ListKeptModels | FetchModel | PauseFetch | RemoveModel | StoreKey
"""What concerns the weights on this machine and the keys of providers."""

ConversationControl = (
    NewConversation
    | OpenConversation
    | ListConversations
    | RenameConversation
    | DeleteConversation
    | RestoreConversation
    | LoadEarlier
)
"""What concerns the stored conversations."""

TimerControl = DismissTimers | CancelTimer
"""What concerns timers."""

Control = (
    SubmitText
    | Answer
    | Retry
    | ChooseModel
    | ListModels
    | Stop
    | ToggleVoice
    | SetMuted
    | ConversationControl
    | TimerControl
    | ModelControl
    | Quit
)


class Controls(Protocol):
    """Where controls are sent; safe to call from any thread."""

    def send(self, control: Control) -> None:
        """Hand a control to the engine; returns at once."""
        ...
