"""The error classes of Sori.

::

    SoriError                 code, message key and values, retryable, cause
    ├── SettingsError         config.toml: file, line and remedy
    ├── ProviderError         the server of a language model refused or did not answer
    ├── ModelFileError        a weight file is missing, truncated or altered
    ├── EngineError           a speech engine cannot be used here, with the reason
    ├── AudioDeviceError      microphone or speaker
    └── StorageError          the database or a file of the user's

Adapters translate foreign exceptions into these at their boundary. The user reads the translation of
``error.<message_key>`` with ``values`` filled in. ``str(error)`` is for logs.
"""

from collections.abc import Mapping
from enum import StrEnum


class ErrorCode(StrEnum):
    """The kind of an error (P-13, and the local kinds)."""

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
"""Codes after which the same request may succeed."""

KEY_MISSING = "api_key_missing"
"""``SoriError.reason`` of a missing key. Its text tells the user how to store one."""


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

_LEAVES_A_PART = frozenset(
    {ErrorCode.TIMEOUT, ErrorCode.NETWORK, ErrorCode.INCOMPLETE, ErrorCode.OVERLOADED, ErrorCode.INVALID_RESPONSE}
)
"""Errors that may break off an answer."""


def offers_after(code: ErrorCode, *, answered: bool) -> tuple[str, ...]:
    """The remedies for an error. After a part of the answer the first one is to go on from it (P-21)."""
    offers = OFFERS.get(code, ())
    return ("continue", *offers) if answered and code in _LEAVES_A_PART else offers


"""Remedies to offer after an error, most promising first; none when the request itself is at fault."""


class SoriError(Exception):
    """An error that can be reported to the user.

    Args:
        code: the kind of error.
        detail: one English sentence for logs and developers, with the place and, where there is one, the remedy.
        message_key: key below ``error.`` of the text for the user; the code's own text by default.
        values: the values for that text.
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
        """The specific error within its code, from the message key; equal to the code when the code has only one."""
        return self.message_key.removeprefix("error.")

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed when repeated."""
        return self.code in RETRYABLE


class SettingsError(SoriError):
    """The configuration is not usable. What is wrong, and how to correct it, stands in the user's texts alone.

    Args:
        problem: key below ``settings`` of the texts for problem and remedy.
        line: line number; 0 when the error concerns the whole file.
        values: the values of these texts.
    """

    def __init__(self, problem: str, /, *, line: int = 0, **values: str) -> None:
        told = ", ".join(f"{name} {value}" for name, value in values.items())
        place = f"line {line}: " if line else ""
        super().__init__(ErrorCode.SETTINGS, f"{place}{problem}: {told}", values={**values, "line": str(line)})
        self.message_key = f"settings.{problem}.problem"
        self.remedy_key = f"settings.{problem}.remedy"
        self.line, self.problem, self._told = line, problem, values

    @property
    def reason(self) -> str:
        """The code: the problem is a matter of the file."""
        return self.code.value

    def at(self, line: int) -> "SettingsError":
        """The same problem at another line."""
        return SettingsError(self.problem, line=line, **self._told)


def unreadable(error: OSError | UnicodeDecodeError) -> SettingsError:
    """The error of a configuration file that the system does not let Sori read, or that is not UTF-8."""
    if isinstance(error, UnicodeDecodeError):
        return SettingsError("utf8", line=error.object[: error.start].count(b"\n") + 1)
    return SettingsError("unreadable", reason=error.strerror or str(error))


class ProviderError(SoriError):
    """A request to the server of a language model failed.

    Attributes:
        provider: name of the configured provider.
        status: HTTP status, or ``None`` when there was no response.
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

    def with_text(self, message_key: str) -> "ProviderError":
        """The same error with another text for the user."""
        return ProviderError(
            self.code,
            self.detail,
            provider=self.provider,
            status=self.status,
            retry_after_s=self.retry_after_s,
            message_key=message_key,
        )

    def __str__(self) -> str:
        return f"provider {self.provider}: {self.detail}"


class ModelFileError(SoriError):
    """A model file is missing, truncated or altered.

    The user's text has the fields ``model`` and ``detail``, and those of ``values``.
    """

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

    def __str__(self) -> str:
        return f"model {self.model}: {self.detail}"


class EngineError(SoriError):
    """A speech engine cannot be used here; ``detail`` gives the reason."""

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
    """The database or a file of the user's cannot be read or written."""

    def __init__(self, path: str, detail: str, *, message_key: str = "", cause: BaseException | None = None) -> None:
        super().__init__(
            ErrorCode.STORAGE,
            f"{path}: {detail}",
            message_key=message_key,
            values={"path": path, "detail": detail},
            cause=cause,
        )
        self.path = path
