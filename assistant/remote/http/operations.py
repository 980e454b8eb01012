"""Operations: what an address does. A table of requests of the engine makes most of them (``routes.py``)."""

import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from http import HTTPStatus
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response

from assistant.core.formats.json_form import FormError, from_json, to_json
from assistant.core.formats.json_schema import documented
from assistant.core.messages import Attachment
from assistant.core.records.egress import DataClass
from assistant.core.service.callers import Caller
from assistant.core.service.request import Request, Right, result_type
from assistant.core.texts import Texts
from assistant.remote.http.clients import EngineClients
from assistant.remote.http.refusals import refused

JSON = "application/json"
EVENTS = "text/event-stream"
TURN = "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
"""The id of a turn that a caller makes: a UUID of version 7."""
LARGEST_NUMBER = 2**53 - 1
"""Largest whole number that every reader of JSON knows exactly (RFC 8259)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCall:
    """One call of an operation.

    Attributes:
        http: the request as it came.
        caller: who calls.
        engine: the engine, to which the caller's requests go.
        texts: the user's words.
    """

    http: HttpRequest
    caller: Caller
    engine: EngineClients
    texts: Texts

    async def body(self) -> dict[str, Any]:
        """The object in the body; empty without a body.

        Raises:
            HttpRefusedError: the body is no JSON object.
        """
        raw = await self.http.body()
        if not raw:
            return {}
        kind = self.http.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != JSON:
            raise refused(self.texts, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "wrong_type", wanted=JSON)
        try:
            found = json.loads(raw, parse_constant=_no_constant, parse_int=_exact, parse_float=_float)
            # Half of a pair of surrogates is no text, and no file takes it.
            json.dumps(found, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise refused(self.texts, HTTPStatus.BAD_REQUEST, "no_json", detail=str(error)[:200]) from None
        if not isinstance(found, dict):
            raise refused(self.texts, HTTPStatus.BAD_REQUEST, "no_json", detail="not an object")
        return found

    def read(self, kind: type[Any], value: Mapping[str, Any]) -> Any:
        """Read a value of a type from JSON.

        Raises:
            HttpRefusedError: it has another form.
        """
        try:
            read = from_json(kind, dict(value))
        except FormError as error:
            detail = f"{error.place or '.'}: {error.detail_alone}"
            raise refused(self.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=detail) from None
        # The engine has the bytes of files that it keeps; a caller brings those of its own.
        held = [getattr(read, each.name) for each in fields(read)]
        files = [file for value in held for file in (value if isinstance(value, tuple) else (value,))]
        if any(isinstance(file, Attachment) and not isinstance(file.data, bytes) for file in files):
            raise refused(self.texts, HTTPStatus.BAD_REQUEST, "invalid", detail="a file without data")
        names_turn = hasattr(read, "turn") and "turn" not in self.http.path_params
        # Without an id the door makes one, which a request of the engine has already.
        if names_turn and (read.turn or issubclass(kind, Request)) and not re.match(TURN, read.turn):
            raise refused(self.texts, HTTPStatus.BAD_REQUEST, "invalid", detail="turn: a UUID expected")
        return read


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What one method of one address does.

    Attributes:
        method: the HTTP method.
        path: the address, with the names of its parameters in braces.
        handle: answers a call.
        summary: what it does, one sentence.
        reads: the type of its body together with the parameters of the path and the query; ``None`` without any.
        query: names of the fields that are in the query.
        gives: the type of its answer; ``NoneType`` for an answer without a body.
        status: the status of its answer.
        wrapped: name under which the answer is in an object; empty if it is an object itself.
        media: the media type of its answer.
        also: further media types that its answer may have.
        sends: the media type of its body.
        body: the schema of a body that is not JSON, or has a form of its own; ``None`` for that of ``reads``.
        data: the kinds of the user's data in the answer, for the ledger.
        right: what the caller must be allowed to do.
        public: whether it needs no token.
    """

    method: str
    path: str
    handle: Callable[[HttpCall], Awaitable[Response]]
    summary: str
    reads: type[Any] | None = None
    query: tuple[str, ...] = ()
    gives: Any = NoneType
    status: int = HTTPStatus.OK
    wrapped: str = ""
    media: str = JSON
    also: tuple[str, ...] = ()
    sends: str = JSON
    body: Mapping[str, Any] | None = None
    data: tuple[DataClass, ...] = (DataClass.NONE,)
    right: Right = Right.USE
    public: bool = False

    @property
    def in_path(self) -> tuple[str, ...]:
        """Names of the parameters of the path."""
        return tuple(each[1:-1] for each in self.path.split("/") if each.startswith("{"))


def asks(
    method: str,
    path: str,
    request: type[Request[Any]],
    *,
    wrapped: str = "",
    status: int = HTTPStatus.OK,
    data: tuple[DataClass, ...] = (DataClass.NONE,),
    right: Right | None = None,
) -> Operation:
    """The operation that sends one request to the engine and answers with its result.

    Args:
        method: the HTTP method. With GET the request's fields that are not in the path are in the query.
        path: the address; its parameters are fields of the request.
        request: the request.
        wrapped: name of the result in the answer; empty if the result is an object itself.
        status: the status of an answer with a result; without one it is 204.
        data: the kinds of the user's data in the answer.
        right: what the caller must be allowed to do; ``None`` for what the request needs. A program needs the right to
            manage also for what the user's own programs may do without it, such as deleting a conversation.
    """
    gives = result_type(request)
    is_silent = gives in (None, NoneType)
    in_path = {each[1:-1] for each in path.split("/") if each.startswith("{")}
    query = tuple(each.name for each in fields(request) if each.name not in in_path) if method == "GET" else ()

    async def handle(call: HttpCall) -> Response:
        given = {**_path_values(call, request), **query_values(call, request, query)}
        if method != "GET":
            given = {**await call.body(), **given}
        result = await call.engine.result(call.caller, call.read(request, given))
        if is_silent:
            return Response(status_code=HTTPStatus.NO_CONTENT)
        told = to_json(gives, result)
        return JSONResponse({wrapped: told} if wrapped else told, status_code=status)

    return Operation(
        method=method,
        path=path,
        handle=handle,
        summary=documented(request).summary,
        reads=request,
        query=query,
        gives=NoneType if is_silent else gives,
        status=HTTPStatus.NO_CONTENT if is_silent else status,
        wrapped=wrapped,
        data=data,
        right=right or request.right,
    )


def _path_values(call: HttpCall, kind: type[Any]) -> dict[str, Any]:
    """The fields of a type that the address gives, as JSON has them.

    Raises:
        HttpRefusedError: a part of the address has not the form of its field.
    """
    hints, values = get_type_hints(kind), dict[str, Any]()
    for name, text in call.http.path_params.items():
        try:
            values[name] = _from_text(hints[name], text)
        except ValueError:
            raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=f"{name}: {text[:80]}") from None
    return values


def query_values(call: HttpCall, kind: type[Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The fields of a type that the query gives, as JSON has them. A list is a parameter that comes several times.

    Raises:
        HttpRefusedError: a parameter is unknown, comes twice without being a list, or has not the form of its field.
    """
    hints, values = get_type_hints(kind), dict[str, Any]()
    for name, text in call.http.query_params.multi_items():
        several = get_origin(hints.get(name)) is tuple
        if name not in names or (name in values and not several):
            raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=f"?{name[:80]}")
        try:
            read = _from_text(get_args(hints[name])[0] if several else hints[name], text)
            values[name] = [*values.get(name, []), read] if several else read
        except ValueError:
            raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=f"?{name}={text[:80]}") from None
    return values


def _from_text(kind: Any, text: str) -> Any:
    if kind is int:
        return _exact(text)
    if kind is bool:
        return {"true": True, "false": False}[text] if text in ("true", "false") else _no_constant(text)
    text.encode()  # half of a pair of surrogates is no text
    return text


def _exact(text: str) -> int:
    number = int(text) if len(text) <= len(str(LARGEST_NUMBER)) + 1 else LARGEST_NUMBER + 1
    if abs(number) > LARGEST_NUMBER:
        raise ValueError("a number is too large")
    return number


def _float(text: str) -> float:
    """A number; a whole one is an integer however it is written, as in JSON Schema."""
    number = float(text)
    if abs(number) > sys.float_info.max:
        raise ValueError("a number is too large")
    return int(number) if number.is_integer() and abs(number) <= LARGEST_NUMBER else number


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")
