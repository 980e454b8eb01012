"""Reads the files in which Sori keeps what it knows of servers, and what the user has allowed."""

import json
import logging
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)


def read_object(path: Path, consequence: str = "") -> dict[str, Any]:
    """The JSON object in a file; empty if the file is missing, or is damaged, which is logged.

    Args:
        path: the file.
        consequence: what a damaged file means, for the log; it follows "cannot be read".
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s cannot be read%s: %s", path, consequence, error)
        return {}
    return found if isinstance(found, dict) else {}
