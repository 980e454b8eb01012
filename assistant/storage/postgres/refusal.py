"""What a PostgreSQL server refuses that the user can mend by another password."""

from assistant.core.errors import StorageError


class PasswordRefusedError(StorageError):
    """The server has asked for a password and has not let the user in."""
