"""A conversation as a file holds it, and checked access to the JSON that it is read from."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from assistant.core.records.agents import AgentId
from assistant.storage.stored_message import StoredMessage, storable

Value = TypeVar("Value")
_MILLISECONDS_FROM = 100_000_000_000
"""A greater time in seconds would be after the year 5000."""


class InvalidContentError(Exception):
    """A conversation in a file does not have the form that it should have.

    Args:
        place: the place within the conversation, as keys and indexes.
    """

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableConversation:
    """A conversation with all its messages.

    Attributes:
        created_at: ISO 8601; empty if the source does not tell it.
        left_out: how many messages and files of the source could not be taken.

    The other attributes are columns of the table ``conversations``.
    """

    id: str
    created_at: str
    title: str = ""
    titled_by: str = ""
    model: str = ""
    summary: str = ""
    summarised_until: str = ""
    agent: AgentId = field(default_factory=AgentId)
    messages: tuple[StoredMessage, ...] = ()
    left_out: int = 0


class Fields:
    """The fields of a JSON object; a field of another type is an error that names its place.

    Args:
        value: the object.
        place: its place.

    Raises:
        InvalidContentError: ``value`` is no object.
    """

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, dict):
            raise InvalidContentError(place)
        self._fields: Mapping[str, Any] = value
        self.place = place

    def at(self, key: str) -> str:
        """The place of a field."""
        return f"{self.place}.{key}" if self.place else key

    def of_type(self, key: str, kind: type[Value], default: Value) -> Value:
        """The field; ``default`` if it is missing or null."""
        value = self._fields.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise InvalidContentError(self.at(key))
        return value

    def text(self, key: str) -> str:
        """A text that can be stored; empty if it is missing."""
        return storable(self.of_type(key, str, ""))

    def required(self, key: str) -> str:
        """A text that must not be empty."""
        if text := self.text(key):
            return text
        raise InvalidContentError(self.at(key))

    def objects(self, key: str) -> "list[Fields]":
        """A list of objects; empty if it is missing."""
        items: Sequence[object] = self.of_type(key, list, [])
        return [Fields(item, f"{self.at(key)}[{number}]") for number, item in enumerate(items)]

    def object(self, key: str) -> "Fields":
        """An object; without fields if it is missing."""
        return Fields(self._fields.get(key) or {}, self.at(key))

    def keys(self) -> Sequence[str]:
        """The names of the fields."""
        return tuple(self._fields)

    def raw(self) -> Mapping[str, Any]:
        """The object itself."""
        return self._fields


def local_time(fields: Fields, key: str) -> str:
    """A field with an ISO 8601 time, in the time zone of this computer.

    Raises:
        InvalidContentError: it is no time.
    """
    try:
        return datetime.fromisoformat(fields.required(key)).astimezone().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidContentError(fields.at(key)) from error


def time_of(unix_s: float) -> str:
    """ISO 8601 of a Unix time in seconds, in the time zone of this computer; empty for 0 and an impossible one."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).astimezone().isoformat() if unix_s else ""
    except (ValueError, OverflowError, OSError):
        return ""


def seconds(fields: Fields, *keys: str) -> float:
    """The first of these fields that is a time, as Unix time in seconds; 0 without one.

    Programs write seconds, milliseconds or ISO 8601.
    """
    return next(filter(None, (_seconds(fields.raw().get(key)) for key in keys)), 0.0)


def _seconds(value: object) -> float:
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return 0.0
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > sys.float_info.max:
        return 0.0
    return value / 1000 if value > _MILLISECONDS_FROM else float(value)
