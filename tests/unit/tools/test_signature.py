from typing import Literal

import pytest

from assistant.core.permissions import Category
from assistant.tools.calling import RunningCall
from assistant.tools.signature import tool_of
from tests.fakes.asking.served_call import served_call


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
    assert await tool.run({"song": "아리랑", "times": 2}, served_call()) == "아리랑 2 None None"


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


async def test_a_tool_sees_its_call_and_the_model_does_not() -> None:
    async def tell(words: str, call: RunningCall, times: int = 1) -> str:
        """Tells where it is called.

        Args:
            words: the words.
            call: the call.
            times: how often.
        """
        return f"{words} {call.conversation} {times}"

    tool = tool_of(tell, category=Category.SAFE, idempotent=True)
    assert list(tool.parameters["properties"]) == ["words", "times"]
    assert tool.parameters["required"] == ["words"]
    assert await tool.run({"words": "여기는"}, served_call("garden")) == "여기는 garden 1"
