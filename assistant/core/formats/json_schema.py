"""JSON Schema (2020-12) of the types that ``json_form`` writes, with their docstrings as descriptions."""

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

from assistant.core.formats.json_form import FileForm, MadeFileForm, form_of, type_name
from assistant.core.messages import Attachment, MadeFile

Schema = dict[str, Any]

_PLAIN: Mapping[Any, Schema] = {
    Any: {},
    object: {},
    None: {"type": "null"},
    NoneType: {"type": "null"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    Path: {"type": "string"},
}
_OTHER_FORM: Mapping[Any, type] = {Attachment: FileForm, MadeFile: MadeFileForm}


@dataclass(frozen=True, slots=True)
class Documented:
    """What the docstring of a type says.

    Attributes:
        summary: the text before the attributes, in one line.
        attributes: the meaning of each attribute that it explains.
    """

    summary: str
    attributes: Mapping[str, str]


class Schemas:
    """Makes schemas, and collects the definitions to which they refer.

    Attributes:
        definitions: the schemas of dataclasses and enumerations, by name.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a type, as ``form_of`` reads it.

        Raises:
            TypeError: the type has no JSON form.
        """
        kind = _OTHER_FORM.get(kind, kind)
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        if isinstance(kind, NewType):
            return self.of(kind.__supertype__)
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is not None:
            return self._generic(origin, arguments)
        if isinstance(kind, type) and issubclass(kind, Enum):
            about = documented(kind).summary
            self.definitions[kind.__name__] = {"description": about, "enum": [each.value for each in kind]}
            return _reference(kind.__name__)
        if is_dataclass(kind) and isinstance(kind, type):
            return self._dataclass(kind)
        if isinstance(kind, UnionType):
            return self._one_of(get_args(kind))
        raise TypeError(f"{kind} has no JSON form")

    def tagged(self, kinds: Collection[Any]) -> Schema:
        """The schema of one of these dataclasses, whose ``type`` says which."""
        return {"oneOf": [self._dataclass(get_origin(each) or each, name=type_name(each)) for each in kinds]}

    def _generic(self, origin: Any, arguments: tuple[Any, ...]) -> Schema:
        if origin in (Union, UnionType):
            return self._one_of(arguments)
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is Callable:
            return self.of(arguments[1])
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if origin is tuple and arguments[-1:] != (...,):
            count = len(arguments)
            items = [self.of(each) for each in arguments]
            return {"type": "array", "prefixItems": items, "minItems": count, "maxItems": count}
        if origin in (tuple, list, frozenset, Sequence, Collection):
            return {"type": "array", "items": self.of(arguments[0])}
        return self._dataclass(origin)

    def _one_of(self, kinds: tuple[Any, ...]) -> Schema:
        some = [each for each in kinds if each is not NoneType]
        schema = self.of(some[0]) if len(some) == 1 else self.tagged(some)
        return schema if len(some) == len(kinds) else {"oneOf": [schema, {"type": "null"}]}

    def _dataclass(self, kind: type, *, name: str = "") -> Schema:
        """Define a dataclass; ``name`` is what its ``type`` says where one of several may stand."""
        title = name or kind.__name__
        if title not in self.definitions:
            self.definitions[title] = {}  # A type may hold itself.
            self.definitions[title] = self._definition(kind, name)
        return _reference(title)

    def _definition(self, kind: type, name: str) -> Schema:
        form_of(kind)  # refuses a type without a form
        about, hints = documented(kind), get_type_hints(kind)
        properties: dict[str, Schema] = {"type": {"const": name}} if name else {}
        needed = ["type"] if name else []
        for part in fields(kind):
            if not part.init:
                continue
            schema = self.of(hints[part.name])
            if part.name in about.attributes:
                schema = {**schema, "description": about.attributes[part.name]}
            properties[part.name] = schema
            if part.default is MISSING and part.default_factory is MISSING:
                needed.append(part.name)
        return {
            "description": about.summary,
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": False,
        }


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


_ATTRIBUTE = re.compile(r"^ {4}(\w+): ", re.MULTILINE)


def documented(kind: type) -> Documented:
    """Read the docstring of a type."""
    summary, _, listed = (inspect.getdoc(kind) or "").partition("\nAttributes:\n")
    pieces = _ATTRIBUTE.split(listed.partition("\n\n")[0])
    attributes = {name: _in_one_line(text) for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    return Documented(summary=_in_one_line(summary), attributes=attributes)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
