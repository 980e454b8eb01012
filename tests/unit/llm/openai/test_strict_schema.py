"""Which schemas are sent as strict."""

from typing import Any

import pytest

from assistant.llm.openai.strict_schema import may_be_strict

TEXT = {"type": "string"}


def closed(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


STRICT = {
    "no members": closed(),
    "text": closed(memo=TEXT),
    "maybe null": closed(amount={"type": ["integer", "null"], "minimum": 1}),
    "one of several": closed(date={"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "listed values": closed(op={"enum": ["set", "clear"]}),
    "list of objects": closed(operations={"type": "array", "items": closed(op={"const": "set"}), "maxItems": 3}),
    "defined elsewhere": {**closed(who={"$ref": "#/$defs/person"}), "$defs": {"person": closed(name=TEXT)}},
}
NOT_STRICT = {
    "open": {**closed(memo=TEXT), "additionalProperties": True},
    "not said to be closed": {"type": "object", "properties": {}, "required": []},
    "optional member": {**closed(memo=TEXT), "required": []},
    "unknown keyword": closed(memo={"type": "string", "minLength": 1}),
    "anything": closed(memo={}),
    "true": closed(memo=True),
    "open object inside": closed(who={"type": "object", "properties": {"name": TEXT}, "required": ["name"]}),
    "open object or null": closed(who={"type": ["object", "null"], "properties": {}}),
    "open items": closed(all={"type": "array", "items": {"type": "object"}}),
    "open definition": {**closed(who={"$ref": "#/$defs/x"}), "$defs": {"x": {"type": "object"}}},
    "open alternative": closed(who={"anyOf": [{"type": "object"}, {"type": "null"}]}),
    "alternatives at the root": {**closed(memo=TEXT), "anyOf": [{"required": ["memo"]}]},
    "a list": {"type": "array", "items": TEXT},
}


@pytest.mark.parametrize("schema", STRICT.values(), ids=STRICT)
def test_strict(schema: dict[str, Any]) -> None:
    assert may_be_strict(schema)


@pytest.mark.parametrize("schema", NOT_STRICT.values(), ids=NOT_STRICT)
def test_not_strict(schema: dict[str, Any]) -> None:
    assert not may_be_strict(schema)
