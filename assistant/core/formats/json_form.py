"""The JSON form of requests, replies, events and packets, derived from their types.

A dataclass is an object with its fields. Where one of several dataclasses may stand, ``type`` names which
(``type_name``). Bytes are base64, tuples are arrays, enumerations are their values. The names are a public interface
with the version ``INTERFACE_VERSION``; ``docs/interface.md`` lists them.
"""

import binascii
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.messages import Attachment, MadeFile

INTERFACE_VERSION = 1
"""The version of the names. It rises when a name changes its meaning or goes; a further name leaves it as it is."""

T = TypeVar("T")


class FormError(SoriError):
    """A JSON value has not the form of its type.

    Args:
        problem: the key of the error: ``unknown_type``, ``missing_field``, ``unknown_field`` or ``wrong_value``.
        detail: what was found or wanted.
        place: where it is, such as ``attachments[0].name``; empty for the value as a whole.
    """

    def __init__(self, problem: str, detail: str, place: str = "") -> None:
        super().__init__(
            ErrorCode.INVALID_REQUEST,
            f"{place or 'the value'}: {problem}: {detail}",
            message_key=problem,
            values={"place": place or ".", "detail": detail},
        )
        self.problem, self.place = problem, place

    def inside(self, step: str) -> Self:
        """The same error, as seen from the value that has it at ``step``: a field's name or ``[3]``."""
        between = "." if self.place and not self.place.startswith("[") else ""
        return type(self)(self.problem, self.detail_alone, f"{step}{between}{self.place}")

    @property
    def detail_alone(self) -> str:
        """What was found or wanted, without its place."""
        return self.values["detail"]


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type are written and read.

    Attributes:
        write: makes JSON of a value.
        read: makes a value of JSON.

    Raises:
        FormError: by ``read``, if the JSON has another form.
    """

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileElsewhere:
    """A file whose bytes are with the engine; implements ``KeptFile``.

    Attributes:
        size: size in bytes.
        reference: names it for ``ReadFile``; empty if it is only at a path.
        fetch: asks the engine for the bytes of a reference; ``None`` where nobody can.
    """

    size: int
    reference: str
    fetch: Callable[[str], bytes] | None = field(default=None, repr=False, compare=False)

    @property
    def head(self) -> bytes:
        """Nothing: the bytes are elsewhere."""
        return b""

    def read(self) -> bytes:
        """Fetch the bytes. The call waits for the engine.

        Raises:
            StorageError: the engine refuses or has gone, or nobody can ask it.
        """
        if self.fetch is not None and self.reference:
            return self.fetch(self.reference)
        raise StorageError(self.reference, "the bytes of this file are with the engine")


fetching: ContextVar[Callable[[str], bytes] | None] = ContextVar("fetching", default=None)
"""Asks the engine for the bytes of files that are read from JSON in this context."""


def to_json(kind: Any, value: object) -> Any:
    """The JSON form of a value of the type ``kind``, which may be a union."""
    return form_of(kind).write(value)


def from_json(kind: type[T], value: object, *, lenient: bool = False) -> T:
    """The value of the type ``kind`` in its JSON form.

    Args:
        kind: the type; a union is allowed.
        value: what ``json.loads`` returns.
        lenient: whether fields that the type does not have are passed over. A client does so, because a newer engine
            may tell more.

    Raises:
        FormError: it has another form; the error names the place.
    """
    form: Any = kind  # A type is hashable, which ``type[T]`` does not say.
    result: T = form_of(form, lenient=lenient).read(value)
    return result


def type_name(kind: type) -> str:
    """The name of a dataclass in ``type``: its own ``type`` (packets), else its class name in lower case."""
    own = getattr(kind, "type", None)
    return own if isinstance(own, str) else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()


@cache
def form_of(kind: Any, *, lenient: bool = False) -> Form:
    """The form of a type.

    Raises:
        TypeError: the type has no JSON form. This is an error of the program, which a test finds.
    """
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, NewType):
        return form_of(kind.__supertype__, lenient=lenient)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(arguments, lenient=lenient)
    if origin is Literal:
        return _choice({each: each for each in arguments})
    if origin in (tuple, list, frozenset, Sequence, Collection):
        return _array(origin, arguments, lenient=lenient)
    if origin in (dict, Mapping):
        return _object(arguments[1], lenient=lenient)
    if origin is Callable:
        return _made_when_needed(arguments[1], lenient=lenient)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice({each.value: each for each in kind})
    if is_dataclass(origin or kind):
        return _dataclass(origin or kind, lenient=lenient)
    raise TypeError(f"{kind} has no JSON form")


def _wrong(wanted: str, value: object) -> FormError:
    shown = repr(value)
    return FormError("wrong_value", f"{wanted} expected, not {shown if len(shown) <= 40 else f'{shown[:40]}…'}")


def _exactly(kind: type, wanted: str) -> Form:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(wanted, value)
        return value

    return Form(_as_it_is, read)


def _as_it_is(value: Any) -> Any:
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise _wrong("a number", value)
    return float(value)


def _bytes(value: Any) -> bytes:
    try:
        return binascii.a2b_base64(value, strict_mode=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise _wrong("base64", value) from error


def _path(value: Any) -> Path:
    return Path(_TEXT.read(value))


_TEXT = _exactly(str, "text")
_COUNT = _exactly(int, "an integer")


def _choice(values: Mapping[Any, Any]) -> Form:
    def read(value: Any) -> Any:
        # An unhashable value is none of them.
        if not isinstance(value, str | int) or value not in values:
            raise _wrong(f"one of {', '.join(map(str, values))}", value)
        return values[value]

    return Form(lambda value: value.value if isinstance(value, Enum) else value, read)


def _array(origin: Any, arguments: tuple[Any, ...], *, lenient: bool) -> Form:
    make = origin if origin in (list, frozenset) else tuple
    if origin is tuple and arguments[-1:] != (...,):
        forms = [form_of(each, lenient=lenient) for each in arguments]
        return Form(
            lambda value: [form.write(each) for form, each in zip(forms, value, strict=True)],
            lambda value: tuple(_items(value, forms)),
        )
    form = form_of(arguments[0], lenient=lenient)
    return Form(lambda value: [form.write(each) for each in value], lambda value: make(_items(value, form)))


def _items(value: Any, forms: Form | Sequence[Form]) -> list[Any]:
    """Read an array: all items by one form, or each by its own."""
    if not isinstance(value, list):
        raise _wrong("an array", value)
    if not isinstance(forms, Form) and len(value) != len(forms):
        raise _wrong(f"an array of {len(forms)}", value)
    read = []
    for index, each in enumerate(value):
        try:
            read.append((forms if isinstance(forms, Form) else forms[index]).read(each))
        except FormError as error:
            raise error.inside(f"[{index}]") from None
    return read


def _object(kind: Any, *, lenient: bool) -> Form:
    form = form_of(kind, lenient=lenient)

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong("an object", value)
        return {name: _inside(name, form, each) for name, each in value.items()}

    return Form(lambda value: {name: form.write(each) for name, each in value.items()}, read)


def _inside(name: str, form: Form, value: Any) -> Any:
    try:
        return form.read(value)
    except FormError as error:
        raise error.inside(name) from None


def _made_when_needed(kind: Any, *, lenient: bool) -> Form:
    """What a callable without arguments returns. The reader gets one that returns it."""
    form = form_of(kind, lenient=lenient)

    def read(value: Any) -> Any:
        made = form.read(value)
        return lambda: made

    return Form(lambda value: form.write(value()), read)


def _one_of(kinds: tuple[Any, ...], *, lenient: bool) -> Form:
    some = tuple(each for each in kinds if each is not NoneType)
    if len(some) == 1:
        form = form_of(some[0], lenient=lenient)
    elif all(is_dataclass(get_origin(each) or each) for each in some):
        form = tagged(some, lenient=lenient)
    else:
        raise TypeError(f"{kinds}: JSON does not tell one from the other")
    if len(some) == len(kinds):
        return form
    return Form(
        lambda value: None if value is None else form.write(value),
        lambda value: None if value is None else form.read(value),
    )


def tagged(kinds: Collection[Any], *, lenient: bool = False) -> Form:
    """The form of a value of one of these dataclasses, whose ``type`` says which.

    Raises:
        TypeError: two of them have the same name.
    """
    names = {type_name(each): each for each in kinds}
    if len(names) != len(kinds):
        raise TypeError("two types have the same name")

    def write(value: Any) -> Any:
        kind = type(value)
        name = type_name(kind)
        if names.get(name) is not kind:
            raise TypeError(f"{kind.__name__} is none of these types")
        return {"type": name, **form_of(kind, lenient=lenient).write(value)}

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _wrong("an object", value)
        if "type" not in value:
            raise FormError("missing_field", "type", "type")
        name = value["type"]
        if not isinstance(name, str) or name not in names:
            raise FormError("unknown_type", str(name)[:80], "type")
        rest = {each: part for each, part in value.items() if each != "type"}
        return form_of(names[name], lenient=lenient).read(rest)

    return Form(write, read)


def _dataclass(kind: type, *, lenient: bool) -> Form:
    hints, parts = get_type_hints(kind), [each for each in fields(kind) if each.init]
    if any(each.name == "type" for each in parts):
        raise TypeError(f"{kind.__name__}.type would hide the name of its type")
    forms = {each.name: form_of(hints[each.name], lenient=lenient) for each in parts}
    needed = [each.name for each in parts if not _has_default(each)]

    def write(value: Any) -> Any:
        return {name: form.write(getattr(value, name)) for name, form in forms.items()}

    def read(value: Any) -> Any:
        _check_names(value, needed, value if lenient else forms)
        given = {name: _inside(name, form, value[name]) for name, form in forms.items() if name in value}
        try:
            return kind(**given)
        except ValueError as error:
            raise FormError("wrong_value", str(error)) from error

    return Form(write, read)


def _check_names(value: Any, needed: Collection[str], known: Collection[str]) -> None:
    """Check that an object has all fields that it needs, and no other than ``known``."""
    if not isinstance(value, dict):
        raise _wrong("an object", value)
    for name in needed:
        if name not in value:
            raise FormError("missing_field", name, name)
    for name in value:
        if name not in known:
            raise FormError("unknown_field", name[:80], name[:80])


def _has_default(part: Field[Any]) -> bool:
    return part.default is not MISSING or part.default_factory is not MISSING


@dataclass(frozen=True, slots=True, kw_only=True)
class FileForm:
    """A file of a message: its bytes, or the reference by which the engine finds them.

    Attributes:
        mime_type: its type.
        name: its name.
        size: size in bytes; 0 where ``data`` tells it.
        data: its bytes; ``None`` if they are with the engine.
        reference: names a file that the engine keeps, for ``ReadFile``.
    """

    mime_type: str
    name: str
    size: int = 0
    data: bytes | None = None
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFileForm:
    """A file that a tool has made. Its bytes are at ``path``, and with the engine.

    Attributes:
        name: its name.
        mime_type: its type.
        size: size in bytes.
        path: where it was saved for the user, on the engine's computer.
        reference: names it for ``ReadFile``, from the end of a moment on in which it is stored.
    """

    name: str
    mime_type: str
    size: int
    path: str
    reference: str = ""


def _write_file(file: Attachment) -> Any:
    told: dict[str, Any] = {"mime_type": file.mime_type, "name": file.name, "size": file.size}
    if isinstance(file.data, bytes):
        return {**told, "data": form_of(bytes).write(file.data)}
    return {**told, "reference": file.data.reference}


def _read_file(value: Any) -> Attachment:
    told = form_of(FileForm).read(value)
    elsewhere = FileElsewhere(size=told.size, reference=told.reference, fetch=fetching.get())
    data = elsewhere if told.data is None else told.data
    return Attachment(mime_type=told.mime_type, name=told.name, data=data)


def _write_made_file(file: MadeFile) -> Any:
    kept = file.attachment
    told = {"name": kept.name, "mime_type": kept.mime_type, "size": kept.size, "path": file.path}
    return {**told, "reference": file.reference}


def _read_made_file(value: Any) -> MadeFile:
    told = form_of(MadeFileForm).read(value)
    data = FileElsewhere(size=told.size, reference=told.reference, fetch=fetching.get())
    kept = Attachment(mime_type=told.mime_type, name=told.name, data=data)
    return MadeFile(attachment=kept, path=told.path, reference=told.reference)


_PLAIN: Mapping[Any, Form] = {
    Any: Form(_as_it_is, _as_it_is),
    object: Form(_as_it_is, _as_it_is),
    None: _exactly(NoneType, "null"),
    NoneType: _exactly(NoneType, "null"),
    str: _TEXT,
    int: _COUNT,
    bool: _exactly(bool, "true or false"),
    float: Form(_as_it_is, _number),
    bytes: Form(lambda value: binascii.b2a_base64(value, newline=False).decode("ascii"), _bytes),
    Path: Form(str, _path),
    Attachment: Form(_write_file, _read_file),
    MadeFile: Form(_write_made_file, _read_made_file),
}
