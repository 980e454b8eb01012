"""Timers for requests that no plain command matches, so that a model has to set, list or cancel them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_LONGEST_S = 24 * 3600

_TIMER_WORDS = ("타이머", "알람", "알림", "timer", "alarm", "countdown", "reminder")
_DURATION = Evidence(words=(*_TIMER_WORDS, "초", "분", "시간", "sec", "min", "hour"), figures=True)
_TIMERS = Evidence(words=_TIMER_WORDS)
_NO_MORE = Evidence(
    words=(
        *("타이머", "알람", "알림", "취소", "꺼", "멈", "그만", "필요", "지워", "없애"),
        *("timer", "alarm", "countdown", "reminder", "cancel", "stop", "off", "clear", "delete", "remove", "forget"),
    )
)
_SETS = Act(
    names=(
        r"타이머(?!.*(?:취소|꺼|끄|멈|지워|없애|그만))|(?:초|분|시간)(?:만|짜리|간)?\s?(?:재|맞춰|맞추|설정|타이머|알람|세\s?줘)|(?:뒤|후)에.*(?:알려|울려"
        r"|깨워|말해)"
        r"|\b(?:set|start|run|make|begin|add|put|need|want|give me|like)\b.*\btimer|\btimer\s+(?:for|of|\d)"
        r"|\b(?:second|minute|hour)s?\s+timer"
        r"|^\W*timer\b|\bcount\s?down\b|\b(?:remind|wake|tell|call|alert) me in\b|\btime (?:me|it|this)\b"
    ),
    texts=("name",),
)
_CANCELS = Act(
    names=(
        r"(?:타이머|알람|알림).*(?:취소|꺼|끄|멈|지워|지우|없애|그만|정지|해제|종료|필요\s?없)"
        r"|\b(?:cancel|stop|clear|delete|remove|end|kill|dismiss|turn off|switch off|forget)\b.*\b(?:timer"
        r"|countdown|alarm)|\btimers?\s+off\b"
    ),
    texts=("name",),
)


class RunningTimer(Protocol):
    """A timer that has not rung yet."""

    @property
    def name(self) -> str:
        """The user's name for it, often empty."""
        ...

    @property
    def duration_s(self) -> float:
        """Seconds from setting to ringing."""
        ...

    @property
    def due_at(self) -> datetime:
        """When it rings."""
        ...


class TimerBook(Protocol):
    """Sets, lists and cancels timers. Implemented by ``assistant.chat.timers.Timers``."""

    async def set(self, duration_s: float, name: str, language: Language) -> RunningTimer:
        """Set a timer; it is announced in ``language``."""
        ...

    async def running(self) -> Sequence[RunningTimer]:
        """Every running timer, the next to ring first."""
        ...

    async def cancel(self, *, name: str | None = None) -> Sequence[RunningTimer]:
        """Cancel the timers of this name, or all without a name; returns the cancelled timers."""
        ...


def timer_tools(timers: TimerBook, language: Callable[[], Language]) -> tuple[Tool, ...]:
    """The tools that set, list and cancel timers.

    Args:
        timers: sets and cancels them.
        language: gives the user's present language, in which a new timer is announced.
    """

    async def set_timer(hours: float = 0, minutes: float = 0, seconds: float = 0, name: str | None = None) -> str:
        """Sets a timer that rings aloud when the time is up.

        Args:
            hours: hours until it rings.
            minutes: minutes until it rings, added to the hours.
            seconds: seconds until it rings, added to the rest.
            name: what it is for, such as pasta.
        """
        duration_s = hours * 3600 + minutes * 60 + seconds
        if not 0 < duration_s <= _LONGEST_S:
            raise ToolError("tool_reason.timer_range")
        timer = await timers.set(duration_s, name or "", language())
        return f"Set: {_described(timer)}"

    async def list_timers() -> str:
        """Lists the timers that are running and when each rings."""
        running = await timers.running()
        return "\n".join(map(_described, running)) or "No timer is running."

    async def cancel_timers(name: str | None = None, all_timers: bool = False) -> str:
        """Cancels the timers of a name, or every timer.

        Args:
            name: the timer's name.
            all_timers: true to cancel every timer.
        """
        if not name and not all_timers:
            known = "; ".join(map(_described, await timers.running())) or "-"
            raise ToolError("tool_reason.nothing_chosen", names="name / all_timers", known=known)
        cancelled = await timers.cancel(name=name or None)
        return "\n".join(f"Cancelled: {_described(timer)}" for timer in cancelled) or "No such timer is running."

    return (
        tool_of(
            set_timer,
            category=Category.SENSITIVE,
            idempotent=False,
            evidence=_DURATION,
            act=_SETS,
            baseline=Baseline.ALL,
        ),
        # A page may have named a timer.
        tool_of(
            list_timers,
            category=Category.SAFE,
            idempotent=True,
            evidence=_TIMERS,
            baseline=Baseline.ALL,
            untrusted=True,
            reads_private=True,
        ),
        tool_of(
            cancel_timers,
            category=Category.SENSITIVE,
            idempotent=False,
            evidence=_NO_MORE,
            act=_CANCELS,
            baseline=Baseline.ALL,
        ),
    )


def _described(timer: RunningTimer) -> str:
    minutes, seconds = divmod(round(timer.duration_s), 60)
    return f"{timer.name or 'timer'} of {minutes} min {seconds} s, rings at {timer.due_at:%H:%M:%S}"
