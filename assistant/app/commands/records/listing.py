"""What the commands about records share: asking for them, and the number by which the user names one."""

from typing import TYPE_CHECKING, TypeVar

from assistant.app.cli.asking import carry_out
from assistant.core.service.request import Request
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

R = TypeVar("R")

_DIGITS = 18
"""Maximum digits of a number of a row; SQLite holds no longer ones."""


def row_number(text: str) -> int | None:
    """The number by which the user names a row; ``None`` if it cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def recorded(places: Places, texts: Texts, request: Request[R]) -> R:
    """Ask for records.

    Raises:
        RefusedError, StorageError: they cannot be read.
    """

    def part(_: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.records import records

        return records(places, texts)

    return carry_out(places, texts, part, request)
