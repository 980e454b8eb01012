"""Signing a browser in: the code of a link is exchanged for a token.

The page of this computer keeps its token in the storage of its origin, which has the port in it, and sends it in
``Authorization``: a cookie would go to every port of 127.0.0.1, that is to every program that serves a page there. A
phone calls another address, over TLS, and its token is in a cookie that no script reads.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.responses import JSONResponse, Response

from assistant.core.errors import ErrorCode
from assistant.core.formats.json_form import to_json
from assistant.core.permissions import Category
from assistant.core.service.callers import TokenBook
from assistant.core.service.request import Right
from assistant.remote.http.entrance import COOKIE, Entrance
from assistant.remote.http.operations import HttpCall, Operation
from assistant.remote.http.refusals import refused


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBody:
    """The code of a link of ``sori web``, or of a QR code for a phone."""

    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A token, told once.

    Attributes:
        token: the token; empty for a phone, which gets it as a cookie.
        name: its name in ``sori tokens list``.
        right: what its requests may do.
        categories: categories of the tools that its turns may use.
    """

    token: str
    name: str
    right: Right
    categories: tuple[Category, ...]


_COOKIE_S: Final = 400 * 24 * 3600
"""Seconds for which a browser keeps a cookie at most (RFC 6265bis, 5.5)."""
_SYSTEMS: Final = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows")),
    *(("CrOS", "Chromebook"), ("Macintosh", "Mac"), ("Linux", "Linux")),
)
"""What browsers say of themselves, and what the user calls it. The first that fits counts."""


def device_name(user_agent: str) -> str:
    """What the user calls the device of a browser; empty if it does not tell."""
    return next((name for sign, name in _SYSTEMS if sign in user_agent), "")


def signing_in(
    tokens: TokenBook, entrance: Entrance, count_wrong: Callable[[], None], signed_in: Callable[[str], None]
) -> Operation:
    """The operation that exchanges a code for a token.

    Args:
        tokens: knows the codes.
        entrance: where the callers come in.
        count_wrong: called for each wrong code.
        signed_in: told the name of each token.
    """

    async def handle(call: HttpCall) -> Response:
        code = call.read(CodeBody, await call.body()).code
        name = device_name(call.http.headers.get("user-agent", "")) if entrance.for_phones else ""
        given = await asyncio.to_thread(tokens.exchange, code, name)
        if given is None:
            count_wrong()
            reason = entrance.reason("wrong_code")
            raise refused(call.texts, HTTPStatus.UNAUTHORIZED, reason, code=ErrorCode.AUTHENTICATION)
        token, caller = given
        signed_in(caller.name)
        told = SignedIn(
            token="" if entrance.for_phones else token,
            name=caller.name,
            right=caller.right,
            categories=tuple(sorted(caller.categories)),
        )
        response = JSONResponse(to_json(SignedIn, told))
        if entrance.for_phones:
            response.set_cookie(COOKIE, token, max_age=_COOKIE_S, secure=True, httponly=True, samesite="strict")
        return response

    return Operation(
        method="POST",
        path="/v1/session",
        handle=handle,
        summary="Exchange the code of a link of `sori web`, or of a QR code, for a token.",
        reads=CodeBody,
        gives=SignedIn,
        public=True,
    )
