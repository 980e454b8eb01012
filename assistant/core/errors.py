"""One tree of errors for all of Sori.

::

    SoriError                 code, message key and values, retryable, cause
    ├── SettingsError         config.toml: file, line and remedy
    ├── ProviderError         a language model's server said no, or said nothing
    ├── ModelFileError        a weight file is missing, cut off or altered
    ├── EngineError           a speech engine cannot be used here, and why
    ├── AudioDeviceError      microphone or speaker
    └── StorageError          the database or a file of the user's

Adapters translate foreign exceptions into these at their boundary. What the user reads comes from the translation of
``error.<message_key>`` with ``values`` filled in; ``str(error)`` is for logs.
"""

from collections.abc import Mapping
from enum import StrEnum


class ErrorCode(StrEnum):
    """What kind of thing went wrong (P-13, and the local kinds)."""

    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    MODEL_NOT_FOUND = "model_not_found"
    CONTEXT_TOO_LONG = "context_too_long"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    NETWORK = "network"
    CONTENT_REFUSED = "content_refused"
    INVALID_REQUEST = "invalid_request"
    INVALID_RESPONSE = "invalid_response"
    EMPTY_RESPONSE = "empty_response"
    INCOMPLETE = "incomplete"
    TOOL_LOOP = "tool_loop"
    CANCELLED = "cancelled"
    SETTINGS = "settings"
    MODEL_FILE = "model_file"
    ENGINE_UNAVAILABLE = "engine_unavailable"
    AUDIO_DEVICE = "audio_device"
    STORAGE = "storage"
    INTERNAL = "internal"


RETRYABLE = frozenset(
    {ErrorCode.RATE_LIMITED, ErrorCode.OVERLOADED, ErrorCode.NETWORK, ErrorCode.INCOMPLETE, ErrorCode.EMPTY_RESPONSE},
)
"""Codes after which the same request may well succeed."""

KEY_MISSING = "api_key_missing"
"""``SoriError.reason`` where a key is wanted and none is stored; its words tell how to store one."""


OFFERS: Mapping[ErrorCode, tuple[str, ...]] = {
    ErrorCode.AUTHENTICATION: ("api_key", "retry", "other_model"),
    ErrorCode.PERMISSION: ("other_model", "api_key", "retry"),
    ErrorCode.RATE_LIMITED: ("other_model", "retry"),
    ErrorCode.QUOTA: ("other_model",),
    ErrorCode.MODEL_NOT_FOUND: ("other_model",),
    ErrorCode.CONTEXT_TOO_LONG: ("other_model",),
    ErrorCode.OVERLOADED: ("retry", "other_model"),
    ErrorCode.TIMEOUT: ("other_model", "retry"),
    ErrorCode.NETWORK: ("retry", "other_model"),
    ErrorCode.CONTENT_REFUSED: ("other_model",),
    ErrorCode.INVALID_RESPONSE: ("retry", "other_model"),
    ErrorCode.EMPTY_RESPONSE: ("retry", "other_model"),
    ErrorCode.INCOMPLETE: ("retry", "other_model"),
    ErrorCode.TOOL_LOOP: ("retry",),
    ErrorCode.MODEL_FILE: ("other_model",),
    ErrorCode.ENGINE_UNAVAILABLE: ("other_model",),
    ErrorCode.STORAGE: ("retry",),
    ErrorCode.INTERNAL: ("retry",),
}
"""What could help after an error, the most promising first; nothing where the request itself is at fault."""


class SoriError(Exception):
    """Something went wrong that the user can be told about.

    Args:
        code: the kind of error.
        detail: one English sentence for logs and developers.
        message_key: key of the text for the user below ``error.``; the code's own text by default.
        values: what to fill into that text.
        cause: the foreign exception, kept as ``__cause__``.
    """

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        message_key: str = "",
        values: dict[str, str] | None = None,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.message_key = f"error.{message_key or code.value}"
        self.values = dict(values or {})
        if cause is not None:
            self.__cause__ = cause

    @property
    def reason(self) -> str:
        """Which error of its code this is: what is told of it, without saying how; the code where there is one only."""
        return self.message_key.removeprefix("error.")

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed when made again."""
        return self.code in RETRYABLE


class SettingsError(SoriError):
    """The configuration cannot be used as it stands.

    Attributes:
        line: where; 0 when it is about the whole file.
        remedy: what to do about it, for the log.
        problem: key below ``settings`` of the user's words for both; empty where there are none.
    """

    def __init__(
        self, detail: str, *, line: int, remedy: str, problem: str = "", values: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(
            ErrorCode.SETTINGS,
            f"line {line}: {detail}. {remedy}" if line else f"{detail}. {remedy}",
            values={**(values or {}), "line": str(line), "detail": detail, "remedy": remedy},
        )
        self.line = line
        self.remedy = remedy
        self.problem = problem


class ProviderError(SoriError):
    """A language model's server failed.

    Attributes:
        provider: name of the provider as configured.
        status: HTTP status, or ``None`` where there was none.
        retry_after_s: seconds that the server asked to wait, or ``None``.
    """

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        provider: str,
        status: int | None = None,
        retry_after_s: float | None = None,
        message_key: str = "",
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(
            code,
            detail,
            message_key=message_key,
            values={"provider": provider, "detail": detail},
            cause=cause,
        )
        self.provider = provider
        self.status = status
        self.retry_after_s = retry_after_s


class ModelFileError(SoriError):
    """A model's file is missing, cut off or altered; ``values`` fill the text for the user beside model and detail."""

    def __init__(
        self,
        detail: str,
        *,
        model: str,
        message_key: str = "",
        values: dict[str, str] | None = None,
        cause: BaseException | None = None,
    ) -> None:
        super().__init__(
            ErrorCode.MODEL_FILE,
            detail,
            message_key=message_key,
            values={**(values or {}), "model": model, "detail": detail},
            cause=cause,
        )
        self.model = model


class EngineError(SoriError):
    """A speech engine cannot be used here; ``detail`` says why."""

    def __init__(self, engine: str, detail: str, *, message_key: str = "", cause: BaseException | None = None) -> None:
        super().__init__(
            ErrorCode.ENGINE_UNAVAILABLE,
            f"{engine}: {detail}",
            message_key=message_key,
            values={"engine": engine, "detail": detail},
            cause=cause,
        )
        self.engine = engine


class AudioDeviceError(SoriError):
    """The microphone or the speaker cannot be used."""

    def __init__(self, device: str, detail: str, *, message_key: str = "", cause: BaseException | None = None) -> None:
        super().__init__(
            ErrorCode.AUDIO_DEVICE,
            f"{device}: {detail}",
            message_key=message_key,
            values={"device": device, "detail": detail},
            cause=cause,
        )
        self.device = device


class StorageError(SoriError):
    """The database or one of the user's files cannot be read or written."""

    def __init__(self, path: str, detail: str, *, message_key: str = "", cause: BaseException | None = None) -> None:
        super().__init__(
            ErrorCode.STORAGE,
            f"{path}: {detail}",
            message_key=message_key,
            values={"path": path, "detail": detail},
            cause=cause,
        )
        self.path = path
