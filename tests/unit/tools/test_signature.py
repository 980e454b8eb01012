from typing import Literal

import pytest

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of


async def play(
    song: str, times: int = 1, mood: Literal["calm", "loud"] | None = None, tags: list[str] | None = None
) -> str:
    """Plays a song
    aloud.

    Args:
        song: its title,
            as the user said it.
        times: how often.

    Returns:
        Words.
    """
    return f"{song} {times} {mood} {tags}"


async def test_a_function_becomes_a_tool() -> None:
    tool = tool_of(play, category=Category.SENSITIVE, idempotent=False)
    assert tool.name == "play"
    assert tool.description == "Plays a song aloud."
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "song": {"type": "string", "description": "its title, as the user said it."},
            "times": {"type": "integer", "description": "how often."},
            "mood": {"type": "string", "enum": ["calm", "loud"]},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["song"],
        "additionalProperties": False,
    }
    assert tool.category is Category.SENSITIVE
    assert not tool.idempotent
    assert await tool.run({"song": "아리랑", "times": 2}) == "아리랑 2 None None"


def test_a_parameter_that_json_cannot_name_is_refused() -> None:
    async def odd(what: bytes) -> str:
        return what.decode()

    with pytest.raises(TypeError, match="bytes"):
        tool_of(odd, category=Category.SAFE, idempotent=True)


def test_a_parameter_without_a_type_is_refused() -> None:
    async def odd(what) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001 - the fault that is tested
        return str(what)

    with pytest.raises(TypeError, match="what"):
        tool_of(odd, category=Category.SAFE, idempotent=True)
