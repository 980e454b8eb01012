"""Loads Qt."""

import builtins


def load_qt() -> None:
    """Load Qt before anything else imports it, and keep Python's own ``import``.

    PySide puts another ``import`` in its place, which reads the source of every module that is imported later and keeps
    it in memory: 30 MB of the window's process and a twentieth of its start. Looking into a module also makes pydantic
    import more, so that two threads that import SDKs disturb each other. It serves ``from __feature__ import`` alone.

    Raises:
        ImportError: a library of the system is missing.
    """
    own = builtins.__import__
    import PySide6.QtCore  # noqa: F401

    builtins.__import__ = own
