"""Packages that few commands need. They are installed when such a command runs, pinned and with checksums."""

import importlib
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.texts import Texts
from assistant.setup.environment import Environment, InstalledEnvironment
from assistant.setup.installation import Installation
from assistant.setup.words import SetupError, Words
from assistant.weights.package_egress import PipEgress, PipPlaces
from assistant.weights.record import RecordDownload


def ensure_extra(group: str, module: str, environment: Environment, texts: Texts, record: RecordDownload) -> None:
    """Install a group of requirements unless its module is there, with a message and progress on standard error.

    Args:
        group: name of the lock file in ``requirements/``.
        module: a module of the group.
        environment: the target.
        texts: the user's texts.
        record: called with every address that pip asks.

    Raises:
        SoriError: the installation failed, or Sori does not fill this environment; the message has the remedy.
        StorageError: the download cannot be recorded, so it is not made.
    """
    if importlib.util.find_spec(module) is not None:
        return
    if isinstance(environment, InstalledEnvironment) or not environment.is_running:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{module} is not installed",
            message_key="extra_missing",
            values={"module": module, "command": environment.install_command(group, module)},
        )
    print(texts("cli.extra_installing", module=module), file=sys.stderr)
    words = Words(texts.language)
    with tempfile.TemporaryDirectory(prefix="sori-") as folder:
        log = Path(folder) / "pip.log"
        egress = PipEgress(record, os.environ, PipPlaces())
        egress.before()
        try:
            Installation(environment, words, watched=lambda: False).install([group], pip_log=log)
        except SetupError as error:
            raise SoriError(
                ErrorCode.NETWORK if error.key == "no_network" else ErrorCode.INVALID_REQUEST,
                f"{module} cannot be installed: {error}",
                message_key="extra_failed",
                values={"module": module, "reason": words(f"error.{error.key}", **error.values).strip()},
                cause=error,
            ) from error
        finally:
            egress.after(log)
    importlib.invalidate_caches()
