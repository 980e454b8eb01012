"""``sori flows run``: talks to one service at the terminal, with the user's model, for those who write it."""

import asyncio
import logging
import sys
import traceback
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from assistant.core.live_settings import LiveSettings
from assistant.core.permissions import Category, Permissions
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.flows.loading.faults import place_of
from assistant.host.places import Places
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext

if TYPE_CHECKING:
    from assistant.flows.manifest import Manifest
    from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn


def run(places: Places, settings: Settings, texts: Texts, name: str) -> int:
    """Answer line after line until the input ends; returns the exit status: 1 if the service is not on.

    Each message is for the service, whatever its words are. Steps run as in a conversation, after the user's yes.

    Raises:
        SoriError: the database or the settings cannot be used.
    """

    async def talk() -> int:
        live = LiveSettings(settings, in_file=settings)
        chat = await build_chat(places.home, live, texts)
        try:
            await chat.flow_services.load()
            found = next((each for each in chat.flow_services.known if each.name == name and each.manifest), None)
            if found is None or found.manifest is None:
                print(texts("cli.flows.cannot_run", name=name), file=sys.stderr)
                return 1
            await _talk(chat, found.manifest, settings, found.folder)
            return 0
        finally:
            await chat.close()

    return asyncio.run(talk())


async def _talk(chat: Chat, manifest: "Manifest", settings: Settings, folder: Path) -> None:
    from assistant.flows.orchestrator import CoreOrchestrator

    # A conversation without messages is in no list, and is removed at the next start.
    session = await chat.storage.conversations.create()
    store = FlowStore(chat.storage.database, chat.basis.clock)
    orchestrator = CoreOrchestrator(manifest, store, chat.basis.texts, chat.basis.clock, new_id)
    defects = _Defects(folder)
    logging.getLogger("assistant").addHandler(defects)
    try:
        while line := await asyncio.to_thread(_typed):
            await _answer(orchestrator, _turn(chat, manifest, store, session, line, settings), chat.basis.texts)
    finally:
        logging.getLogger("assistant").removeHandler(defects)
        await orchestrator.reset(session)  # Nobody can come back to it.


class _Defects(logging.Handler):
    """Shows the exceptions that a conversation only writes to its log: of handlers, agents, steps and hooks.

    Args:
        folder: the folder of the service.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Print the traceback, and below it the line of the service."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            traceback.print_exception(error)
            file, line = place_of(self._folder, error) or ("", 0)
            where = f"{self._folder / file}:{line}: " if file else ""
            print(f"{where}{type(error).__name__}: {error}", file=sys.stderr, flush=True)


def _typed() -> str:
    """The next line that says something; empty at the end of the input."""
    if sys.stdin.isatty():
        print("> ", end="", flush=True)
    for line in sys.stdin:
        if line.strip():
            return line.strip()
    return ""


def _turn(
    chat: Chat, manifest: "Manifest", store: FlowStore, session: str, text: str, settings: Settings
) -> "FlowTurn":
    from assistant.flows.model import TurnModel
    from assistant.flows.orchestrator import FlowTurn
    from assistant.flows.steps import TurnSteps

    permissions = Permissions(categories=frozenset(Category))  # The user is at this terminal.
    return FlowTurn(
        session=session,
        message=text,
        language=settings.language,
        model=TurnModel(aside=chat.answers.exchange.aside(), conversation=session),
        steps=TurnSteps(
            runner=manifest.gate(chat.tools.runner, permissions, store, chat.basis.texts),
            ledger=store,
            context=CallContext(conversation=session),
        ),
    )


async def _answer(orchestrator: "CoreOrchestrator", turn: "FlowTurn", texts: Texts) -> None:
    from assistant.flows.events import EventType
    from assistant.flows.handler import ElsewhereError

    streamed = False
    try:
        async with aclosing(orchestrator.run(turn)) as events:
            async for event in events:
                match event.event:
                    case EventType.AGENT_START:
                        print(f"[{event.payload['agent']}: {event.payload['label']}]", file=sys.stderr, flush=True)
                    case EventType.TOKEN:
                        streamed = True
                        print(event.payload["text"], end="", flush=True)
                    case EventType.DONE:
                        print("" if streamed else event.payload["message"])
                        stage = event.payload["state_snapshot"]["stage"]
                        print(f"[{stage}]", file=sys.stderr, flush=True)
                    case _:
                        pass
    except ElsewhereError:
        print(f"[{texts('cli.flows.elsewhere')}]", file=sys.stderr, flush=True)
