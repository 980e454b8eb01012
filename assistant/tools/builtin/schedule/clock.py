"""The current time and date in any time zone."""

from zoneinfo import ZoneInfo, available_timezones

from assistant.core.clock import Clock
from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_TIME = Evidence(
    words=(
        *("몇 시", "몇시", "시간", "시각", "시계", "날짜", "요일", "며칠", "몇 일", "몇일"),
        *("몇 월", "몇월", "몇 년", "몇년", "년도", "연도"),
        *("time", "clock", "date", "today", "weekday", "is it late", "how late"),
        *(f"{which} {unit}" for which in ("what", "which", "the") for unit in ("day", "hour", "week", "month", "year")),
    )
)


def clock_tools(clock: Clock) -> tuple[Tool, ...]:
    """The tool that tells the time of ``clock``."""

    async def current_time(timezone: str | None = None) -> str:
        """Tells the current date, weekday and time, for the user's own place or for another time zone.

        Args:
            timezone: IANA name such as Asia/Tokyo; left out for the user's own.
        """
        now = clock.now()
        if timezone is not None:
            now = now.astimezone(_zone(timezone))
        offset = now.strftime("%z")
        place = timezone or now.tzname() or "here"
        return f"{now:%H:%M} in {place} on {now:%A, %Y-%m-%d} (UTC{offset[:3]}:{offset[3:]})"

    return (tool_of(current_time, category=Category.SAFE, idempotent=True, evidence=_TIME, baseline=Baseline.ALL),)


def _zone(name: str) -> ZoneInfo:
    wanted = name.strip().replace(" ", "_").casefold()
    for known in available_timezones():
        if known.casefold() == wanted or known.casefold().rpartition("/")[2] == wanted:
            return ZoneInfo(known)
    raise ToolError("tool_reason.no_time_zone", name=name)
