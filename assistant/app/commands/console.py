"""``sori console`` and ``sori chat`` without a message: a conversation in the terminal."""

import asyncio
from pathlib import Path

from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.conversations.opening import open_first
from assistant.app.cli.options import ChatOptions
from assistant.app.cli.surroundings import LocalSurroundings
from assistant.core.settings import Settings
from assistant.core.texts import ChosenTexts
from assistant.engine.thread import EngineThread
from assistant.host.places import Places
from assistant.host.single_instance import is_running
from assistant.host.texts import load_texts
from assistant.terminal.desk import Desk

_SIGNALLED = 128
"""The exit status of a process that a signal has ended, without the signal's number."""


def run(home: Path, settings: Settings, options: ChatOptions | None = None) -> int:
    """Converse until ``/quit``, the end of input, or Ctrl-C while nothing is running.

    Args:
        home: the user's folder.
        settings: all settings, with the choices of the command line.
        options: a typed conversation of ``sori chat``; ``None`` for the one that was open last, also spoken.

    Returns:
        Exit status: 1 when the engine ended by itself, 128 and the signal's number after SIGTERM or SIGHUP.

    Raises:
        SoriError: the wanted conversation does not exist, or a file cannot be attached.
        StorageError: the database cannot be used.
    """
    texts = ChosenTexts(settings.language, {"ko": load_texts("ko"), "en": load_texts("en")})
    places, hears = Places(home), options is None
    options = options or ChatOptions(text="")
    files = [read_attachment(path, image=True) for path in options.images] + [*map(read_attachment, options.files)]
    if not hears:
        asyncio.run(open_first(places, texts, options))
    engine = EngineThread(home, settings, texts.fixed, hears=hears, alone=hears or not is_running(home))
    desk = Desk(
        engine,
        texts,
        LocalSurroundings(places),
        attachments=files,
        model=options.model,
        hears=hears,
        on_language=texts.choose,
    )
    engine.start()
    print(texts("console.welcome"))
    try:
        asyncio.run(desk.converse())
    finally:
        engine.stop()
    if desk.editor.ended:
        return _SIGNALLED + desk.editor.ended
    return 1 if desk.screen.failed else 0
