"""Reads the messages of the open conversation, and gives those that were listed numbers."""

from collections.abc import Callable, Sequence

from assistant.app.terminal import pages
from assistant.app.terminal.mailbox import Mailbox
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.messages import Message, Role


class Reading:
    """The newest messages, and the numbers of the last list.

    Args:
        mail: sends requests to the engine and waits for the replies.
    """

    def __init__(self, mail: Mailbox) -> None:
        self._mail = mail
        self._numbered: Sequence[Message] = ()

    async def newest(self, enough: Callable[[Sequence[Message]], bool]) -> list[Message]:
        """The newest messages, oldest first, a page at a time until there are enough."""
        found: list[Message] = []
        before = ""
        while True:
            page = await self._mail.request(ct.LoadEarlier(before=before), up.EarlierLoaded)
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
