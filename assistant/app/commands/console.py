"""``sori console`` and ``sori chat`` without a message: a conversation in the terminal."""

import asyncio
from pathlib import Path

from assistant.app.cli.attachment_file import read_attachment
from assistant.app.cli.options import ChatOptions
from assistant.app.cli.surroundings import LocalSurroundings
from assistant.app.commands.chat.turns import open_chosen
from assistant.app.served_engine import ServedEngine
from assistant.core.service.connection import EngineService
from assistant.core.settings import Settings
from assistant.core.texts import ChosenTexts
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.remote.local.client import AttachedEngine, take_home
from assistant.terminal.desk import Desk

_END_S = 5.0
"""Seconds that an engine of this process has to end."""
_SIGNALLED = 128
"""The exit status of a process that a signal has ended, without the signal's number."""


def run(home: Path, settings: Settings, options: ChatOptions | None = None) -> int:
    """Converse until ``/quit``, the end of input, or Ctrl-C while nothing is running.

    Args:
        home: the user's folder.
        settings: all settings.
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
    home.mkdir(parents=True, exist_ok=True)
    held, chosen = take_home(home, texts), options.newest or options.conversation is not None

    def desk(engine: EngineService) -> Desk:
        return Desk(
            engine,
            texts,
            LocalSurroundings(places, texts),
            attachments=files,
            model=options.model,
            options=options.turn,
            begins=not hears and not chosen,
            hears=hears,
            ends_sori=held is not None,
            on_language=texts.choose,
        )

    if held is None:
        running = AttachedEngine(home, texts)
        if chosen:
            asyncio.run(open_chosen(running, options))
        return _converse(desk(running), texts)
    own = ServedEngine(home, settings, texts.fixed, held, hears=hears)
    at_desk = desk(own.engine)
    own.start()
    try:
        if chosen:
            asyncio.run(open_chosen(own.engine, options))
        return _converse(at_desk, texts)
    finally:
        own.stop(_END_S)


def _converse(desk: Desk, texts: ChosenTexts) -> int:
    print(texts("console.welcome"))
    asyncio.run(desk.converse())
    if desk.editor.ended:
        return _SIGNALLED + desk.editor.ended
    if desk.screen.stopped and not desk.screen.failed:
        print(texts("console.ended"))
    return 1 if desk.screen.failed else 0
