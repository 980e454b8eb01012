"""The tools that set, list and cancel alarms and reminders."""

from typing import Any

import pytest

from assistant.chat.alarms.alarms import Alarms
from assistant.chat.timers import Timers
from assistant.tools.builtin.schedule.alarms import alarm_tools
from assistant.tools.tool import ToolError
from tests.fakes.clock import FakeClock


class World:
    def __init__(self, timers: Timers, clock: FakeClock) -> None:
        self.timers = timers
        self._tools = {each.name: each for each in alarm_tools(Alarms(timers, clock), lambda: "en")}

    async def run(self, tool: str, /, **arguments: Any) -> str:
        return str(await self._tools[tool].run(arguments))


@pytest.fixture
def world(timers: Timers, clock: FakeClock) -> World:
    return World(timers, clock)


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("tomorrow at 7", "Monday 2026-11-23 07:00"),
        ("내일 아침 7시 반", "Monday 2026-11-23 07:30"),
        ("2026-12-03T19:30", "Thursday 2026-12-03 19:30"),
        ("2026-12-03T07:30:00", "Thursday 2026-12-03 07:30"),
        ("2026-12-03 00:15", "Thursday 2026-12-03 00:15"),
        ("07:30", "Monday 2026-11-23 07:30"),
        ("7", "Sunday 2026-11-22 19:00"),
        ("every weekday at 7", "Monday 2026-11-23 07:00, repeats 07:00 01234"),
    ],
)
async def test_a_time_may_be_in_words_or_iso(world: World, when: str, told: str) -> None:
    assert await world.run("set_alarm", when=when) == f"Set: alarm, rings at {told}"


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ("yesterday at 7", "already past"),
        ("2026-11-01T07:00", "already past"),
        ("tomorrow", "needs an hour"),
        ("soon", "needs an hour"),
        ("february 30th at 7 am", "no such date"),
    ],
)
async def test_a_time_that_cannot_be_used_is_an_error_with_a_reason(world: World, when: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        await world.run("set_alarm", when=when)
    assert await world.timers.alarms() == ()


async def test_reminders_are_listed_and_cancelled_by_time_or_words(world: World) -> None:
    assert await world.run("list_alarms") == "No alarm or reminder is set."
    await world.run("set_alarm", when="tomorrow at 9 am", what="call mum")
    await world.run("set_alarm", when="tomorrow at 7 am")
    assert (await world.run("list_alarms")).splitlines() == [
        "alarm, rings at Monday 2026-11-23 07:00",
        "call mum, rings at Monday 2026-11-23 09:00",
    ]
    with pytest.raises(ToolError, match=r"Nothing was cancelled.*call mum"):
        await world.run("cancel_alarms")
    assert await world.run("cancel_alarms", what="dad") == "No such alarm is set."
    assert await world.run("cancel_alarms", when="7") == "Cancelled: alarm, rings at Monday 2026-11-23 07:00"
    assert await world.run("cancel_alarms", what="mum") == "Cancelled: call mum, rings at Monday 2026-11-23 09:00"
