"""Reads the messages of the open conversation, and gives those that were listed numbers."""

from collections.abc import Callable, Sequence

from assistant.core.messages import Message, Role
from assistant.core.service.requests.conversations import LoadMessages
from assistant.terminal import pages
from assistant.terminal.asking import TerminalRequests


class Reading:
    """The newest messages, and the numbers of the last list.

    Args:
        asking: sends requests to the engine.
        conversation: gives the open conversation.
    """

    def __init__(self, asking: TerminalRequests, conversation: Callable[[], str]) -> None:
        self._asking, self._conversation = asking, conversation
        self._numbered: Sequence[Message] = ()

    async def newest(self, enough: Callable[[Sequence[Message]], bool]) -> list[Message]:
        """The newest messages, oldest first, a page at a time until there are enough."""
        found: list[Message] = []
        before, conversation = "", self._conversation()
        while True:
            page = await self._asking.result(LoadMessages(conversation=conversation, before=before))
            found = [*pages.shown_messages(page.messages), *found]
            if not page.more or enough(found):
                return found
            before = page.messages[0].id

    async def listed(self, count: int) -> Sequence[Message]:
        """The last ``count`` messages, which have the numbers 1, 2, … from now on."""
        self._numbered = (await self.newest(lambda found: len(found) >= count))[-count:]
        return self._numbered

    async def chosen(self, number: str, wanted: Callable[[Message], bool]) -> Message | None:
        """The message with this number in the last list; the newest wanted one without a number.

        ``None`` if there is none, if it is not a wanted one, or if it is no longer shown.
        """
        if not number:
            found = await self.newest(lambda messages: any(map(wanted, messages)))
            return next(filter(wanted, reversed(found)), None)
        if not number.isdecimal() or not 1 <= int(number) <= len(self._numbered):
            return None
        listed = self._numbered[int(number) - 1]
        shown = await self.newest(lambda messages: any(each.id == listed.id for each in messages))
        return next((each for each in shown if each.id == listed.id and wanted(each)), None)


def is_question(message: Message) -> bool:
    """Whether the user wrote the message."""
    return message.role is Role.USER


def is_answer(message: Message) -> bool:
    """Whether the message is an answer with text."""
    return message.role is Role.ASSISTANT and bool(message.text)
