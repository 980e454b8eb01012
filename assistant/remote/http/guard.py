"""What every request passes before it is looked at: host, origin, size, token. And the headers of every answer.

A page that the user visits can make the browser call any address of this computer, under any name that its server
resolves to 127.0.0.1. So the name in ``Host`` is checked (DNS rebinding), and the browser's ``Origin``.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.core.addresses import LOOPBACK
from assistant.core.errors import ErrorCode
from assistant.core.service.callers import Caller, TokenBook
from assistant.core.service.request import Refusal
from assistant.core.texts import Texts
from assistant.remote.http.attempts import WrongTokens
from assistant.remote.http.refusals import HttpRefusedError, refusal_response, refused

log = logging.getLogger(__name__)

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes of a body: what the largest attachments of a message need, in base64."""
BODY_S = 30.0
"""Seconds in which a body must have arrived. The whole body is on this computer already."""
_HOSTS = (LOOPBACK, "localhost", "[::1]")
_SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
_NOT_SAME = frozenset({"cross-site", "same-site"})
"""Values of ``Sec-Fetch-Site`` of other origins. Another port of 127.0.0.1 is of the same site."""
_CLOSE = {"connection": "close"}
"""What is left of a body is not read, so the connection ends with the answer."""
PUBLIC = ("/", "/static/", "/v1/session")
"""Paths that need no token: the page, its files, and signing in. ``/`` means itself alone."""


class Doorkeeper:
    """Middleware that refuses what must not reach the application, and gives every answer its safe headers.

    Args:
        app: the application behind it.
        port: the port on which Sori listens.
        tokens: knows the callers.
        texts: the user's words.
        refuses: awaited with each refusal of the guard, for the audit log.
        monotonic: seconds from an arbitrary start.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        port: int,
        tokens: TokenBook,
        texts: Texts,
        refuses: Callable[[Scope, Refusal], Awaitable[None]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._texts = texts
        self._tokens = tokens
        self._refuses = refuses
        self._wrong = WrongTokens(monotonic)
        self._hosts = {f"{host}:{port}" for host in _HOSTS} | ({*_HOSTS} if port == 80 else set())
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        safe = _SafeSend(send)
        try:
            scope["caller"] = await self._admitted(scope)
            body = _LimitedBody(receive, Headers(scope=scope), self._texts)
            await self._app(scope, body, safe)
        except HttpRefusedError as error:
            await self._refuse(scope, receive, safe, error)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            failed = refused(self._texts, HTTPStatus.INTERNAL_SERVER_ERROR, "failed", code=ErrorCode.INTERNAL)
            await self._refuse(scope, receive, safe, failed)

    async def _refuse(self, scope: Scope, receive: Receive, send: "_SafeSend", error: HttpRefusedError) -> None:
        if send.begun:
            raise RuntimeError("the answer failed after its beginning") from error  # uvicorn closes the connection
        if error.refusal.reason != "too_many_tries":
            await self._refuses(scope, error.refusal)
        response = refusal_response(error.refusal, error.status, {**error.headers, **_CLOSE})
        await response(scope, receive, send)

    async def _admitted(self, scope: Scope) -> Caller | None:
        """Who calls; ``None`` for what needs no token.

        Raises:
            HttpRefusedError: the request is refused.
        """
        headers = Headers(scope=scope)
        if [each.lower() for each in headers.getlist("host")] not in [[host] for host in self._hosts]:
            raise refused(self._texts, HTTPStatus.MISDIRECTED_REQUEST, "foreign_host")
        origin = headers.get("origin")
        if (origin is not None and origin not in self._origins) or headers.get("sec-fetch-site") in _NOT_SAME:
            raise refused(self._texts, HTTPStatus.FORBIDDEN, "foreign_origin", code=ErrorCode.PERMISSION)
        if _is_public(scope["path"]):
            return None
        return await self._caller(headers)

    async def _caller(self, headers: Headers) -> Caller:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise self._unknown("no_token")
        if (caller := await asyncio.to_thread(self._tokens.caller_of, token.strip())) is not None:
            return caller
        self.count_wrong()
        raise self._unknown("wrong_token")

    def count_wrong(self) -> None:
        """Count a wrong token or code.

        Raises:
            HttpRefusedError: there were too many.
        """
        if wait_s := self._wrong.wait_s():
            seconds = str(round(wait_s) + 1)
            raise refused(
                self._texts,
                HTTPStatus.TOO_MANY_REQUESTS,
                "too_many_tries",
                code=ErrorCode.RATE_LIMITED,
                headers={"retry-after": seconds},
                retryable=True,
                seconds=seconds,
            )
        self._wrong.add()

    def _unknown(self, reason: str) -> HttpRefusedError:
        return refused(
            self._texts,
            HTTPStatus.UNAUTHORIZED,
            reason,
            code=ErrorCode.AUTHENTICATION,
            headers={"www-authenticate": 'Bearer realm="sori"'},
        )


def _is_public(path: str) -> bool:
    return any(path == each or (each.endswith("/") and each != "/" and path.startswith(each)) for each in PUBLIC)


class _SafeSend:
    """Sends an answer with the safe headers."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


class _LimitedBody:
    """Reads a body up to its largest size, and within its time.

    Raises:
        HttpRefusedError: it is too large, or its length is not a number; or, when it is read, it does not arrive.
    """

    def __init__(self, receive: Receive, headers: Headers, texts: Texts) -> None:
        self._receive = receive
        self._texts = texts
        self._left = LARGEST_BODY
        self._until: float | None = None
        self._complete = False
        declared = headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdecimal()):
            raise refused(texts, HTTPStatus.BAD_REQUEST, "no_length")
        if int(declared) > LARGEST_BODY:
            raise self._too_large()

    async def __call__(self) -> Message:
        if self._complete:
            return await self._receive()  # the end of the connection, which may be far away
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + BODY_S
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            status = HTTPStatus.REQUEST_TIMEOUT
            raise refused(self._texts, status, "body_too_slow", code=ErrorCode.TIMEOUT, headers=_CLOSE) from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._left < 0:
                raise self._too_large()
        return message

    def _too_large(self) -> HttpRefusedError:
        status, limit = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(LARGEST_BODY)
        return refused(self._texts, status, "body_too_large", headers=_CLOSE, limit=limit)
