"""Alarms and reminders for requests that no plain command matches, so that a model has to set, list or cancel them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.core.times.resolving import Problem
from assistant.llm.backend import Evidence
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_AT = Evidence(
    words=(
        *("알람", "시에", "시 반", "시반", "분에", "오전", "오후", "매일", "매주", "마다"),
        *("alarm", "o'clock", "every day", "every morning", "weekday", "tomorrow", "tonight", "noon", "midnight"),
        *(f"at {hour}" for hour in range(1, 13)),
    ),
    figures=True,
)
_ALARMS = Evidence(words=("알람", "리마인더", "alarm", "reminder"))
_PROBLEMS = {
    Problem.PAST: "That time is already past.",
    Problem.NO_HOUR: "The time needs an hour, such as tomorrow 7:30 or 내일 아침 7시 반.",
    Problem.IMPOSSIBLE: "There is no such date or time.",
}


class SetAlarm(Protocol):
    """An alarm or a reminder that has not rung yet."""

    @property
    def name(self) -> str:
        """What the user is reminded of, often empty."""
        ...

    @property
    def due_at(self) -> datetime:
        """When it rings next."""
        ...

    @property
    def repeats(self) -> object | None:
        """When it rings again; ``None`` for once."""
        ...


class AlarmBook(Protocol):
    """Sets, lists and cancels alarms and reminders. Implemented by ``assistant.chat.alarms.alarms.Alarms``."""

    async def set_at(self, when: str, what: str, language: Language) -> SetAlarm:
        """Set an alarm, or a reminder of ``what``, at a time in words.

        Raises an error with the attribute ``problem`` when the time cannot be used.
        """
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

    async def set_alarm(when: str, what: str | None = None) -> str:
        """Sets an alarm or a reminder that rings aloud at a time of day, once or repeatedly.

        Args:
            when: the time in the user's own words, such as tomorrow at 7:30, 매일 아침 7시; or ISO 8601 local time.
            what: what to remind the user of; left out for a mere alarm.
        """
        try:
            alarm = await alarms.set_at(when, what or "", language())
        except Exception as error:
            if isinstance(problem := getattr(error, "problem", None), Problem):
                raise ToolError(_PROBLEMS[problem]) from error
            raise
        return f"Set: {_described(alarm)}"

    async def list_alarms() -> str:
        """Lists the alarms and reminders that are set and when each rings."""
        return "\n".join(map(_described, await alarms.waiting())) or "No alarm or reminder is set."

    async def cancel_alarms(when: str | None = None, what: str | None = None, all_alarms: bool = False) -> str:
        """Cancels the alarms and reminders of a time, those with some words, or all of them.

        Args:
            when: the time at which it rings.
            what: words of the reminder.
            all_alarms: true to cancel every alarm and reminder.
        """
        if not when and not what and not all_alarms:
            waiting = "; ".join(map(_described, await alarms.waiting())) or "none"
            raise ToolError(f"Nothing was cancelled: give when, what, or all_alarms = true. Set: {waiting}.")
        cancelled = await alarms.cancel(what=what or "", when=when or "", every=all_alarms)
        return "\n".join(f"Cancelled: {_described(alarm)}" for alarm in cancelled) or "No such alarm is set."

    return (
        tool_of(set_alarm, category=Category.SENSITIVE, idempotent=False, evidence=_AT, baseline=Baseline.ALL),
        tool_of(list_alarms, category=Category.SAFE, idempotent=True, evidence=_ALARMS, baseline=Baseline.LARGE),
        tool_of(
            cancel_alarms, category=Category.SENSITIVE, idempotent=False, evidence=_ALARMS, baseline=Baseline.LARGE
        ),
    )


def _described(alarm: SetAlarm) -> str:
    again = f", repeats {alarm.repeats}" if alarm.repeats else ""
    return f"{alarm.name or 'alarm'}, rings at {alarm.due_at:%A %Y-%m-%d %H:%M}{again}"
