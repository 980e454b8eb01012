"""What every request passes before it is looked at: host, origin, size, token. And the headers of every answer.

A page that the user visits can make the browser call any address of this computer, under any name that its server
resolves to 127.0.0.1. So the name in ``Host`` is checked (DNS rebinding), and the browser's ``Origin``.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.core.errors import ErrorCode
from assistant.core.service.callers import Caller, TokenBook
from assistant.core.service.request import Refusal
from assistant.core.texts import Texts
from assistant.remote.http.attempts import MOST, MOST_UNKNOWN, CountedAttempts
from assistant.remote.http.entrance import COOKIE, Entrance
from assistant.remote.http.refusals import HttpRefusedError, refusal_response, refused
from assistant.remote.http.server_sent import CallerGoneError
from assistant.tasks import first_of

log = logging.getLogger(__name__)

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes of a body: what the largest attachments of a message need, in base64."""
LARGEST_PUBLIC_BODY = 4096
"""Bytes of a body that comes without a token: a code. Anybody on this computer can send one."""
BODY_S = 30.0
"""Seconds in which a body must have arrived. The whole body is on this computer already."""
_SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
_READING = frozenset({"GET", "HEAD"})
_NOT_SAME = frozenset({"cross-site", "same-site"})
"""Values of ``Sec-Fetch-Site`` of other origins. Another port of 127.0.0.1 is of the same site."""
_CLOSE = {"connection": "close"}
"""What is left of a body is not read, so the connection ends with the answer."""
SIGNING_IN = "/v1/session"
PUBLIC = ("/", "/static/", SIGNING_IN)
"""Paths that need no token: the page, its files, and signing in. ``/`` means itself alone."""
RECHECKED_S = 1.0
"""Seconds after which a token is checked again before more of an answer is sent: it may have been revoked."""


class Doorkeeper:
    """Middleware that refuses what must not reach the application, and gives every answer its safe headers.

    Args:
        app: the application behind it.
        entrance: where the callers come in.
        tokens: knows the callers.
        texts: the user's words.
        refuses: awaited with each refusal of the guard, for the audit log.
        monotonic: seconds from an arbitrary start.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        entrance: Entrance,
        tokens: TokenBook,
        texts: Texts,
        refuses: Callable[[Scope, Refusal], Awaitable[None]],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._texts = texts
        self._tokens = tokens
        self._refuses = refuses
        self._wrong = CountedAttempts(MOST, monotonic)
        self._signing_in, self._recorded = (
            CountedAttempts(MOST_UNKNOWN, monotonic),
            CountedAttempts(MOST_UNKNOWN, monotonic),
        )
        self._entrance = entrance
        self._hosts, self._origins = entrance.names, entrance.origins
        self._answering: dict[str, set[_CutOff]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        safe = _SafeSend(send, partial(self._is_still, self._token(headers)))
        try:
            scope["caller"] = caller = await self._admitted(scope, headers)
            largest = LARGEST_PUBLIC_BODY if caller is None else LARGEST_BODY
            safe.checked = caller is not None
            body = _LimitedBody(receive, headers, self._texts, largest)
            if caller is None:
                await self._app(scope, body, safe)
            else:
                await self._answer(caller, scope, body, safe)
        except HttpRefusedError as error:
            await self._refuse(scope, receive, safe, error)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            failed = refused(self._texts, HTTPStatus.INTERNAL_SERVER_ERROR, "failed", code=ErrorCode.INTERNAL)
            await self._refuse(scope, receive, safe, failed)

    def cut_off(self, name: str) -> None:
        """Let those who hold the token of this name be gone; called on the door's loop."""
        for each in self._answering.get(name, set()):
            each.set()

    async def _answer(self, caller: Caller, scope: Scope, receive: Receive, send: "_SafeSend") -> None:
        """Answer somebody who may be cut off meanwhile."""
        send.cut_off = cut_off = _CutOff()
        running = self._answering.setdefault(caller.name, set())
        running.add(cut_off)
        try:
            await self._app(scope, partial(_unless_cut_off, receive, cut_off), send)
        finally:
            running.discard(cut_off)
            if not running and self._answering.get(caller.name) is running:
                del self._answering[caller.name]
        if cut_off.is_set() and not send.begun:
            send.cut_off = _CutOff()  # It is told why it gets no answer.
            raise self._unknown(self._entrance.reason("wrong_token"))

    async def _refuse(self, scope: Scope, receive: Receive, send: "_SafeSend", error: HttpRefusedError) -> None:
        if send.begun:
            raise RuntimeError("the answer failed after its beginning") from error  # uvicorn closes the connection
        if error.refusal.reason != "too_many_tries" and (scope.get("caller") is not None or self._is_recorded()):
            await self._refuses(scope, error.refusal)
        response = refusal_response(error.refusal, error.status, {**error.headers, **_CLOSE})
        await response(scope, receive, send)

    def _is_recorded(self) -> bool:
        """Whether a refusal of somebody unknown goes into the audit log, which nobody may fill."""
        if self._recorded.wait_s():
            return False
        self._recorded.add()
        return True

    async def _admitted(self, scope: Scope, headers: Headers) -> Caller | None:
        """Who calls; ``None`` for what needs no token.

        Raises:
            HttpRefusedError: the request is refused.
        """
        if not self._entrance.lets_in((scope.get("client") or ("",))[0]):
            raise refused(self._texts, HTTPStatus.FORBIDDEN, "foreign_peer", code=ErrorCode.PERMISSION)
        if [each.lower() for each in headers.getlist("host")] not in [[host] for host in self._hosts]:
            raise refused(self._texts, HTTPStatus.MISDIRECTED_REQUEST, self._entrance.reason("foreign_host"))
        origin = headers.get("origin")
        # A browser adds its cookie by itself, so a change that comes with one has to tell which page makes it.
        unnamed = origin is None and self._entrance.for_phones and scope["method"] not in _READING
        foreign = unnamed or (origin is not None and origin not in self._origins)
        if foreign or headers.get("sec-fetch-site") in _NOT_SAME:
            raise refused(self._texts, HTTPStatus.FORBIDDEN, "foreign_origin", code=ErrorCode.PERMISSION)
        if scope["path"] == SIGNING_IN:
            self._count(self._signing_in)  # Each attempt is recorded.
        if _is_public(scope["path"]):
            return None
        return await self._caller(self._token(headers))

    def _token(self, headers: Headers) -> str:
        """The token of a request; empty without one. A phone shows it only as its cookie."""
        if self._entrance.for_phones:
            return cookie_parser("; ".join(headers.getlist("cookie"))).get(COOKIE, "")
        scheme, _, token = headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else ""

    async def _caller(self, token: str) -> Caller:
        if not token:
            raise self._unknown(self._entrance.reason("no_token"))
        if (caller := await asyncio.to_thread(self._tokens.caller_of, token)) is not None:
            return caller
        self.count_wrong()
        raise self._unknown(self._entrance.reason("wrong_token"))

    def count_wrong(self) -> None:
        """Count a wrong token or code.

        Raises:
            HttpRefusedError: there were too many.
        """
        self._count(self._wrong)

    async def _is_still(self, token: str) -> bool:
        return await asyncio.to_thread(self._tokens.caller_of, token) is not None

    def _count(self, attempts: CountedAttempts) -> None:
        if wait_s := attempts.wait_s():
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
        attempts.add()

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


class _CutOff(asyncio.Event):
    """Set when the token of one running request was revoked."""


async def _unless_cut_off(receive: Receive, cut_off: _CutOff) -> Message:
    """What comes next of a request, or that its caller is gone."""

    async def gone() -> Message:
        await cut_off.wait()
        return {"type": "http.disconnect"}

    return await gone() if cut_off.is_set() else await first_of(receive(), gone())


class _SafeSend:
    """Sends an answer with the safe headers, and no more of it once its caller's token was revoked.

    Args:
        send: sends a message.
        is_still: tells whether the token is valid still.

    Attributes:
        begun: whether something was sent.
        checked: whether the answer needs the token.
        cut_off: set when the token was revoked.

    Raises:
        CallerGoneError: the token was revoked.
    """

    def __init__(self, send: Send, is_still: Callable[[], Awaitable[bool]]) -> None:
        self._send, self._is_still = send, is_still
        self._until = time.monotonic() + RECHECKED_S
        self.begun = self.checked = False
        self.cut_off = _CutOff()

    async def __call__(self, message: Message) -> None:
        if self.cut_off.is_set():
            raise CallerGoneError
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE_HEADERS.items():
                headers.setdefault(name, value)
        elif self.checked and time.monotonic() >= self._until:
            if not await self._is_still():
                raise CallerGoneError
            self._until = time.monotonic() + RECHECKED_S
        await self._send(message)


class _LimitedBody:
    """Reads a body up to its largest size, and within its time.

    Raises:
        HttpRefusedError: it is too large, or its length is not a number; or, when it is read, it does not arrive.
    """

    def __init__(self, receive: Receive, headers: Headers, texts: Texts, largest: int) -> None:
        self._receive = receive
        self._texts = texts
        self._largest = self._left = largest
        self._until: float | None = None
        self._complete = False
        declared = headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdecimal()):
            raise refused(texts, HTTPStatus.BAD_REQUEST, "no_length")
        if int(declared) > largest:
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
        status, limit = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(self._largest)
        return refused(self._texts, status, "body_too_large", headers=_CLOSE, limit=limit)
