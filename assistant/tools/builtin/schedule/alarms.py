"""Alarms and reminders for requests that no plain command matches, so that a model has to set, list or cancel them."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.core.times.resolving import Problem
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_AT = Evidence(
    words=(
        *(
            "알람",
            "시에",
            "시 반",
            "시반",
            "분에",
            "오전",
            "오후",
            "정오",
            "자정",
            "매일",
            "매주",
            "매달",
            "매년",
            "마다",
        ),
        *(
            "alarm",
            "remind",
            "wake me",
            "o'clock",
            "every day",
            "every morning",
            "weekday",
            "tomorrow",
            "tonight",
            "noon",
            "midnight",
        ),
        *(f"at {hour}" for hour in range(1, 13)),
    ),
    figures=True,
)
_ALARMS = Evidence(words=("알람", "리마인더", "alarm", "reminder"))
_SETS = Act(
    names=(
        r"알람(?!.*(?:취소|꺼|끄|지워|지우|없애|그만|해제))|알림.*(?:설정|맞춰|맞추|켜|걸)"
        r"|깨워|깨우|리마인드|리마인더|상기시켜|잊지 않게"
        r"|(?:시|반|분|에|뒤|후|아침|저녁|점심|밤|오전|오후|매일|매주|내일|모레|요일).*(?:알려|알림|말해|불러|일러)\s?(?:줘|주|달|줄|드)"
        r"|\bwake me\b|\bremind me\b|\bget me up\b|\b(?:set|make|add|create|schedule|put|need|want"
        r"|like)\b.*\b(?:alarm|reminder)"
        r"|\balarms?\s+(?:for|at|every|\d)|^\W*(?:alarm|reminder)\b"
    ),
    texts=("what",),
)
_CANCELS = Act(
    names=(
        r"(?:알람|알림|리마인더).*(?:취소|꺼|끄|멈|지워|지우|없애|그만|정지|해제|필요\s?없)|깨우지"
        r"|\b(?:cancel|stop|clear|delete|remove|end|dismiss|turn off|switch off|forget)\b.*\b(?:alarm|reminder)"
        r"|\balarms?\s+off\b"
    ),
    texts=("what",),
)


class SetAlarm(Protocol):
    """An alarm or a reminder that has not rung yet."""

    @property
    def name(self) -> str:
        """What the user is reminded of, often empty."""
        ...


class AlarmBook(Protocol):
    """Sets, lists and cancels alarms and reminders. Implemented by ``assistant.chat.alarms.alarms.Alarms``."""

    async def set_at(
        self, when: str, what: str, language: Language, repeat: str = "", except_on: Sequence[str] = ()
    ) -> SetAlarm:
        """Set an alarm, or a reminder of ``what``, at a time in words or in ISO 8601.

        Raises an error with the attribute ``problem`` when the time cannot be used, and ValueError for a repetition.
        """
        ...

    def described(self, alarm: Any, language: Language) -> str:
        """When it rings, with weekday, date, time and repetition, and its words."""
        ...

    def confirmed(self, alarm: Any, language: Language) -> str:
        """The sentence that tells the user what was set, with weekday, date, time and repetition."""
        ...

    async def waiting(self) -> Sequence[SetAlarm]:
        """Those that have not rung yet, the next one first."""
        ...

    async def cancel(self, *, what: str = "", when: str = "", every: bool = False) -> Sequence[SetAlarm]:
        """Cancel those with these words and at this time, or all; returns those that were cancelled."""
        ...


def alarm_tools(alarms: AlarmBook, language: Callable[[], Language]) -> tuple[Tool, ...]:
    """The tools that set, list and cancel alarms and reminders.

    Args:
        alarms: sets and cancels them.
        language: gives the user's present language, in which a new one is announced.
    """

    def described(alarm: SetAlarm) -> str:
        return alarms.described(alarm, language())

    async def set_alarm(
        when: str, what: str | None = None, repeat: str | None = None, except_on: list[str] | None = None
    ) -> str:
        """Sets an alarm or a reminder that rings aloud at a time of day, once or repeatedly. Tell the user its result.

        Args:
            when: the local time in ISO 8601, such as 2026-12-24T18:00, the first one if it repeats; or all of the
                user's own words for it, such as tomorrow at 7:30, 매일 아침 7시.
            what: what to remind the user of; left out for a mere alarm.
            repeat: the rule of RFC 5545, such as FREQ=MONTHLY;BYMONTHDAY=5, FREQ=WEEKLY;INTERVAL=2;BYDAY=MO or
                FREQ=DAILY;UNTIL=20261231; left out for once.
            except_on: days on which it does not ring, such as 2026-12-25; left out for none.
        """
        spoken: Language = "ko" if re.search("[가-힣]", f"{when} {what}") else language()
        try:
            alarm = await alarms.set_at(when, what or "", spoken, repeat or "", except_on or ())
        except ValueError as error:
            raise ToolError("tool_reason.repetition", detail=error) from error
        except Exception as error:
            raise _refused(error) from error
        return alarms.confirmed(alarm, spoken)

    async def list_alarms() -> str:
        """Lists the alarms and reminders that are set and when each rings."""
        return "\n".join(map(described, await alarms.waiting())) or "No alarm or reminder is set."

    async def cancel_alarms(when: str | None = None, what: str | None = None, all_alarms: bool = False) -> str:
        """Cancels the alarms and reminders of a time, those with some words, or all of them.

        Args:
            when: the time at which it rings, in ISO 8601 or in the user's words; one day of what repeats cancels only
                this day, so leave the day out to end the repetition.
            what: words of the reminder.
            all_alarms: true to cancel every alarm and reminder.
        """
        if not when and not what and not all_alarms:
            known = "; ".join(map(described, await alarms.waiting())) or "-"
            raise ToolError("tool_reason.nothing_chosen", names="when / what / all_alarms", known=known)
        try:
            cancelled = await alarms.cancel(what=what or "", when=when or "", every=all_alarms)
        except Exception as error:
            raise _refused(error) from error
        return "\n".join(f"Cancelled: {described(alarm)}" for alarm in cancelled) or "No such alarm is set."

    return (
        tool_of(
            set_alarm, category=Category.SENSITIVE, idempotent=False, evidence=_AT, act=_SETS, baseline=Baseline.ALL
        ),
        # A page may have named a reminder.
        tool_of(
            list_alarms,
            category=Category.SAFE,
            idempotent=True,
            evidence=_ALARMS,
            baseline=Baseline.LARGE,
            untrusted=True,
            reads_private=True,
        ),
        tool_of(
            cancel_alarms,
            category=Category.SENSITIVE,
            idempotent=False,
            evidence=_ALARMS,
            act=_CANCELS,
            baseline=Baseline.LARGE,
        ),
    )


def _refused(error: Exception) -> Exception:
    """The error that tells the model what is wrong with a time; other errors stay what they are."""
    problem = getattr(error, "problem", None)
    return ToolError(f"tool_reason.time.{problem.value}") if isinstance(problem, Problem) else error
