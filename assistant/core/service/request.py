"""The base of all requests, and what every request gets: exactly one reply."""

from dataclasses import Field, dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, NewType, TypeVar, dataclass_transform, get_args, get_origin

from assistant.core.errors import ErrorCode

ClientId = NewType("ClientId", str)
"""Names a client of the engine: a window, a terminal, a browser. A UUID of version 7, made by the client."""
RequestId = NewType("RequestId", str)
"""Names a request among those of its client. A UUID of version 7, made by the client."""

NO_CLIENT = ClientId("")
NO_REQUEST = RequestId("")

Result = TypeVar("Result", covariant=True)


class Right(StrEnum):
    """What a client must be allowed to do before a request of a kind is carried out."""

    USE = "use"
    """Converse, and read what the user's conversations, memories, models and settings are."""
    MANAGE = "manage"
    """Change settings, models, agents and servers of tools; delete conversations, and open others in the window."""
    OWN = "own"
    """What only the user at this machine may do: keys, approvals of programs, the microphone, ending the engine."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Request(Generic[Result]):
    """A request to the engine: a frozen dataclass that names its result, as in ``class ListTimers(Request[Timers])``.

    Attributes:
        right: what the client must be allowed to do, as in ``class SetMuted(Request[None], right=Right.OWN)``.
    """

    right: ClassVar[Right]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, *, right: Right = Right.USE) -> None:
        super().__init_subclass__()
        cls.right = right
        dataclass(frozen=True, kw_only=True)(cls)


def result_type(request: type[Request[object]]) -> Any:
    """The type of a request's result, as a type checker reads it; ``None`` for no result."""
    for base in getattr(request, "__orig_bases__", ()):
        if get_origin(base) is Request:
            (result,) = get_args(base)
            return result
    raise TypeError(f"{request.__name__} names no result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request was not carried out.

    Attributes:
        code: the kind of the error.
        reason: the error within its kind, such as ``api_key_missing``; names a public interface, not a text.
        message: what went wrong, in the user's language.
        remedy: what the user can do about it, in the user's language; empty if ``message`` says it.
        retryable: whether the same request may succeed when it is sent again.
        values: the fields of the message, for a client with words of its own.
    """

    code: ErrorCode
    reason: str
    message: str
    remedy: str = ""
    retryable: bool = False
    values: dict[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What the user reads: what went wrong, and what can be done about it."""
        return " ".join(filter(None, (self.message, self.remedy)))


class RefusedError(Exception):
    """A request was refused; raised where a client waits for the result."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
