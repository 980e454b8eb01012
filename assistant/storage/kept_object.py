"""Files of one JSON object, in which Sori keeps what it knows of servers and agents and what the user has allowed."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.storage.atomic import read_text, set_aside, write_text

log = logging.getLogger(__name__)


def damage_of(path: Path) -> str:
    """Why the object in a file cannot be used; empty if it can, or if there is no file."""
    return _read(path)[1]


def read_object(path: Path, consequence: str = "") -> dict[str, Any]:
    """The JSON object in a file; empty if the file is missing, or is damaged, which is logged.

    Args:
        path: the file.
        consequence: what a damaged file means, for the log; it follows "cannot be read".
    """
    found, damage = _read(path)
    if damage:
        log.warning("%s cannot be read%s: %s", path, consequence, damage)
    return found


def write_object(path: Path, kept: Mapping[str, Any]) -> None:
    """Replace the object in a file. A damaged file is kept beside it, which is logged.

    Whoever changes an object holds ``atomic.alone_with`` from reading it until it is written.

    Raises:
        StorageError: the file cannot be written or set aside; it stays as it is.
    """
    if damage := damage_of(path):
        log.warning("%s is damaged (%s) and was kept as %s", path, damage, set_aside(path))
    write_text(path, json.dumps(kept, ensure_ascii=False, indent=2))


def _read(path: Path) -> tuple[dict[str, Any], str]:
    try:
        found = json.loads(read_text(path))
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, error.strerror or str(error)
    except (ValueError, RecursionError) as error:
        return {}, str(error)
    return (found, "") if isinstance(found, dict) else ({}, "not an object")
