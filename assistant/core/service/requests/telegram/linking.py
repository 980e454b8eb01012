"""Requests that set the Telegram bot up, and link its chats to workspaces and agents (G-01)."""

from dataclasses import dataclass

from assistant.core.service.request import Request, Right
from assistant.core.telegram.records import TelegramBot, TelegramState


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChat:
    """A linked chat as the user reads it.

    Attributes:
        chat: Telegram's id of the chat.
        name: how the account calls itself.
        agent: the agent's name.
        workspace: the workspace's name; empty for the default one.
        conversation: id of its conversation; empty before the first message.
        linked_at: when it was linked, ISO 8601 with offset.
    """

    chat: int
    name: str
    agent: str
    workspace: str
    conversation: str
    linked_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCall:
    """A refused call as the user reads it.

    Attributes:
        id: the call's id.
        title: the tool's name.
        arguments: each argument's name and value, whole.
        chat: how the account calls itself.
        conversation: the conversation in which it runs.
        refused_at: when it was refused, ISO 8601 with offset.
    """

    id: str
    title: str
    arguments: tuple[tuple[str, str], ...]
    chat: str
    conversation: str
    refused_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramView:
    """All that is shown of Telegram.

    Attributes:
        state: whether messages arrive, and why not.
        words: the same in the user's words, with what can be done.
        bot: the bot; ``None`` if none was set up.
        chats: the linked chats.
        calls: the calls that wait for the user.
    """

    state: TelegramState
    words: str
    bot: TelegramBot | None
    chats: tuple[ShownChat, ...]
    calls: tuple[ShownCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenCode:
    """A code that links one chat.

    Attributes:
        code: the code, as it is sent to the bot.
        until: when it ends, ISO 8601 with offset.
        bot: the bot to which it is sent.
    """

    code: str
    until: str
    bot: TelegramBot


class ReadTelegram(Request[TelegramView], right=Right.OWN):
    """Read how Telegram stands."""


class SetUpTelegram(Request[TelegramBot], right=Right.OWN):
    """Keep the token of a bot, after Telegram has accepted it, and switch Telegram on. The result is the bot.

    The chats of another bot are forgotten.

    Attributes:
        token: the token, as BotFather gives it.
        in_file: keep it in a file that only this user can read, because there is no keyring.
    """

    token: str
    in_file: bool = False


class ForgetTelegram(Request[bool], right=Right.OWN):
    """Remove the token, and all that is kept of the bot and its chats. The result is whether there was a token."""


class MakeTelegramCode(Request[GivenCode], right=Right.OWN):
    """Make a code that links one chat, once, within ten minutes. A former code is worth nothing any more.

    Attributes:
        workspace: the workspace's folder; empty for the current one.
        agent: the agent's folder; empty for the default one of the workspace, or the current one.
    """

    workspace: str = ""
    agent: str = ""


class UnlinkTelegramChat(Request[bool], right=Right.OWN):
    """Answer a chat no longer. Its conversation stays. The result is whether it was linked.

    Attributes:
        chat: Telegram's id of the chat.
    """

    chat: int


class ClaimTelegramUpdate(Request[bool], right=Right.OWN):
    """Note that this device answers an update. The result is whether no device of the account has noted it before.

    Attributes:
        update: Telegram's number of the update.
    """

    update: int


class TelegramConversation(Request[str], right=Right.OWN):
    """The id of the conversation of a chat, which is made if there is none.

    Attributes:
        chat: Telegram's id of the chat.
    """

    chat: int
