"""A reply that must follow a JSON Schema, from every backend: its text is the object, whatever the server can do."""

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import pytest

from assistant.llm.backend import Finish, Finished, ToolCallDelta
from assistant.llm.reply.argument_check import problems
from tests.fakes.backend_bench import REQUEST, Open, text_of
from tests.fakes.model_server.schema_replies import following
from tests.fakes.model_server.server import Reply

OPERATION = {
    "type": "object",
    "properties": {
        "op": {"enum": ["set", "clear", "cancel"]},
        "amount": {"type": ["integer", "null"], "minimum": 1000, "description": "in won"},
        "recipient": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["op", "amount", "recipient"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "closed": OPERATION,
    "nested": {
        "type": "object",
        "properties": {
            "operations": {"type": "array", "items": OPERATION, "minItems": 1},
            "unsure": {"type": "boolean"},
        },
        "required": ["operations", "unsure"],
        "additionalProperties": False,
    },
    "open": {
        "type": "object",
        "properties": {"memo": {"type": "string"}, "date": {"type": "string", "format": "date"}, "more": True},
        "required": ["memo"],
    },
    "types in a list": {
        "type": "object",
        "properties": {"amount": {"type": ["string", "integer", "null"], "description": "in won"}},
        "required": ["amount"],
    },
    "defined elsewhere": {
        "type": "object",
        "$defs": {"person": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
        "properties": {"who": {"$ref": "#/$defs/person"}, "type": {"const": "person"}},
        "required": ["who", "type"],
    },
}


async def _checked(opened: Open, schema: dict[str, Any], script: Any) -> list[int]:
    """Ask twice, check the replies, and return how many requests each reply took."""
    request = replace(REQUEST, tools=(), schema=schema)
    taken: list[int] = []
    async with opened() as bench:
        bench.server.script = script
        for _ in range(2):
            before = len(bench.server.chats)
            deltas = await bench.all(request)
            taken.append(len(bench.server.chats) - before)
            text = text_of(deltas)
            assert problems(schema, json.loads(text)) == ()
            assert text == text.strip()
            assert not any(isinstance(delta, ToolCallDelta) for delta in deltas)
            assert isinstance(deltas[-1], Finished)
            assert (deltas[-1].reason, deltas[-1].tool_calls) == (Finish.STOP, ())
    return taken


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
async def test_a_server_that_knows_schemas_is_asked_once(opened: Open, schema: dict[str, Any]) -> None:
    assert await _checked(opened, schema, following()) == [1, 1]


@pytest.mark.parametrize("known", [{"object", "tool"}, {"tool"}, ()], ids=["object", "tool", "none"])
async def test_what_a_server_refuses_is_not_sent_to_it_again(opened: Open, known: Collection[str]) -> None:
    first, second = await _checked(opened, OPERATION, following(known))
    assert 1 < first <= 4
    assert second == 1


async def test_a_server_that_ignores_the_schema_reads_it_in_the_prompt(opened: Open) -> None:
    assert await _checked(opened, OPERATION, following(ignores=True)) == [1, 1]


async def test_a_reply_without_an_object_is_told_as_it_is(opened: Open) -> None:
    async with opened(Reply(text="I cannot do that.")) as bench:
        assert text_of(await bench.all(replace(REQUEST, tools=(), schema=OPERATION))) == "I cannot do that."
