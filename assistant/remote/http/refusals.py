"""What a caller reads when something is refused: one typed JSON form, without paths of this computer."""

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from assistant.core.errors import ErrorCode
from assistant.core.packets import Failure
from assistant.core.service.request import Refusal
from assistant.core.texts import Texts

_STATUS: Mapping[ErrorCode, int] = {
    ErrorCode.INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
    ErrorCode.PERMISSION: HTTPStatus.FORBIDDEN,
    ErrorCode.RATE_LIMITED: HTTPStatus.TOO_MANY_REQUESTS,
    ErrorCode.MODEL_NOT_FOUND: HTTPStatus.NOT_FOUND,
    ErrorCode.CONTEXT_TOO_LONG: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    ErrorCode.OVERLOADED: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.TIMEOUT: HTTPStatus.GATEWAY_TIMEOUT,
    ErrorCode.CONTENT_REFUSED: HTTPStatus.UNPROCESSABLE_ENTITY,
    ErrorCode.CANCELLED: HTTPStatus.CONFLICT,
    ErrorCode.SETTINGS: HTTPStatus.UNPROCESSABLE_ENTITY,
    ErrorCode.MODEL_FILE: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.ENGINE_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.AUDIO_DEVICE: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.STORAGE: HTTPStatus.INTERNAL_SERVER_ERROR,
    ErrorCode.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The status of a refusal of the engine. Everything else went wrong between Sori and a server of models."""

_CONFLICTS = frozenset(
    {"question_over", "mcp_not_running", "nothing_to_retry", "deletion_over", "no_speaker", "project_name_taken"}
)
"""Reasons of requests that are right, but come at the wrong time."""

_PATH = re.compile(r"(?<![\w./:])(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\\"'“”‘’<>|:,;()]+){2,}[/\\]?|\\\\[^\s\"'“”‘’<>|]+")
"""An absolute path of a file. An address begins with a scheme, which a path does not follow."""


class HttpRefusedError(Exception):
    """A request was refused by the door itself.

    Attributes:
        status: the HTTP status.
        refusal: what is told.
        headers: further headers of the answer.
    """

    def __init__(self, status: int, refusal: Refusal, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(refusal.reason)
        self.status, self.refusal, self.headers = status, refusal, dict(headers or {})


def refused(
    texts: Texts,
    status: int,
    reason: str,
    *,
    code: ErrorCode = ErrorCode.INVALID_REQUEST,
    headers: Mapping[str, str] | None = None,
    retryable: bool = False,
    **values: str,
) -> HttpRefusedError:
    """A refusal of the door itself; ``http.refused.<reason>`` is its text, with ``values`` filled in."""
    message = texts(f"http.refused.{reason}", **values)
    refusal = Refusal(code=code, reason=reason, message=message, retryable=retryable, values=values)
    return HttpRefusedError(status, refusal, headers)


def status_of(refusal: Refusal) -> int:
    """The HTTP status of a refusal of the engine."""
    if "unknown" in refusal.reason.split("_"):
        return HTTPStatus.NOT_FOUND
    if refusal.reason in _CONFLICTS:
        return HTTPStatus.CONFLICT
    return _STATUS.get(refusal.code, HTTPStatus.BAD_GATEWAY)


def refusal_response(refusal: Refusal, status: int, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The answer that tells a refusal."""
    return JSONResponse(refusal_json(refusal), status_code=status, headers=dict(headers or {}))


def failure_of(failure: Failure) -> Refusal:
    """A turn that has failed, as a refusal."""
    return Refusal(
        code=ErrorCode(failure.code), reason=failure.reason, message=failure.message, retryable=failure.retryable
    )


def failure_response(failure: Failure, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The answer that tells that a turn has failed."""
    refusal = failure_of(failure)
    return refusal_response(refusal, status_of(refusal), headers)


def refusal_json(refusal: Refusal) -> dict[str, Any]:
    """The JSON form of a refusal: one object ``error``, as the OpenAI API has it. Paths are left out."""
    told = replace(
        refusal,
        message=without_paths(refusal.message),
        remedy=without_paths(refusal.remedy),
        values={name: without_paths(value) for name, value in refusal.values.items()},
    )
    return {"error": asdict(told)}


def without_paths(text: str) -> str:
    """The text with ``…`` for the folders of each absolute path; the name of the file itself stays."""
    return _PATH.sub(lambda found: "…/" + re.split(r"[/\\]", found[0].rstrip("/\\"))[-1], text)
