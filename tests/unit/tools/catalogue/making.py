"""Tools for the tests of the catalogue."""

from dataclasses import replace
from typing import Any

from assistant.core.permissions import Category
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Baseline, Tool

ANIMALS = ["ant", "bear", "cat", "deer", "eel", "fox", "goat", "hen", "ibis", "jay", "koi", "lion", "mole", "owl"]


async def done(_: dict[str, Any], _call: RunningCall) -> str:
    return "done"


def tool(name: str, description: str = "", baseline: Baseline = Baseline.NONE, *words: str) -> Tool:
    return Tool(
        name=name,
        description=description or f"Feeds {name}.",
        parameters={"type": "object", "properties": {}},
        category=Category.SAFE,
        idempotent=True,
        run=done,
        baseline=baseline,
        search_words=words,
    )


EVERYDAY = tool("clock", "Tells the time.", Baseline.ALL)
LARGE = tool("memory", "Remembers a fact.", Baseline.LARGE)
WEATHER = tool("mcp_weather_forecast", "Tells the weather of the next days.")
DELETE = replace(tool("delete_photo", "Deletes a photo."), category=Category.SENSITIVE)
MANY = (EVERYDAY, LARGE, *map(tool, ANIMALS), WEATHER, DELETE)
OWN = ("list_tools", "enable_tools", "reset_tools")
