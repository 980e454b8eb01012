"""Converts JSON Schema into Gemini's function declarations.

Pure. Gemini accepts a part of OpenAPI 3.0's schema object. A type is one name in capitals, ``null`` is ``nullable``,
and there is no ``$ref``, ``oneOf`` or ``const``. An unknown keyword makes the API refuse the whole request with a 400.
Tools come with any JSON Schema, since MCP servers write what their libraries generate. What has no counterpart is put
into the description if it matters, and dropped otherwise. Reference: the Gemini API's ``Schema``.
"""

from typing import Any

_KEPT = {
    "title": "title",
    "description": "description",
    "default": "default",
    "minimum": "minimum",
    "maximum": "maximum",
    "minItems": "min_items",
    "maxItems": "max_items",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minProperties": "min_properties",
    "maxProperties": "max_properties",
    "pattern": "pattern",
}
"""Keywords with the same meaning, and their names in the SDK."""

_FORMATS = {
    "STRING": {"date-time", "enum"},
    "INTEGER": {"int32", "int64"},
    "NUMBER": {"float", "double"},
}
"""Formats that the API accepts; it refuses any other."""

_TYPES = {"string", "number", "integer", "boolean", "array", "object"}

_DEEPEST = 12
"""Maximum depth, because references may be circular. A deeper schema becomes any object."""


def declared_parameters(schema: dict[str, Any]) -> dict[str, Any] | None:
    """The parameters of a function, or ``None`` for a function without any: the API refuses an empty object.

    Args:
        schema: JSON Schema of an object.
    """
    converted = _Converter(schema).convert(schema)
    return converted if converted.get("properties") else None


class _Converter:
    """Converts one schema; keeps the root to resolve references."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root

    def convert(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """Convert a schema and its subschemas."""
        if not isinstance(schema, dict):
            # ``true`` allows any value. Gemini has no such type.
            return {"type": "STRING"}
        schema = self._resolved(schema, depth)
        if depth > _DEEPEST:
            return {"type": "OBJECT"}
        kept = {ours: schema[theirs] for theirs, ours in _KEPT.items() if schema.get(theirs) is not None}
        choices, nullable = self._choices(schema)
        if len(choices) == 1:
            merged = {**choices[0], **{name: value for name, value in schema.items() if name not in _CHOOSING}}
            converted = self.convert({**merged, "type": choices[0].get("type", schema.get("type"))}, depth + 1)
        elif choices:
            converted = {**kept, "any_of": [self.convert(each, depth + 1) for each in choices]}
        else:
            converted = {**kept, **self._plain(schema, depth)}
        if nullable:
            converted["nullable"] = True
        return converted

    def _resolved(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """The schema with its reference resolved and ``allOf`` merged."""
        for _ in range(_DEEPEST):
            if "$ref" not in schema:
                break
            rest = {name: value for name, value in schema.items() if name != "$ref"}
            schema = {**self._target(schema["$ref"]), **rest}
        if depth <= _DEEPEST and isinstance(schema.get("allOf"), list):
            joined: dict[str, Any] = {}
            for each in (*schema["allOf"], {name: value for name, value in schema.items() if name != "allOf"}):
                part = self._resolved(each, depth + 1) if isinstance(each, dict) else {}
                properties = {**joined.get("properties", {}), **part.get("properties", {})}
                required = [*joined.get("required", []), *part.get("required", [])]
                joined = {**joined, **part}
                joined.update({"properties": properties} if properties else {})
                joined.update({"required": required} if required else {})
            return joined
        return schema

    def _target(self, reference: Any) -> dict[str, Any]:
        """The target of a reference inside the document, or an empty schema for any other reference."""
        path = str(reference).removeprefix("#").strip("/")
        target: Any = self._root
        for step in path.split("/") if path else []:
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, dict) else None
        return target if isinstance(target, dict) else {}

    def _choices(self, schema: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
        """The alternatives of a schema without ``null``, and whether ``null`` was one."""
        alternatives = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(alternatives, list):
            resolved = [self._resolved(each, 0) if isinstance(each, dict) else {} for each in alternatives]
        elif isinstance(schema.get("type"), list):
            resolved = [{**schema, "type": name} for name in schema["type"]]
        else:
            return [], bool(schema.get("nullable"))
        return [each for each in resolved if not _is_null(each)], any(_is_null(each) for each in resolved)

    def _plain(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """Type, values and subschemas of a schema without alternatives."""
        name = _type_of(schema)
        converted: dict[str, Any] = {"type": name}
        if schema.get("format") in _FORMATS.get(name, ()):
            converted["format"] = schema["format"]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(values, list):
            converted.update(_values(name, values, schema.get("description")))
            if None in values:
                converted["nullable"] = True
        if name == "ARRAY":
            converted["items"] = self.convert(schema.get("items", True), depth + 1)
        properties = schema.get("properties")
        if name == "OBJECT" and isinstance(properties, dict) and properties:
            converted["properties"] = {each: self.convert(value, depth + 1) for each, value in properties.items()}
            required = [each for each in schema.get("required") or [] if each in properties]
            if required:
                converted["required"] = list(dict.fromkeys(required))
        return converted


_CHOOSING = {"anyOf", "oneOf", "type", "nullable"}


def _is_null(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "null" or ("const" in schema and schema["const"] is None)


def _type_of(schema: dict[str, Any]) -> str:
    """The type of a schema: as declared, else inferred from its keywords and values, else text."""
    name = schema.get("type")
    if isinstance(name, str) and name.lower() in _TYPES:
        return name.upper()
    if "properties" in schema or "additionalProperties" in schema:
        return "OBJECT"
    if "items" in schema:
        return "ARRAY"
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    kinds = {type(value) for value in values or [] if value is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "INTEGER"
    return "NUMBER" if kinds and kinds <= {int, float} else "STRING"


def _values(name: str, values: list[Any], description: object) -> dict[str, Any]:
    """The allowed values: as ``enum`` for texts, otherwise in the description, because the API lists only texts."""
    allowed = [value for value in values if value is not None]
    if name == "STRING" and allowed and all(isinstance(value, str) and value for value in allowed):
        return {"enum": allowed}
    told = f"One of: {', '.join(map(str, allowed))}."
    return {"description": f"{description} {told}" if description else told}
