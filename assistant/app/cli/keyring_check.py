"""Tells before anybody types a secret that it could not be kept."""

from assistant.app.cli.asking import MakePart, carry_out
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.requests.models import ListKeptModels
from assistant.core.texts import Texts
from assistant.host.keys import has_keyring
from assistant.host.places import Places
from assistant.remote.local.endpoint import is_running


def check_keyring(places: Places, texts: Texts, part: MakePart, message_key: str) -> None:
    """Check that there is a keyring. Of an engine that runs, its keyring counts.

    Args:
        places: the user's files.
        texts: the user's words.
        part: see ``carry_out``.
        message_key: names the remedy.

    Raises:
        SoriError: there is no keyring.
        RefusedError: the engine does not answer.
    """
    running = is_running(places.home)
    if not (carry_out(places, texts, part, ListKeptModels()).keyring if running else has_keyring()):
        raise SoriError(ErrorCode.SETTINGS, "this system has no keyring", message_key=message_key)
