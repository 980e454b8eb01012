"""Reads files that the user names as attachments of a message."""

from pathlib import Path

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.messages import MAX_FILE_BYTES, Attachment
from assistant.llm.attachments.file_types import file_type, type_by_bytes
from assistant.storage.file_names import existing, plain_name


def read_attachment(path: Path, *, image: bool = False) -> Attachment:
    """Read the file at ``path``; its type is detected from its bytes.

    Args:
        path: path of the file; a pipe from the shell is read to its end.
        image: whether the file must be an image.

    Raises:
        SoriError: the file is missing, a folder, unreadable, empty, too large, or no image; the message key says which.
    """
    path = existing(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise _unusable("missing", path, cause=error) from error
    except IsADirectoryError as error:
        raise _unusable("folder", path, cause=error) from error
    except OSError as error:
        raise _unusable("unreadable", path, detail=error.strerror or str(error), cause=error) from error
    if not data:
        raise _unusable("empty", path)
    if len(data) > MAX_FILE_BYTES:
        raise _unusable("too_large", path, limit=f"{MAX_FILE_BYTES // 1024 // 1024} MB")
    if image and not type_by_bytes(data).startswith("image/"):
        raise _unusable("not_image", path)
    return Attachment(mime_type=file_type(data, path.name), name=plain_name(path.name), data=data)


def _unusable(problem: str, path: Path, *, cause: OSError | None = None, **values: str) -> SoriError:
    return SoriError(
        ErrorCode.INVALID_REQUEST,
        f"the file {path} cannot be attached: {problem} {values}",
        message_key=f"attachment_{problem}",
        values={"path": str(path), **values},
        cause=cause,
    )
