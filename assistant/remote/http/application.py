"""The application behind the doorkeeper: finds the operation of a call, records it, and carries it out."""

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.core.errors import ErrorCode
from assistant.core.service.callers import TokenBook
from assistant.core.service.connection import EngineService
from assistant.core.service.request import Refusal, RefusedError
from assistant.core.texts import Texts
from assistant.remote.http.clients import EngineClients
from assistant.remote.http.entrance import Entrance
from assistant.remote.http.files import FILES
from assistant.remote.http.following import FOLLOWING
from assistant.remote.http.guard import Doorkeeper
from assistant.remote.http.openai.operations import OPENAI
from assistant.remote.http.openapi import document
from assistant.remote.http.operations import HttpCall, Operation
from assistant.remote.http.page.rendering import drawing
from assistant.remote.http.recording import NOBODY, CallRecords
from assistant.remote.http.refusals import HttpRefusedError, refusal_response, refused, status_of
from assistant.remote.http.routes import ROUTES
from assistant.remote.http.server_sent import CallerGoneError
from assistant.remote.http.signing_in import signing_in
from assistant.remote.http.turns import TURNS

log = logging.getLogger(__name__)


class HttpApplication:
    """Everything that can be called over HTTP.

    Args:
        service: the engine.
        tokens: knows the callers.
        texts: the user's words.
        entrance: where the callers come in.
        page: serves ``/`` and ``/static/``; ``None`` for no page.
        signed_in: told the name of each browser that has signed in.

    Attributes:
        operations: what can be called.
        document: their description in the form of OpenAPI.
    """

    def __init__(
        self,
        service: EngineService,
        tokens: TokenBook,
        texts: Texts,
        entrance: Entrance,
        page: ASGIApp | None = None,
        signed_in: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._engine = EngineClients(service)
        self._texts, self._entrance = texts, entrance
        self._records = CallRecords(self._engine, entrance.destination)
        self._doorkeeper = Doorkeeper(self._route, entrance=entrance, tokens=tokens, texts=texts, refuses=self._refuses)
        self.operations: tuple[Operation, ...] = (
            signing_in(tokens, entrance, self._doorkeeper.count_wrong, signed_in),
            *ROUTES,
            *TURNS,
            *FOLLOWING,
            *OPENAI,
            FILES,
            drawing(),
            Operation(
                method="GET", path="/v1/openapi.json", handle=self._describe, summary="Describe this API.", gives=dict
            ),
        )
        self.document = document(self.operations)
        self._router = Router(self._routes(page), redirect_slashes=False, default=self._nowhere)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._doorkeeper(scope, receive, send)

    def cut_off(self, name: str) -> None:
        """End what is being answered to the holder of a token, which was revoked; called on the door's loop."""
        self._doorkeeper.cut_off(name)

    def close(self) -> None:
        """End the callers' connections to the engine."""
        self._engine.close()

    async def carry_out(self, operation: Operation, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry out an operation for a caller whose token was checked.

        Raises:
            HttpRefusedError: the caller may not do this.
        """
        caller = scope["caller"] or NOBODY
        if not operation.public and not caller.grant.allows(operation.right):
            right = operation.right.value
            reason = self._entrance.reason("not_granted")
            raise refused(self._texts, HTTPStatus.FORBIDDEN, reason, code=ErrorCode.PERMISSION, right=right)
        http = HttpRequest(scope, receive, send)
        name, conversation = f"{operation.method} {operation.path}", http.path_params.get("conversation", "")
        try:
            record = await self._records.begin(caller, name, scope["path"], conversation, operation.data)
            response = await self._response(
                operation, HttpCall(http=http, caller=caller, engine=self._engine, texts=self._texts)
            )
            try:
                await response(scope, receive, record.recording(send))
            finally:
                await record.over()
        except CallerGoneError:
            log.info("the caller of %s is gone", name)
        except RefusedError as error:  # The call cannot be recorded.
            await _told(error.refusal)(scope, receive, send)

    async def _response(self, operation: Operation, call: HttpCall) -> Response:
        """The answer of an operation, which may be a refusal."""
        try:
            return await operation.handle(call)
        except CallerGoneError:
            raise
        except ClientDisconnect as error:  # in the middle of its body
            raise CallerGoneError from error
        except RefusedError as error:
            return _told(error.refusal)
        except HttpRefusedError as error:
            return refusal_response(error.refusal, error.status, error.headers)
        except Exception:
            log.exception("%s failed", operation.path)
            failed = refused(self._texts, HTTPStatus.INTERNAL_SERVER_ERROR, "failed", code=ErrorCode.INTERNAL)
            return refusal_response(failed.refusal, failed.status)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._router(scope, receive, send)

    def _routes(self, page: ASGIApp | None) -> list[Route]:
        addresses: dict[str, dict[str, Operation]] = {}
        for each in self.operations:
            addresses.setdefault(each.path, {})[each.method] = each
        routes = [Route(path, _Address(self, operations, self._texts)) for path, operations in addresses.items()]
        if page is not None:
            routes += [Route("/", page), Route("/static/{path:path}", page)]
        return routes

    async def _nowhere(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - an ASGI application
        raise refused(self._texts, HTTPStatus.NOT_FOUND, "no_such_path")

    async def _refuses(self, scope: Scope, refusal: Refusal) -> None:
        """Record what the doorkeeper has refused."""
        caller = scope.get("caller") or NOBODY
        await self._records.refused(scope["method"], scope["path"], caller, refusal)

    async def _describe(self, call: HttpCall) -> Response:  # noqa: ARG002 - a handler
        return JSONResponse(self.document)


class _Address:
    """The operations of one address, by method."""

    def __init__(self, application: HttpApplication, operations: Mapping[str, Operation], texts: Texts) -> None:
        self._application, self._operations, self._texts = application, operations, texts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        operation = self._operations.get(scope["method"])
        if operation is None:
            allowed = {"allow": ", ".join(sorted(self._operations))}
            method, status = scope["method"][:20], HTTPStatus.METHOD_NOT_ALLOWED
            raise refused(self._texts, status, "no_such_method", headers=allowed, method=method)
        await self._application.carry_out(operation, scope, receive, send)


def _told(refusal: Refusal) -> Response:
    return refusal_response(refusal, status_of(refusal))
