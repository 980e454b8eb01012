"""The form in which the keys of the account of several devices are kept: one text, in the keyring or the key file."""

import base64
import json
from typing import Any, Final

NAME: Final = "sync-account"
"""Under which name they are kept."""


def kept_text(plain: dict[str, Any]) -> str:
    """The text that is kept."""
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode()


def read_kept(text: str) -> dict[str, Any]:
    """What a kept text holds.

    Raises:
        ValueError: it is empty, or was changed by hand.
    """
    plain = json.loads(base64.urlsafe_b64decode(text))
    if not isinstance(plain, dict):
        raise ValueError(text)  # noqa: TRY004  # whoever reads tells damage by one kind of error
    return plain
