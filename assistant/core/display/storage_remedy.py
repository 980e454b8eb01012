"""What helps against an error of the disk, by the cause that the system gives."""

import errno
from typing import Final

from assistant.core.errors import StorageError
from assistant.core.texts import Texts

_BY_CAUSE: Final = {
    "full": frozenset({errno.ENOSPC, errno.EDQUOT}),
    "read_only": frozenset({errno.EROFS, errno.EACCES, errno.EPERM}),
}
_WITHOUT_REMEDY: Final = frozenset({"home", "storage", "storage_cannot_open"})
"""The errors whose texts say no remedy."""


def storage_remedy(error: StorageError, texts: Texts) -> str:
    """The remedy in the user's words; empty if the error's own text says one."""
    if error.reason not in _WITHOUT_REMEDY:
        return ""
    number = error.__cause__.errno if isinstance(error.__cause__, OSError) else None
    return texts(f"desktop.trouble.remedy.{next((key for key, of in _BY_CAUSE.items() if number in of), 'other')}")
