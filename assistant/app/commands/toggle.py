"""``sori toggle``: starts or ends a spoken conversation in the running Sori, for a desktop's own shortcut."""

import sys
from pathlib import Path

from assistant.host.places import Places
from assistant.host.settings_file import interface_language
from assistant.host.single_instance import InstanceRequest, is_running, send_request
from assistant.host.texts import load_texts


def run(home: Path) -> int:
    """Start or end the spoken conversation, or report that Sori does not run.

    Returns:
        Exit status: 1 when no Sori runs with this home, or it does not answer.
    """
    if send_request(home, InstanceRequest.TOGGLE):
        return 0
    key = "desktop.app.not_answering" if is_running(home) else "desktop.app.not_running"
    texts = load_texts(interface_language(Places(home).config))
    sys.stderr.write(f"{texts(key)}\n")
    return 1
