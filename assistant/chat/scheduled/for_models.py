"""Scheduled requests as models add and change them."""

from collections.abc import Awaitable, Callable, Sequence

from assistant.chat.scheduled.answers import ScheduleAnswers
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.scheduled.wish import ScheduleRequest, ScheduleWish
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Language
from assistant.core.telegram.records import TelegramChat
from assistant.tools.builtin.schedule.requests import ScheduleAction


async def no_chat(conversation: str) -> None:
    """No conversation is a chat's."""


class ScheduleOfModels:
    """Implements ``RequestBook`` of ``tools/builtin/schedule/requests.py``.

    Args:
        book: keeps the requests.
        answers: changes them, and words what was done.
        chat_in: gives the chat of Telegram whose messages a conversation holds.
    """

    def __init__(
        self,
        book: ScheduledRequests,
        answers: ScheduleAnswers,
        chat_in: Callable[[str], Awaitable[TelegramChat | None]] = no_chat,
    ) -> None:
        self._book, self._answers, self._chat_in = book, answers, chat_in

    async def add(
        self,
        request: str,
        when: str,
        language: Language,
        *,
        repeat: str,
        except_on: Sequence[str],
        own: bool,
        conversation: str,
    ) -> str:
        """Keep a request; returns the sentence that tells the user of it.

        Raises:
            SoriError: the time or the words cannot be used.
        """
        chat = await self._chat_in(conversation)
        made = await self._book.add_at(request, when, language, repeat=repeat, except_on=except_on, own=own, chat=chat)
        return self._answers.added(made, language)

    async def listed(self, language: Language) -> str:
        """All of them, with their times; empty for none."""
        return "\n".join([self._answers.described(each, language) for each in await self._book.every()])

    async def change(self, which: str, action: ScheduleAction, when: str, language: Language) -> str:
        """Change the one with these words; returns the sentence that tells the user of it, or asks which is meant.

        Raises:
            SoriError: the time cannot be used.
        """
        wish = ScheduleWish(action)
        if wish is ScheduleWish.MOVE and not when:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no time is given", message_key="schedule_time.unread")
        said = self._book.said(when) if wish is ScheduleWish.MOVE else None
        return await self._answers.answer(ScheduleRequest(wish=wish, language=language, words=which, said=said))
