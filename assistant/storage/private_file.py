"""Writes files that only the user can read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from assistant.core.errors import ErrorCode, SoriError


@contextmanager
def private_file(path: Path) -> Iterator[TextIO]:
    """A file to write; it replaces ``path`` at the end of the block, unless the block fails.

    Raises:
        SoriError: it cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                yield file
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        problem = error.strerror or str(error)
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{path} cannot be written: {problem}",
            message_key="export_unwritable",
            values={"file": str(path), "problem": problem},
            cause=error,
        ) from error
