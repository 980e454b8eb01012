"""Tells which schemas OpenAI enforces strictly. Pure.

Every object must be closed and every member required, and only some keywords are known: one schema that breaks a rule
makes the API refuse the request. Reference: OpenAI's guide on structured outputs, supported schemas.
"""

from typing import Any

_KNOWN = frozenset(
    {"$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "items", "maxItems", "maximum"}
    | {"minItems", "minimum", "multipleOf", "pattern", "properties", "required", "title", "type"}
)


def may_be_strict(schema: dict[str, Any]) -> bool:
    """Whether a schema of an object follows the rules of strict schemas."""
    return schema.get("type") == "object" and "anyOf" not in schema and _is_strict(schema)


def _is_strict(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= _KNOWN:
        return False
    members = schema.get("properties", {})
    if "object" in (schema.get("type"), *_listed(schema.get("type"))):
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != members.keys():
            return False
    elif not schema.keys() & {"type", "anyOf", "enum", "const", "$ref"}:
        return False
    inner = [*members.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ())]
    return all(map(_is_strict, [*inner, *([schema["items"]] if "items" in schema else [])]))


def _listed(kind: Any) -> list[Any]:
    return kind if isinstance(kind, list) else []
