"""What is kept of Telegram: the bot, its updates, the linked chats and the calls that only the app may run."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class UpdateState(StrEnum):
    """What has become of an update."""

    RECEIVED = "received"
    """It is kept, and nothing was done with it."""
    ANSWERING = "answering"
    """Its turn has begun. After a restart this means that the turn was cut off; it does not begin again."""
    DONE = "done"
    """It has had its effect."""
    TOO_OLD = "too_old"
    """It came while Sori was away, and is too old or one too many. It never has an effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramUpdate:
    """One update of the Bot API.

    Attributes:
        update_id: Telegram's number of the update; a later update of a bot has a higher one.
        chat: Telegram's id of the chat.
        content: what the door needs of it, as JSON text of the door's own form; empty once it is over.
        sent_at: when it was sent, with time zone.
        state: what has become of it.
        turn: id of the turn that answers it; empty for none.
    """

    update_id: int
    chat: int
    content: str
    sent_at: datetime
    state: UpdateState = UpdateState.RECEIVED
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramChat:
    """A chat that the user has linked.

    Attributes:
        chat: Telegram's id of the chat; of a direct chat it is also the id of the account.
        name: how the account calls itself.
        workspace: id of the workspace; empty for none.
        agent: id of the agent that answers.
        conversation: id of the conversation that holds its messages; empty before the first one.
        linked_at: when it was linked, with time zone.
    """

    chat: int
    name: str
    workspace: str
    agent: str
    conversation: str = ""
    linked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramBot:
    """The bot of the token.

    Attributes:
        bot: Telegram's id of the bot, which its token begins with.
        username: the name by which it is found, without ``@``.
        name: its name for people.
    """

    bot: int
    username: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedCall:
    """A call that the gate refused because it came from a chat, for the user to run in the app.

    Attributes:
        id: the call's id, a UUID of version 7.
        chat: the chat from which it came.
        conversation: the conversation of the chat.
        tool: name of the tool.
        arguments: the arguments as JSON text, exactly as the gate froze them; empty once the call has begun.
        refused_at: when it was refused, with time zone.
    """

    id: str
    chat: int
    conversation: str
    tool: str
    arguments: str
    refused_at: datetime


class TelegramState(StrEnum):
    """Whether messages arrive, and why not."""

    OFF = "off"
    """The user has switched it off."""
    NO_TOKEN = "no_token"  # noqa: S105 - a state
    """There is no token of a bot."""
    NO_KEYRING = "no_keyring"
    """The token cannot be read."""
    NO_ENGINE = "no_engine"
    """Sori does not run, so nobody takes messages."""
    CONNECTING = "connecting"
    """Telegram has not answered yet."""
    RUNNING = "running"
    """Messages arrive."""
    OFFLINE = "offline"
    """Telegram cannot be reached; it is tried again."""
    TOKEN_REFUSED = "token_refused"  # noqa: S105 - a state
    """Telegram does not accept the token (HTTP 401 or 404). It is not tried again with this token."""
    CONFLICT = "conflict"
    """Another program takes the messages of this bot (HTTP 409); it is tried again."""
    WEBHOOK = "webhook"
    """Telegram sends the messages of this bot to a service on the web (HTTP 409); it is tried again."""
    ELSEWHERE = "elsewhere"
    """Another device of the account answers, or it is not known yet which one does."""
    BUSY = "busy"
    """Telegram asks to wait (HTTP 429)."""
    NOT_SAVED = "not_saved"
    """What arrives cannot be kept, such as on a full disk; it is tried again."""
    BROKEN = "broken"
    """Something in Sori failed; the log has the details."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramStanding:
    """How the door stands.

    Attributes:
        state: whether messages arrive, and why not.
        retry_at: when it is tried again, with time zone; ``None`` if it is not, or runs.
    """

    state: TelegramState
    retry_at: datetime | None = None
