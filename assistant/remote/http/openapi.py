"""The OpenAPI document, made of the operations and of the types of their requests and answers."""

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from types import NoneType
from typing import Any, Final, get_args

from assistant.core.formats.json_form import INTERFACE_VERSION
from assistant.core.formats.json_schema import Schemas
from assistant.core.service.request import Refusal
from assistant.remote.http.operations import EVENTS, JSON, LARGEST_NUMBER, TURN, Operation

Schema = dict[str, Any]

_VERSION: Final = "3.1.0"
_BASE64: Final = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_ID: Final[Schema] = {"type": "string", "minLength": 1, "pattern": "^[^/]+$"}


def document(operations: Iterable[Operation]) -> Schema:
    """The document that describes operations."""
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, schemas)
    told = {
        "openapi": _VERSION,
        "info": {
            "title": "Sori",
            "version": str(INTERFACE_VERSION),
            "description": "Sori on this computer. Every call needs a token of `sori tokens add NAME`.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {**_bounded(schemas.definitions), "Error": _error(schemas)},
        },
    }
    text = json.dumps(told).replace("#/$defs/", "#/components/schemas/")
    result: Schema = json.loads(text)
    return result


def _error(schemas: Schemas) -> Schema:
    return {"type": "object", "properties": {"error": schemas.of(Refusal)}, "required": ["error"]}


def _operation(operation: Operation, schemas: Schemas) -> Schema:
    fields = _fields(operation, schemas)
    outside = {*operation.in_path, *operation.query}
    parameters: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": _in_path(fields.get("properties", {}).get(name, {}))}
        for name in operation.in_path
    ]
    parameters += [
        {"name": name, "in": "query", "required": name in fields["required"], "schema": fields["properties"][name]}
        for name in operation.query
    ]
    told: Schema = {
        "operationId": _name(operation),
        "summary": operation.summary,
        "tags": [operation.path.split("/")[2]],
        "parameters": parameters,
        "responses": {
            str(int(operation.status)): _answer(operation, schemas),
            "default": {"description": "It was refused.", "content": {JSON: {"schema": {"$ref": "#/$defs/Error"}}}},
        },
    }
    if operation.public:
        told["security"] = []
    if (body := operation.body or _body(fields, outside)) and operation.method not in ("GET", "DELETE"):
        told["requestBody"] = {"required": bool(body.get("required")), "content": {operation.sends: {"schema": body}}}
    if told.get("contentEncoding") == "base64":
        told["pattern"] = _BASE64
    return told


def _fields(operation: Operation, schemas: Schemas) -> Schema:
    """The schema of the fields that an operation reads, in the path, in the query and in the body together."""
    if operation.reads is None:
        return {"properties": {}, "required": []}
    name = schemas.of(operation.reads)["$ref"].rpartition("/")[2]
    # What is in the path is no part of the body, so the type itself is not among the schemas.
    fields: Schema = _bounded(schemas.definitions.pop(name))
    return fields


def _in_path(schema: Schema) -> Schema:
    """The schema of a part of the address: a number as it is, else a name."""
    return schema if schema.get("type") == "integer" else {**schema, **_ID}


def _body(fields: Schema, outside: set[str]) -> Schema | None:
    properties = {name: each for name, each in fields["properties"].items() if name not in outside}
    if "turn" in properties:
        properties["turn"] = {**properties["turn"], "pattern": TURN if "turn" in fields["required"] else f"^$|{TURN}"}
    required = [name for name in fields["required"] if name not in outside]
    if not properties:
        return None
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _answer(operation: Operation, schemas: Schemas) -> Schema:
    description = HTTPStatus(operation.status).phrase
    if operation.gives in (None, NoneType):
        return {"description": description}
    if operation.media == EVENTS:
        kinds = schemas.tagged(get_args(operation.gives)) if get_args(operation.gives) else {}
        about = f"{description}. Each event has one of these objects as its data: {_names(kinds)}."
        return {"description": about, "content": {EVENTS: {}}}
    if operation.media != JSON:
        media = (operation.media, *operation.also)
        return {"description": description, "content": {each: {"schema": {"type": "string"}} for each in media}}
    schema = {"type": "object"} if operation.gives is dict else schemas.of(operation.gives)
    if operation.wrapped:
        schema = {"type": "object", "properties": {operation.wrapped: schema}, "required": [operation.wrapped]}
    also: Schema = {each: {} for each in operation.also}
    return {"description": description, "content": {JSON: {"schema": schema}, **also}}


def _names(kinds: Mapping[str, Any]) -> str:
    return ", ".join(each["$ref"].rpartition("/")[2] for each in kinds.get("oneOf", ())) or "text"


def _name(operation: Operation) -> str:
    words = re.findall(r"[a-z]+", operation.path.removeprefix("/v1"))
    return "_".join([operation.method.lower(), *words])


def _bounded(schema: Any) -> Any:
    """A schema with what is checked of whole numbers and of base64."""
    if isinstance(schema, list):
        return [_bounded(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: _bounded(each) for name, each in schema.items()}
    if told.get("type") == "integer":
        told.setdefault("minimum", -LARGEST_NUMBER)
        told.setdefault("maximum", LARGEST_NUMBER)
    if told.get("contentEncoding") == "base64":
        told["pattern"] = _BASE64
    return told
