"""The time and the date, here or anywhere."""

from zoneinfo import ZoneInfo, available_timezones

from assistant.core.clock import Clock
from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError


def clock_tools(clock: Clock) -> tuple[Tool, ...]:
    """The tools that tell the time by ``clock``."""

    async def current_time(timezone: str | None = None) -> str:
        """Tells the current date, weekday and time, for the user's own place or for another time zone.

        Args:
            timezone: IANA name such as Asia/Tokyo; left out for the user's own.
        """
        now = clock.now()
        if timezone is not None:
            now = now.astimezone(_zone(timezone))
        offset = now.strftime("%z")
        return f"{now:%Y-%m-%d (%A) %H:%M:%S} UTC{offset[:3]}:{offset[3:]} {timezone or now.tzname() or ''}".rstrip()

    return (tool_of(current_time, category=Category.SAFE, idempotent=True),)


def _zone(name: str) -> ZoneInfo:
    wanted = name.strip().replace(" ", "_").casefold()
    for known in available_timezones():
        if known.casefold() == wanted or known.casefold().rpartition("/")[2] == wanted:
            return ZoneInfo(known)
    raise ToolError(f"There is no time zone {name!r}; use an IANA name such as Europe/Paris.")
