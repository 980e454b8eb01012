"""Logs: one JSON object per line, in rotating files, with secrets redacted."""

import json
import logging
import logging.handlers
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

_MAX_BYTES = 1_000_000
_KEPT_FILES = 5
_SHORTEST_SECRET = 6
"""Characters. Shorter values are not redacted: they would hide ordinary words, and no key is that short."""

_PATTERNS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=\-]{8,}"),
    re.compile(r"(?i)\b((?:x-)?api[-_]?key|token|password|secret|authorization)(\W{1,4})[^\s\"',}]{6,}"),
    re.compile(r"\b(sk|pk|rk|ghp|gho|xox[abp])[-_][A-Za-z0-9_\-]{8,}"),
    re.compile(r"\bAIza[A-Za-z0-9_\-]{20,}"),
    re.compile(r"\b\d{6,}:[A-Za-z0-9_\-]{30,}\b"),
    re.compile(r"(?<=://)[^\s/@]+:[^\s/@]+(?=@)"),
)
"""Patterns of credentials: HTTP authorisation, named values, prefixes of well-known services, bot tokens, addresses."""


_kept: set[str] = set()
"""Secrets that became known while Sori runs, such as keys from a keyring. Logging is global to the process."""


def keep_secret(value: str) -> None:
    """Redact a value from everything that is logged from now on."""
    if len(value.strip()) >= _SHORTEST_SECRET:
        _kept.add(value.strip())


def kept_secrets() -> frozenset[str]:
    """The secrets that became known until now."""
    return frozenset(_kept)


class Redactor:
    """Redacts secrets from text.

    Args:
        secrets: known secrets.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = {each.strip() for each in secrets if len(each.strip()) >= _SHORTEST_SECRET}

    def __call__(self, text: str) -> str:
        """The text with every secret replaced by ``[secret]``."""
        # Replace longer secrets first, because a secret may be the beginning of another.
        for secret in sorted({*self._secrets, *_kept}, key=len, reverse=True):
            text = text.replace(secret, "[secret]")
        for pattern in _PATTERNS:
            text = pattern.sub("[secret]", text)
        return text


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON: time (UTC), level, logger, thread, message and any error."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "thread": record.threadName,
            "message": self._redactor(record.getMessage()),
        }
        if record.exc_info:
            entry["error"] = self._redactor(self.formatException(record.exc_info))
        return json.dumps(entry, ensure_ascii=False)


class _LogFile(logging.handlers.RotatingFileHandler):
    """Writes nothing once it is closed. Its base would open the file anew for the record of a thread that is late."""

    _over = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        if not self._over:
            super().emit(record)

    def close(self) -> None:
        """Close the file."""
        self._over = True
        super().close()


def start_logging(folder: Path, name: str, secrets: Iterable[str] = (), level: int = logging.INFO) -> Path:
    """Send all log records and warnings to ``<folder>/<name>.log``.

    Args:
        folder: made if missing; only the user can open it.
        name: the running command, so that two commands at once do not rotate one file.
        secrets: known secrets.
        level: the lowest level to write.

    Returns:
        The file.

    Raises:
        OSError: the file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):  # a file system without modes
        folder.chmod(0o700)
    path = folder / f"{name}.log"
    handler = _LogFile(path, maxBytes=_MAX_BYTES, backupCount=_KEPT_FILES, encoding="utf-8")
    handler.setFormatter(JsonFormatter(Redactor(secrets)))
    root = logging.getLogger()
    for old in root.handlers[:]:
        if isinstance(old, _LogFile):
            root.removeHandler(old)
            old.close()
    root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(capture=True)
    logging.raiseExceptions = False  # a full disk must not spill tracebacks over the conversation
    return path


def log_uncaught(path: Path, sorry: str) -> None:
    """Log uncaught exceptions and show the text ``sorry`` to the user. Its ``{log}`` is replaced by the file's name."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger("sori").critical("uncaught", exc_info=(kind, error, trace))
        sys.stderr.write(f"{sorry.format(log=path)}\n  {kind.__name__}: {Redactor()(str(error))}\n")

    sys.excepthook = hook
