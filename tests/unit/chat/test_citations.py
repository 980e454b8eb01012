"""Documents of one turn are numbered on through all its searches, so that each citation names one document."""

import json
from typing import Any

from assistant.core.documents import Document
from assistant.core.packets import ToolResult
from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool, ToolOutput
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, calls, says
from tests.unit.conftest import MakeWorld, World


def searching() -> Tool:
    async def run(arguments: dict[str, str], _call: RunningCall) -> ToolOutput:
        return ToolOutput(documents=tuple(Document(title=each, contents="") for each in arguments["titles"].split()))

    return Tool(
        name="find",
        description="",
        parameters={"type": "object"},
        category=Category.SAFE,
        idempotent=True,
        run=run,
        searches=True,
    )


def find(titles: str) -> tuple[str, dict[str, str]]:
    return "find", {"titles": titles}


async def numbered(world: World, turn: str, **options: Any) -> dict[str, int]:
    """The titles of the documents that a turn found, with their numbers."""
    packets = [each async for each in turn_packets(world.engine, turn, world.conversation, "찾아 줘", **options)]
    results = [json.loads(each.text) for each in packets if isinstance(each, ToolResult)]
    return {each["title"]: each["document"] for result in results for each in result["documents"]}


def world_of(make_world: MakeWorld, texts: Texts, replies: list[Any]) -> World:
    world = make_world(FakeBackend(*replies))
    world.answerer.exchange.tools = ToolRunner((searching(),), texts)
    return world


async def test_each_search_of_a_turn_numbers_on(make_world: MakeWorld, all_texts: dict[Language, Texts]) -> None:
    replies = [calls(find("a b")), calls(find("c"), find("d e")), says("[3]에 있어요"), calls(find("f")), says("끝")]
    world = world_of(make_world, all_texts["ko"], replies)
    assert await numbered(world, "1") == {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
    assert await numbered(world, "2") == {"f": 1}


async def test_another_answer_numbers_on_after_what_the_first_one_found(
    make_world: MakeWorld, all_texts: dict[Language, Texts]
) -> None:
    world = world_of(make_world, all_texts["ko"], [calls(find("a b")), says("끝"), calls(find("c")), says("끝")])
    assert await numbered(world, "1") == {"a": 1, "b": 2}
    assert await numbered(world, "2", again=True) == {"c": 3}
