"""The tools that set, list and cancel timers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from assistant.chat.timers import Ring, Timers
from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.host.texts import load_texts
from assistant.storage.timers import TimerStore
from assistant.tools.builtin.schedule.timers import timer_tools
from assistant.tools.tool import Tool, ToolError
from tests.fakes.asking.served_call import served_call
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database


class World:
    """The tools, over timers that are kept in a database."""

    def __init__(self, timers: Timers, clock: FakeClock, language: Language) -> None:
        self.timers = timers
        self.clock = clock
        self._tools: dict[str, Tool] = {each.name: each for each in timer_tools(timers, lambda: language)}

    async def run(self, tool: str, /, **arguments: Any) -> str:
        return str(await self._tools[tool].run(arguments, served_call()))

    async def names(self) -> list[str]:
        return [timer.name for timer in await self.timers.running()]


Open = Callable[[Language], AbstractAsyncContextManager[World]]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    @asynccontextmanager
    async def world(language: Language) -> AsyncIterator[World]:
        clock = FakeClock()
        database = await open_database(tmp_path / "sori.db", clock)
        texts: dict[Language, Texts] = {"ko": load_texts("ko"), "en": load_texts("en")}
        yield World(Timers(TimerStore(database), clock, texts), clock, language)
        await database.close()

    return world


async def test_all_timers_are_cancelled_only_when_all_is_said(opened: Open) -> None:
    async with opened("en") as world:
        await world.run("set_timer", minutes=9, name="pasta")
        await world.run("set_timer", minutes=5)
        unsaid: tuple[dict[str, Any], ...] = ({}, {"name": ""}, {"name": None}, {"all_timers": False})
        for arguments in unsaid:
            with pytest.raises(ToolError, match=r"nothing_chosen.* pasta"):
                await world.run("cancel_timers", **arguments)
        assert await world.names() == ["", "pasta"]
        await world.run("cancel_timers", all_timers=True)
        assert await world.names() == []


async def test_only_looking_at_timers_is_safe(opened: Open) -> None:
    async with opened("en") as world:
        safe = {tool.name for tool in timer_tools(world.timers, lambda: "en") if tool.category is Category.SAFE}
    assert safe == {"list_timers"}


async def test_a_name_cancels_its_timers_alone(opened: Open) -> None:
    async with opened("en") as world:
        for name in ("pasta", "laundry"):
            await world.run("set_timer", minutes=5, name=name)
        assert "pasta" in await world.run("cancel_timers", name="Pasta", all_timers=True)
        assert await world.names() == ["laundry"]


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "파스타 타이머가 끝났어요."), ("en", "Your 파스타 timer is done.")]
)
async def test_a_timer_rings_in_the_users_language(opened: Open, language: Language, words: str) -> None:
    async with opened(language) as world:
        rung: list[Ring] = []
        world.timers.rung.add(rung.append)
        await world.run("set_timer", seconds=3, name="파스타")
        ringing = asyncio.create_task(world.timers.run())
        await world.clock.until_sleeping()
        world.clock.advance(3)
        await world.clock.until_sleeping()
        assert [(ring.text, ring.language) for ring in rung] == [(words, language)]
        ringing.cancel()
        with suppress(asyncio.CancelledError):
            await ringing
