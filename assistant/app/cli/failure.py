"""Why a command failed, in the user's words."""

from dataclasses import dataclass
from pathlib import Path

from assistant.core.display.storage_remedy import storage_remedy
from assistant.core.errors import SoriError, StorageError
from assistant.core.service.request import RefusedError
from assistant.core.texts import Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFailure:
    """Why a command failed.

    Attributes:
        words: what went wrong.
        remedy: what the user can do; empty if ``words`` says it.
        path: the file or folder that it is about; ``None`` for none.
        hint: what else can be done in a terminal; empty for nothing.
    """

    words: str
    remedy: str = ""
    path: Path | None = None
    hint: str = ""


def failure_of(error: Exception, home: Path, texts: Texts) -> CommandFailure:
    """What an error means for the user.

    Args:
        error: the error.
        home: the user's folder, which an error of the system without a file is about.
        texts: the user's words.
    """
    match error:
        case RefusedError(refusal=refusal):
            return CommandFailure(words=refusal.words)
        case ImportError():
            return CommandFailure(words=texts("cli.missing_part", part=error.name or "?", reason=error))
        case OSError():
            where = str(error.filename or home)
            return failure_of(StorageError(where, error.strerror or str(error), cause=error), home, texts)
        case SoriError():
            remedy, path = (
                (storage_remedy(error, texts), Path(error.path)) if isinstance(error, StorageError) else ("", None)
            )
            hint = texts("cli.other_home") if error.reason == "home" else ""
            return CommandFailure(words=texts(error.message_key, **error.values), remedy=remedy, path=path, hint=hint)
        case _:
            return CommandFailure(words=f"{type(error).__name__}: {error}")
