"""Signing a browser in: the code of ``sori web`` is exchanged for a token, which the page keeps.

A cookie would go to every port of 127.0.0.1, that is to every program of this computer that serves a page. So the page
keeps its token in the storage of its origin, which has the port in it, and sends it in ``Authorization``.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.responses import JSONResponse, Response

from assistant.core.errors import ErrorCode
from assistant.core.formats.json_form import to_json
from assistant.core.permissions import Category
from assistant.core.service.callers import TokenBook
from assistant.core.service.request import Right
from assistant.remote.http.operations import HttpCall, Operation
from assistant.remote.http.refusals import refused


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBody:
    """The code of a link of ``sori web``."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A token, told once.

    Attributes:
        token: the token.
        name: its name in ``sori tokens list``.
        right: what its requests may do.
        categories: categories of the tools that its turns may use.
    """

    token: str
    name: str
    right: Right
    categories: tuple[Category, ...]


def signing_in(tokens: TokenBook, count_wrong: Callable[[], None]) -> Operation:
    """The operation that exchanges a code for a token."""

    async def handle(call: HttpCall) -> Response:
        code = call.read(CodeBody, await call.body()).code
        given = await asyncio.to_thread(tokens.exchange, code)
        if given is None:
            count_wrong()
            raise refused(call.texts, HTTPStatus.UNAUTHORIZED, "wrong_code", code=ErrorCode.AUTHENTICATION)
        token, caller = given
        told = SignedIn(token=token, name=caller.name, right=caller.right, categories=tuple(sorted(caller.categories)))
        return JSONResponse(to_json(SignedIn, told))

    return Operation(
        method="POST",
        path="/v1/session",
        handle=handle,
        summary="Exchange the code of a link of `sori web` for a token.",
        reads=CodeBody,
        gives=SignedIn,
        public=True,
    )
