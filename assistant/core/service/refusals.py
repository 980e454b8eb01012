"""Errors of the engine as the refusals that clients get. The only place where they are worded."""

from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.service.request import Refusal
from assistant.core.texts import Texts

ENGINE_GONE = "engine_gone"
"""``Refusal.reason`` when the engine, or the connection, has ended before the request was carried out."""


def refusal_of(error: BaseException, texts: Texts) -> Refusal:
    """The refusal for an error; one that is not Sori's own is an internal one."""
    if not isinstance(error, SoriError):
        error = SoriError(ErrorCode.INTERNAL, str(error), cause=error)
    values = {name: str(value) for name, value in error.values.items()}
    try:
        message = texts(error.message_key, **values)
    except (KeyError, IndexError):  # a text that names other fields
        message = texts("error.internal")
    remedy = texts(error.remedy_key, **values) if isinstance(error, SettingsError) else ""
    return Refusal(
        code=error.code,
        reason=error.reason,
        message=f"{message}." if remedy else message,
        remedy=remedy,
        retryable=error.retryable,
        values=values,
    )


def gone(texts: Texts) -> Refusal:
    """The refusal of a request that the engine could not carry out before its end."""
    error = SoriError(ErrorCode.ENGINE_UNAVAILABLE, "the engine has ended", message_key=ENGINE_GONE)
    return refusal_of(error, texts)


def cancelled(texts: Texts) -> Refusal:
    """The refusal of a request that its client gave up."""
    return refusal_of(SoriError(ErrorCode.CANCELLED, "the client gave the request up"), texts)
