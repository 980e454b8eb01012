"""Checks the arguments of a tool call against the tool's JSON Schema before the tool runs (X-02).

``jsonschema`` does the checking; this module puts its errors into sentences for a model. Schemas are never fetched: a
``$ref`` may only refer to the schema itself.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_KEPT_VALIDATORS = 256
"""More than the tools that one agent has. A validator takes a few kilobytes."""

_SENTENCES = {
    "minLength": "must have at least {} length",
    "maxLength": "must have at most {} length",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "const": "must be {!r}",
    "pattern": "must match the pattern {}",
}
"""The sentence for a model by keyword of JSON Schema, with a place for the keyword's value."""


def problems(schema: dict[str, Any], arguments: Any) -> tuple[str, ...]:
    """The errors in ``arguments``, one English sentence each for the model to read; empty when there are none.

    Args:
        schema: a schema that ``check_schema`` accepts.
        arguments: the model's arguments, as JSON values.
    """
    try:
        errors = list(_validator(json.dumps(schema)).iter_errors(arguments))
    except RecursionError:
        return ("arguments are nested too deeply.",)
    # A value of the wrong type breaks other rules too. Only its type is reported.
    mistyped = {tuple(error.absolute_path) for error in errors if error.validator == "type"}
    told = [error for error in errors if error.validator == "type" or tuple(error.absolute_path) not in mistyped]
    return tuple(dict.fromkeys(f"{sentence}." for error in told for sentence in _sentences(error)))


def check_schema(schema: dict[str, Any]) -> None:
    """Check a tool's schema itself.

    Raises:
        ValueError: it is not a JSON Schema of an object, or it has an unresolvable reference.
    """
    from jsonschema.exceptions import SchemaError

    if schema.get("type") != "object":
        raise ValueError("the schema of a tool's arguments must have the type object")
    try:
        validator = _validator(json.dumps(schema))
        validator.check_schema(schema)
        _resolve_all(schema)
        validator.is_valid({})
    except SchemaError as error:
        raise ValueError(f"{error.json_path}: {error.message}") from error
    except RecursionError as error:
        raise ValueError("the schema refers to itself endlessly") from error


@lru_cache(maxsize=_KEPT_VALIDATORS)
def _validator(schema: str) -> "Validator":
    """The validator of a schema in JSON. The registry is empty, so that no schema is ever fetched."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    read = json.loads(schema)
    kind: Any = validator_for(read, default=Draft202012Validator)
    validator: Validator = kind(read, registry=Registry())
    return validator


def _resolve_all(schema: dict[str, Any]) -> None:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012, specification_with

    dialect = schema.get("$schema")
    specification = specification_with(dialect, default=DRAFT202012) if dialect else DRAFT202012
    root = specification.create_resource(schema)
    registry: Registry[Any] = Registry()
    waiting = [(root, registry.resolver_with_root(root))]
    while waiting:
        resource, resolver = waiting.pop()
        if isinstance(resource.contents, dict) and "$ref" in resource.contents:
            try:
                resolver.lookup(resource.contents["$ref"])
            except Unresolvable as error:
                raise ValueError(f"{resource.contents['$ref']} refers to nothing in the schema") from error
        waiting += [(inner, resolver.in_subresource(inner)) for inner in resource.subresources()]


def _sentences(error: "ValidationError") -> Iterator[str]:
    where, rule, value = _place(error.absolute_path), error.validator, error.validator_value
    if rule == "type":
        wanted = [value] if isinstance(value, str) else value
        yield f"{where} must be {' or '.join(wanted)}, not {_type_name(error.instance)}"
    elif rule == "required":
        yield from (f"{where}.{name} is missing" for name in value if name not in error.instance)
    elif rule == "enum":
        yield f"{where} must be one of {', '.join(map(repr, value))}"
    elif rule == "additionalProperties" and value is False:
        yield from _unknown(error, where)
    elif rule in ("anyOf", "oneOf") and error.context:
        yield f"{where} fits none of the forms that are allowed: {_alternatives(error.context)}"
    else:
        sentence = _SENTENCES.get(str(rule))
        yield f"{where} {sentence.format(value)}" if sentence else f"{where}: {error.message}"


def _unknown(error: "ValidationError", where: str) -> Iterator[str]:
    schema: Any = error.schema
    known = schema.get("properties", {})
    allowed = "|".join(schema.get("patternProperties", {}))
    for name in error.instance:
        if name not in known and not (allowed and re.search(allowed, name)):
            yield f"{where}.{name} is unknown; known are: {', '.join(known) or 'none'}"


def _alternatives(errors: Iterable["ValidationError"]) -> str:
    """Why each form of ``anyOf`` or ``oneOf`` does not fit."""
    forms: dict[Any, list[str]] = {}
    for error in errors:
        forms.setdefault(error.relative_schema_path[0], []).extend(_sentences(error))
    return "; or ".join(" and ".join(sentences) for sentences in forms.values())


def _place(path: Iterable[str | int]) -> str:
    return "arguments" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _type_name(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
