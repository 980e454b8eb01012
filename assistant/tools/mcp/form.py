"""The form of a server's question: its fields, and what an answer in words means for a field. Pure.

The schema is the restricted one of the protocol: flat, of texts, numbers, truths and choices. A server's regular
expressions are not run; the server checks them itself.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

MOST_FIELDS = 40
"""The reference server asks for 13 values at once. A refusal ends a form at any of them."""
_MOST_OPTIONS = 50
_LONGEST_WORDS = 400
"""Characters of a title, a description or an option."""
_SECRET = re.compile(
    r"passw|passcode|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv\b"
    r"|비밀번호|암호|비밀 ?키|인증 ?번호|카드 ?번호",
    re.IGNORECASE,
)
_YES = frozenset(
    {"yes", "y", "true", "on", "네", "넵", "예", "응", "그래", "그래요", "맞아요", "좋아요", "켜기", "켜", "켜줘"}
)
_NO = frozenset({"no", "n", "false", "off", "아니요", "아니오", "아니", "아뇨", "싫어요", "끄기", "꺼", "꺼줘"})
_NONE = frozenset({"none", "nothing", "없음", "없어요", "없어"})
_PARTS = re.compile(r"\s*(?:[,;/、]|\band\b|그리고)\s*")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")

FormValue = str | int | float | bool | list[str]


class FieldKind(StrEnum):
    """What a field takes."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    YES_NO = "yes_no"
    CHOICE = "choice"
    CHOICES = "choices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of a form.

    Attributes:
        name: the server's name for it.
        kind: what it takes.
        title: the server's words for it.
        description: further words; empty for none.
        required: whether it must have a value.
        default: its value without an answer; ``None`` for none.
        options: values and titles of a choice.
        least: the smallest number, length of a text or count of choices; ``None`` for any.
        most: the largest of these.
        form: the form of a text: ``email``, ``uri``, ``date`` or ``date-time``; empty for any.
    """

    name: str
    kind: FieldKind
    title: str
    description: str = ""
    required: bool = False
    default: FormValue | None = None
    options: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    form: str = ""

    @property
    def skippable(self) -> bool:
        """Whether it may be left open."""
        return not self.required or self.default is not None

    @property
    def wants_secret(self) -> bool:
        """Whether it seems to ask for a secret, which the protocol forbids."""
        return _SECRET.search(f"{self.name} {self.title} {self.description}") is not None


class UnknownFormError(Exception):
    """A form has parts that the protocol does not have."""


class WrongAnswerError(Exception):
    """An answer does not fit its field.

    Attributes:
        key: the text ``mcp.wrong.KEY`` gives the reason.
        values: its values.
    """

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key, self.values = key, values


def fields_of(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of a form, in the server's order.

    Raises:
        UnknownFormError: it cannot be asked.
    """
    properties = schema.get("properties") or {}
    required = schema.get("required") or ()
    if not isinstance(properties, Mapping) or not isinstance(required, Sequence) or len(properties) > MOST_FIELDS:
        raise UnknownFormError
    if not set(required) <= set(properties):
        raise UnknownFormError
    return tuple(_field(str(name), each, required=name in required) for name, each in properties.items())


def read(field: Field, text: str) -> FormValue:
    """The value that an answer gives a field.

    Raises:
        WrongAnswerError: it does not fit.
    """
    plain = unicodedata.normalize("NFC", text).strip()
    return _READERS[field.kind](field, plain)


def shown(field: Field, value: FormValue) -> str:
    """A value in the words of the form."""
    titles = dict(field.options)
    values = value if isinstance(value, list) else [value]
    return ", ".join(titles.get(str(each), str(each)) for each in values)


def _field(name: str, schema: Any, *, required: bool) -> Field:
    if not isinstance(schema, Mapping):
        raise UnknownFormError
    kind, options = _kind(schema)
    small, large = _LIMITS.get(kind, ("", ""))
    words = {key: each[:_LONGEST_WORDS] for key, each in schema.items() if isinstance(each, str)}
    field = Field(
        name=name,
        kind=kind,
        title=words.get("title") or name[:_LONGEST_WORDS],
        description=words.get("description", ""),
        required=required,
        options=options,
        least=_number(schema.get(small)),
        most=_number(schema.get(large)),
        form=words.get("format", "") if kind is FieldKind.TEXT else "",
    )
    default = schema.get("default")
    return replace(field, default=default) if _fits(field, default) else field


def _kind(schema: Mapping[str, Any]) -> tuple[FieldKind, tuple[tuple[str, str], ...]]:
    match schema.get("type"):
        case "boolean":
            return FieldKind.YES_NO, ()
        case "integer":
            return FieldKind.INTEGER, ()
        case "number":
            return FieldKind.NUMBER, ()
        case "array":
            options = _options(schema.get("items"))
            if options:
                return FieldKind.CHOICES, options
        case "string":
            options = _options(schema)
            return (FieldKind.CHOICE, options) if options else (FieldKind.TEXT, ())
    raise UnknownFormError


def _options(schema: Any) -> tuple[tuple[str, str], ...]:
    """Values and titles of a choice; empty if there is none to make."""
    if not isinstance(schema, Mapping):
        return ()
    titled = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(titled, list):
        found = [(each.get("const"), each.get("title")) for each in titled if isinstance(each, Mapping)]
    else:
        values, names = schema.get("enum") or [], schema.get("enumNames") or []
        if not isinstance(values, list) or not isinstance(names, list):
            raise UnknownFormError
        found = [(each, names[at] if at < len(names) else None) for at, each in enumerate(values)]
    options = tuple((value, str(title or value)[:_LONGEST_WORDS]) for value, title in found if isinstance(value, str))
    if len(found) > _MOST_OPTIONS or len(options) < len(found):
        raise UnknownFormError
    return options


_LIMITS = {
    FieldKind.TEXT: ("minLength", "maxLength"),
    FieldKind.NUMBER: ("minimum", "maximum"),
    FieldKind.INTEGER: ("minimum", "maximum"),
    FieldKind.CHOICES: ("minItems", "maxItems"),
}


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _fits(field: Field, value: Any) -> bool:
    """Whether a default is a value of the field."""
    values = [each for each, _ in field.options]
    match field.kind:
        case FieldKind.YES_NO:
            return isinstance(value, bool)
        case FieldKind.NUMBER:
            return _number(value) is not None
        case FieldKind.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case FieldKind.TEXT:
            return isinstance(value, str)
        case FieldKind.CHOICE:
            return value in values
        case _:
            return isinstance(value, list) and all(each in values for each in value)


def _read_text(field: Field, text: str) -> str:
    if not text:
        raise WrongAnswerError("empty")
    _check_range(field, len(text), "too_short", "too_long")
    if field.form in _FORMS and not _FORMS[field.form](text):
        raise WrongAnswerError(field.form.replace("-", "_"))
    return text


def _read_number(field: Field, text: str) -> float:
    found = _NUMBER.fullmatch(text.replace(",", ""))
    value = float(found[0]) if found else math.nan
    if not math.isfinite(value):
        raise WrongAnswerError("no_number")
    _check_range(field, value, "too_small", "too_large")
    return value


def _read_integer(field: Field, text: str) -> int:
    value = _read_number(field, text)
    if not value.is_integer():
        raise WrongAnswerError("no_integer")
    return int(value)


def _read_truth(_field: Field, text: str) -> bool:
    word = _plain(text)
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise WrongAnswerError("yes_or_no")


def _read_choice(field: Field, text: str) -> str:
    return _chosen(field, text)


def _read_choices(field: Field, text: str) -> list[str]:
    parts = [] if _plain(text) in _NONE else [each for each in _PARTS.split(text) if each]
    chosen = list(dict.fromkeys(_chosen(field, each) for each in parts))
    _check_range(field, len(chosen), "too_few", "too_many")
    return chosen


def _chosen(field: Field, text: str) -> str:
    """The value of an option that is named by its title, its value or its number, or that alone is in the text."""
    wanted = _plain(text)
    for number, (value, title) in enumerate(field.options, 1):
        if wanted in {_plain(value), _plain(title), str(number), f"{number}번", f"{number}번이요"}:
            return value
    held = [value for value, title in field.options if _plain(title) in wanted]
    if len(held) == 1:
        return held[0]
    raise WrongAnswerError("no_option", options=", ".join(title for _, title in field.options))


def _check_range(field: Field, size: float, below: str, above: str) -> None:
    if field.least is not None and size < field.least:
        raise WrongAnswerError(below, limit=f"{field.least:g}")
    if field.most is not None and size > field.most:
        raise WrongAnswerError(above, limit=f"{field.most:g}")


def _plain(text: str) -> str:
    return "".join(_letters(unicodedata.normalize("NFC", text).casefold()))


def _letters(text: str) -> Iterator[str]:
    """The text without spaces, and without the marks that a recogniser writes at an end."""
    return (each for each in text.strip(" .!?。") if not each.isspace())


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == len("2026-11-23")


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None and "T" in text
    except ValueError:
        return False


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and " " not in text


_FORMS: Mapping[str, Callable[[str], bool]] = {
    "email": lambda text: _EMAIL.fullmatch(text) is not None,
    "uri": _is_address,
    "date": _is_date,
    "date-time": _is_moment,
}
_READERS: Mapping[FieldKind, Callable[[Field, str], FormValue]] = {
    FieldKind.TEXT: _read_text,
    FieldKind.NUMBER: _read_number,
    FieldKind.INTEGER: _read_integer,
    FieldKind.YES_NO: _read_truth,
    FieldKind.CHOICE: _read_choice,
    FieldKind.CHOICES: _read_choices,
}
