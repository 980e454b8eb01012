"""``sori toggle`` and ``sori dictate``: begin or end something in the running Sori, for a desktop's own shortcuts."""

import asyncio
import sys
from pathlib import Path

from assistant.core.service.request import Request
from assistant.host.places import Places
from assistant.host.settings_file import interface_language
from assistant.host.texts import load_texts
from assistant.remote.local.client import ANSWER_S, SilentEngineError, connect

_LOADING_S = 15.0
"""Longest wait for an engine that is still being loaded."""


def run(home: Path, toggle: Request[None]) -> int:
    """Send a request that begins or ends something, or report that Sori does not run.

    Returns:
        Exit status: 1 when no Sori runs with this home.

    Raises:
        RefusedError: the running Sori refuses it.
        SilentEngineError: it does not answer.
    """
    texts = load_texts(interface_language(Places(home).config))
    connection = connect(home, texts, name="toggle", within_s=ANSWER_S)
    if connection is None:
        sys.stderr.write(f"{texts('desktop.app.not_running')}\n")
        return 1
    try:
        asyncio.run(asyncio.wait_for(connection.result(toggle), _LOADING_S))
    except TimeoutError:
        raise SilentEngineError from None
    finally:
        connection.close()
    return 0
