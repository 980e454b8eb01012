"""Checks a call's arguments against a tool's JSON Schema before anything runs (X-02).

The part of JSON Schema that tools use: types, ``properties``, ``required``, ``additionalProperties: false``,
``enum``, ``items``, bounds of numbers and lengths. Keywords that it does not know are not checked; the tool's own
server does that.
"""

from collections.abc import Iterator
from typing import Any


def problems(schema: dict[str, Any], arguments: Any) -> tuple[str, ...]:
    """What is wrong with ``arguments``, one English sentence each for the model to read; empty when nothing is."""
    return tuple(_check(schema, arguments, "arguments"))


def _check(schema: dict[str, Any], value: Any, where: str) -> Iterator[str]:
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else list(wanted or [])
    if names and not any(_is(value, name) for name in names):
        yield f"{where} must be {' or '.join(names)}, not {_name_of(value)}."
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} must be one of {', '.join(map(repr, schema['enum']))}."
    if isinstance(value, dict):
        yield from _check_object(schema, value, where)
    elif isinstance(value, list):
        yield from _check_length(schema, value, where, "Items")
        for index, item in enumerate(value):
            yield from _check(schema.get("items", {}), item, f"{where}[{index}]")
    elif isinstance(value, str):
        yield from _check_length(schema, value, where, "Length")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _check_bounds(schema, value, where)


def _check_object(schema: dict[str, Any], value: dict[str, Any], where: str) -> Iterator[str]:
    known: dict[str, Any] = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}.{name} is missing."
    for name, item in value.items():
        if name in known:
            yield from _check(known[name], item, f"{where}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{where}.{name} is unknown; known are: {', '.join(known) or 'none'}."


def _check_length(schema: dict[str, Any], value: list[Any] | str, where: str, what: str) -> Iterator[str]:
    if len(value) < schema.get(f"min{what}", 0):
        yield f"{where} must have at least {schema[f'min{what}']} {what.lower()}."
    if len(value) > schema.get(f"max{what}", len(value)):
        yield f"{where} must have at most {schema[f'max{what}']} {what.lower()}."


def _check_bounds(schema: dict[str, Any], value: float, where: str) -> Iterator[str]:
    if value < schema.get("minimum", value):
        yield f"{where} must be at least {schema['minimum']}."
    if value > schema.get("maximum", value):
        yield f"{where} must be at most {schema['maximum']}."


def _is(value: Any, name: str) -> bool:
    match name:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            return not isinstance(value, bool) and (
                isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            )
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return True


def _name_of(value: Any) -> str:
    return next(
        name for name in ("null", "boolean", "integer", "number", "string", "array", "object") if _is(value, name)
    )
