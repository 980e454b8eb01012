"""Scheduled requests for words that no plain command matches, so that a model has to add or change them (F-09)."""

import re
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.calling import RunningCall
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool

ScheduleAction = Literal["pause", "resume", "run", "cancel", "move"]

_AT = Evidence(
    words=(
        *(
            "매일",
            "매주",
            "매달",
            "매월",
            "마다",
            "평일",
            "주말",
            "요일",
            "시에",
            "시 반",
            "뒤에",
            "후에",
            "정오",
            "자정",
            "예약",
        ),
        *("every", "each", "daily", "weekly", "weekday", "tomorrow", "tonight", "at noon", "schedule"),
        *(f"at {hour}" for hour in range(1, 13)),
    ),
    figures=True,
)
_ADDS = Act(
    names=(
        r"(?:시에|시\s?반에|분에|시쯤|정오에|자정에|뒤에|후에|마다|매일|매주|매달|매월|평일|주말|요일).*"
        r"(?:해|읽어|알려|말해|찾아|보여|들려|골라|뽑아)\s?(?:줘|주|달|줄|드)|예약.*(?:해|걸어|잡아)\s?(?:줘|주|달|둬)"
        r"|\b(?:every|each|daily|weekdays?|weekends?|tomorrow|tonight"
        r"|at (?:\d|noon|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|in \w+ (?:minutes?|hours?))\b"
        r"|\bschedule\b"
    ),
    texts=("request",),
)
_CHANGES = Act(
    names=(
        r"예약.*(?:취소|지워|지우|삭제|멈|중지|정지|재개|실행|바꿔|바꾸|옮겨|그만)"
        r"|\b(?:cancel|delete|remove|pause|suspend|resume|run|move|change|reschedule|stop)\b.*\b(?:schedul|recurring|request)"
    ),
    texts=("which",),
)


class RequestBook(Protocol):
    """Keeps scheduled requests. Implemented by ``assistant.chat.scheduled.for_models.ScheduleOfModels``."""

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

        ``own`` tells whether the words are the user's own, ``conversation`` is where it is asked for. Raises SoriError
        when the time or the words cannot be used.
        """
        ...

    async def listed(self, language: Language) -> str:
        """All of them, with their times; empty for none."""
        ...

    async def change(self, which: str, action: ScheduleAction, when: str, language: Language) -> str:
        """Change the one with these words; returns the sentence that tells the user of it, or asks which is meant."""
        ...


def request_tools(book: RequestBook, language: Callable[[], Language]) -> tuple[Tool, ...]:
    """The tools that add, list and change scheduled requests.

    Args:
        book: keeps them.
        language: gives the user's present language.
    """

    async def schedule_request(
        call: RunningCall,
        when: str,
        request: str,
        repeat: str | None = None,
        except_on: list[str] | None = None,
    ) -> str:
        """Keeps a request that you will answer at a time, once or repeatedly, such as reading or summarising something.

        Not for what the user has to do: that is a reminder (set_alarm). At that time only safe tools can be used and
        nobody is asked, so nothing can be sent, written or changed then. Tell the user its result.

        Args:
            call: the call that this serves.
            when: the local time in ISO 8601, such as 2026-12-24T18:00, the first one if it repeats; or all of the
                user's own words for it, such as tomorrow at 7:30, 매일 아침 8시.
            request: what you are asked at that time, in the user's own words without the time.
            repeat: the rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=FR; left out for once.
            except_on: days on which it is left out, such as 2026-12-25; left out for none.
        """
        spoken: Language = "ko" if re.search("[가-힣]", f"{when} {request}") else language()
        own = not call.outside
        return await book.add(
            request,
            when,
            spoken,
            repeat=repeat or "",
            except_on=except_on or (),
            own=own,
            conversation=call.conversation,
        )

    async def list_scheduled_requests() -> str:
        """Lists the scheduled requests and when each is carried out."""
        return await book.listed(language()) or "No request is scheduled."

    async def change_scheduled_request(which: str, action: ScheduleAction, when: str | None = None) -> str:
        """Pauses, resumes, cancels, moves or at once carries out a scheduled request. Tell the user its result.

        Args:
            which: words of the request.
            action: what to do with it; run carries it out now.
            when: its new time, for move, in ISO 8601 or in the user's words.
        """
        return await book.change(which, action, when or "", language())

    return (
        tool_of(
            schedule_request,
            category=Category.SENSITIVE,
            idempotent=False,
            evidence=_AT,
            act=_ADDS,
            baseline=Baseline.LARGE,
        ),
        # A page may have named one.
        tool_of(
            list_scheduled_requests,
            category=Category.SAFE,
            idempotent=True,
            search_words=("예약", "요청", "정기", "목록", "schedule", "recurring"),
            untrusted=True,
            reads_private=True,
        ),
        tool_of(
            change_scheduled_request,
            category=Category.SENSITIVE,
            idempotent=False,
            act=_CHANGES,
            search_words=(
                "예약",
                "요청",
                "정기",
                "취소",
                "멈추",
                "바꾸",
                "schedule",
                "recurring",
                "cancel",
                "pause",
                "move",
            ),
        ),
    )
