"""What keeps the records of Telegram, and who is told what happens to them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from assistant.core.telegram.codes import LinkCode, LinkResult
from assistant.core.telegram.records import (
    RefusedCall,
    TelegramBot,
    TelegramChat,
    TelegramStanding,
    TelegramUpdate,
    UpdateState,
)


class TelegramStore(Protocol):
    """Keeps updates, chats, the code and refused calls.

    All methods may be called on any event loop. Every write is one durable transaction. All raise ``StorageError`` when
    the records cannot be read or written; then nothing has changed.
    """

    async def receive(self, updates: Sequence[TelegramUpdate]) -> tuple[TelegramUpdate, ...]:
        """Keep updates; returns those to answer that were not kept before, by their numbers.

        Only after this may Telegram be told that they have arrived.
        """
        ...

    async def take_up(self) -> tuple[TelegramUpdate, ...]:
        """The updates that wait when a door is opened: received or being answered, by their numbers."""
        ...

    async def open_updates(self) -> tuple[TelegramUpdate, ...]:
        """The updates that are received or being answered, by their numbers."""
        ...

    async def begin(self, update_id: int, turn: str) -> bool:
        """Note the turn that answers an update. Returns whether the update was ``RECEIVED`` until now."""
        ...

    async def note(self, update_id: int, content: str) -> None:
        """Keep other content of an open update: how far its answer is."""
        ...

    async def share(self) -> None:
        """Return when the user's other devices can know what is kept of the open updates."""
        ...

    async def end(self, update_id: int, state: UpdateState, left: str = "") -> None:
        """Note that an update is ``DONE`` or ``TOO_OLD``. Its content is forgotten but for what is ``left`` of it."""
        ...

    async def answered(self, chat: int, most: int) -> tuple[TelegramUpdate, ...]:
        """The newest updates of a chat that are over and of which something is left, the newest one last."""
        ...

    async def link(self, update: TelegramUpdate, letters: str, *, name: str, now: datetime) -> LinkResult:
        """Try to link the chat of an update by a code, and note that the update is done.

        The rules are ``codes.attempt``. A chat that was linked is linked anew, with a new conversation; its update
        stays open if the result is none of ``codes.GIVEN_OUT``.

        Args:
            update: the update.
            letters: what ``written_code`` has read in it.
            name: how the account calls itself.
            now: the time, with time zone.
        """
        ...

    async def chats(self) -> tuple[TelegramChat, ...]:
        """The linked chats, in the order in which they were linked."""
        ...

    async def chat(self, chat: int) -> TelegramChat | None:
        """A linked chat; ``None`` for one that is not linked."""
        ...

    async def chat_in(self, conversation: str) -> TelegramChat | None:
        """The linked chat whose messages a conversation holds; ``None`` for no chat's conversation."""
        ...

    async def converse(self, chat: int, conversation: str) -> None:
        """Note the conversation that holds the chat's messages from now on."""
        ...

    async def unlink(self, chat: int) -> bool:
        """Unlink a chat, and forget its open updates and refused calls; returns whether it was linked."""
        ...

    async def keep_code(self, code: LinkCode) -> None:
        """Keep a code in place of the former one."""
        ...

    async def bot(self) -> TelegramBot | None:
        """The bot that was set up last; ``None`` for none."""
        ...

    async def keep_bot(self, bot: TelegramBot | None) -> None:
        """Keep the bot. If it is another one, or ``None``, all that is kept of the former one is forgotten."""
        ...

    async def keep_call(self, call: RefusedCall) -> None:
        """Keep a refused call."""
        ...

    async def calls(self) -> tuple[RefusedCall, ...]:
        """The refused calls that wait for the user, oldest first."""
        ...

    async def take_call(self, call: str) -> RefusedCall | None:
        """Remove a refused call that has not begun; ``None`` if there is none with this id."""
        ...

    async def begin_call(self, call: str) -> bool:
        """Note that a refused call begins, so that it runs at most once. Returns whether it waited until now."""
        ...

    async def begun_calls(self) -> tuple[RefusedCall, ...]:
        """The calls that have begun and of which it is not noted how they ended, without their arguments."""
        ...

    async def end_call(self, call: str, told: TelegramUpdate | None) -> None:
        """Remove a call that is over, and keep what its chat is told of it in one transaction; ``None`` for nothing."""
        ...

    async def keep_words(self, words: TelegramUpdate) -> None:
        """Keep words of Sori's own until their chat has got them; see ``words.py``."""
        ...

    async def device(self) -> str:
        """The id of this device among the user's devices, which no message may tell."""
        ...


class TelegramNews(Protocol):
    """Is told of what happens in the door. All methods may be called on any thread and return at once."""

    def stands(self, standing: TelegramStanding) -> None:
        """The door stands otherwise than before."""
        ...

    def linked(self, chat: TelegramChat) -> None:
        """A chat was linked by a code."""
        ...
