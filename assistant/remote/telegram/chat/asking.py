"""Which turn answers a message of a chat: one of its own, a new version of the newest one, or one that keeps files."""

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Message, Role
from assistant.core.service.requests.conversations import LoadTurn, StoredTurn
from assistant.core.service.requests.telegram.filing import FileIntoProject
from assistant.core.service.requests.turns import BeginTurn, EditMessage, FollowTurn
from assistant.remote.telegram.incoming import Incoming
from assistant.remote.telegram.turns import ChatTurns

Files = tuple[Attachment, ...]


class Asking:
    """Asks the engine for one chat.

    Args:
        turns: the engine.
        chat: Telegram's id of the chat.

    Attributes:
        told: the messages of the newest answer.
    """

    def __init__(self, turns: ChatTurns, chat: int) -> None:
        self._turns, self._chat = turns, chat
        self.told: tuple[int, ...] = ()

    async def stored(self, incoming: Incoming, turn: TurnId) -> StoredTurn:
        """What is stored of a turn."""
        return await self._turns.own(LoadTurn(conversation=incoming.conversation, turn=turn))

    async def reads_alike(self, incoming: Incoming, turn: str) -> bool | None:
        """Whether an edited message reads as it is stored; ``None`` if it is stored no more.

        A message that quotes another one, or was spoken, has other words before its own.
        """
        asked = _asked(await self.stored(incoming, TurnId(turn)))
        if asked is None:
            return None
        words = incoming.text.strip()
        spoken = any(each.spoken for each in incoming.files)
        same_words = asked.text == words or ((incoming.quoted or spoken) and asked.text.endswith(words))
        files = [(each.name, each.size) for each in incoming.files if not each.spoken]
        return bool(same_words) and files == [(each.name, each.size) for each in asked.attachments]

    async def request(self, incoming: Incoming, turn: TurnId, files: Files) -> BeginTurn | EditMessage | FollowTurn:
        """The request whose packets answer a message."""
        if await self._kept(incoming, turn, files):
            return FollowTurn(turn=turn)
        words = "\n\n".join(filter(None, (incoming.heard, incoming.text)))
        # An answer to the newest message needs no quote, and may be a word that a guided flow waits for.
        older = words and incoming.replied not in self.told
        quote = "".join(f"> {line}\n" for line in incoming.quoted.splitlines()) if older else ""
        text, conversation = "\n".join(filter(None, (quote, words))), incoming.conversation
        if asked := await self._replaced(incoming):
            return EditMessage(
                turn=turn, conversation=conversation, message=asked, text=text, attachments=files, can_ask=False
            )
        return BeginTurn(
            turn=turn,
            conversation=conversation,
            text=text,
            attachments=files,
            aloud=False,
            can_ask=False,
            # What others wrote is content from outside, not the user's own words.
            typed="" if incoming.forwarded else words if quote else None,
        )

    async def _kept(self, incoming: Incoming, turn: TurnId, files: Files) -> bool:
        """Keep files in a project if the user says so, in a turn. The same bytes are not added twice."""
        if incoming.forwarded:  # The words are somebody else's.
            return False
        words, conversation = incoming.heard or incoming.text, incoming.conversation
        request = FileIntoProject(chat=self._chat, conversation=conversation, turn=turn, text=words, files=files)
        return await self._turns.own(request)

    async def _replaced(self, incoming: Incoming) -> str:
        """Id of the message that an edit replaces; empty if there is none, or something came after its turn."""
        if not incoming.replaces:
            return ""
        former = await self.stored(incoming, TurnId(incoming.replaces))
        asked = _asked(former)
        return asked.id if asked is not None and former.newest else ""


def _asked(stored: StoredTurn) -> Message | None:
    """The message that a turn has answered."""
    return next((each for each in stored.messages if each.role is Role.USER), None)
