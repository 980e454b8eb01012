"""Writes ``docs/interface.md`` and ``docs/interface.json``: ``python -m assistant.app.cli.interface_page``."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from assistant.core.formats.json_form import INTERFACE_VERSION, type_name
from assistant.core.formats.json_schema import Schema, Schemas
from assistant.core.packets import Packet
from assistant.core.service.every_request import REQUESTS
from assistant.core.service.frames import ClientFrame, EngineFrame
from assistant.core.service.request import Request, result_type
from assistant.core.updates import Update

PAGE = Path(__file__).parents[3] / "docs" / "interface.md"
SCHEMA = PAGE.with_suffix(".json")

_BEGINNING = f"""\
# The engine's interface

Version {INTERFACE_VERSION}. Written by `python -m assistant.app.cli.interface_page` from the types in `core/service/`,
`core/updates.py` and `core/packets.py`; [interface.json](interface.json) has the same as JSON Schema.

Each value is a JSON object. Where one of several may stand, `type` names which. An attribute without a mark in the
column "needed" has a default. Bytes are base64. A client passes over attributes and events that it does not know;
the engine refuses a request with an attribute that it does not know. A value that is not understood is refused with
`unknown_type`, `missing_field`, `unknown_field` or `wrong_value`, and the place in `values.place`.

On the local socket each object is one line. The client begins with `hello`. Then it sends `request` and `cancel`, and
gets one `reply` a request, and a `delivery` an event.
"""


def main() -> None:
    """Write both files."""
    page, schema = documents()
    PAGE.write_text(page, encoding="utf-8")
    SCHEMA.write_text(schema, encoding="utf-8")


def documents() -> tuple[str, str]:
    """The page and the schema."""
    schemas = Schemas()
    groups: dict[str, Sequence[Any]] = {
        "Frames of a client": get_args(ClientFrame),
        "Frames of the engine": get_args(EngineFrame),
        "Requests": REQUESTS,
        "Events": get_args(Update),
        "Packets": get_args(Packet),
    }
    unions = {heading: schemas.tagged(kinds) for heading, kinds in groups.items()}
    results = {type_name(each): schemas.of(result_type(each)) for each in REQUESTS}
    named = {type_name(each) for kinds in groups.values() for each in kinds}
    parts = [_BEGINNING]
    for heading, kinds in groups.items():
        parts.append(f"\n## {heading}\n")
        parts += [_entry(type_name(each), schemas.definitions[type_name(each)], each, results) for each in kinds]
    parts.append("\n## Parts\n")
    parts += [_entry(name, schemas.definitions[name]) for name in sorted(schemas.definitions) if name not in named]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The interface of Sori's engine",
        "version": INTERFACE_VERSION,
        **{f"{heading[0].lower()}{heading[1:]}".replace(" ", "_"): union for heading, union in unions.items()},
        "results": results,
        "$defs": dict(sorted(schemas.definitions.items())),
    }
    return "\n".join(parts), f"{json.dumps(schema, ensure_ascii=False, indent=1)}\n"


def _entry(name: str, schema: Schema, kind: Any = None, results: dict[str, Schema] | None = None) -> str:
    lines = [f"### `{name}`", "", schema["description"], ""]
    if "enum" in schema:
        lines += [", ".join(f"`{each}`" for each in schema["enum"]), ""]
    lines += _table(schema)
    if isinstance(kind, type) and issubclass(kind, Request) and results is not None:
        lines += [f"Right: `{kind.right}`. Result: {_words(results[name])}.", ""]
    return "\n".join(lines)


def _table(schema: Schema) -> Iterator[str]:
    rows = {name: part for name, part in schema.get("properties", {}).items() if "const" not in part}
    if not rows:
        return
    yield "| attribute | form | needed | meaning |"
    yield "|---|---|---|---|"
    for name, part in rows.items():
        needed = "yes" if name in schema["required"] else ""
        yield f"| `{name}` | {_words(part)} | {needed} | {_in_a_cell(part.get('description', ''))} |"
    yield ""


def _in_a_cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


def _words(schema: Schema) -> str:
    """A schema in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[`{name}`](#{name.lower()})"
    if "oneOf" in schema:
        return _alternatives(schema["oneOf"])
    if "enum" in schema:
        return _alternatives({"const": each} for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    match schema.get("type"):
        case "array":
            items = schema.get("prefixItems") or [schema["items"]]
            return f"array of {', '.join(map(_words, items))}"
        case "object":
            return f"object of {_words(schema['additionalProperties'])}"
        case "string" if "contentEncoding" in schema:
            return "base64"
        case None:
            return "any JSON"
        case kind:
            return str(kind)


def _alternatives(schemas: Iterable[Schema]) -> str:
    return " or ".join(map(_words, schemas))


if __name__ == "__main__":
    main()
