"""A process with the whole engine and its Telegram door: ``python -m tests.e2e.telegram.killed_door HOME MODEL API``.

It writes a line once it answers, and goes on until it is killed.
"""

import asyncio
import sys
import time
from pathlib import Path

from assistant.core.settings import TelegramSettings
from assistant.core.telegram.records import TelegramChat, TelegramStanding
from assistant.engine.thread import EngineThread
from assistant.host.clock import SystemClock
from assistant.remote.telegram.door import TelegramDoor
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.telegram import TelegramRecords
from tests.e2e.conversation.running_engine import TEXTS, Client, Shown, settings_for
from tests.fakes.telegram_server.server import TOKEN


class Printed:
    """Implements ``TelegramNews``."""

    def stands(self, standing: TelegramStanding) -> None:
        sys.stdout.write(f"{standing.state}\n")
        sys.stdout.flush()

    def linked(self, chat: TelegramChat) -> None:
        """Nobody is told."""


def main(home: Path, model: str, api: str) -> None:
    """Run until it is killed."""
    engine = EngineThread(home, settings_for(model), TEXTS, hears=False)
    client = Client(engine, Shown())
    engine.start()
    _ = client.conversation
    clock = SystemClock()
    database = asyncio.run(Database.open(home / "sori.db", clock))
    records, ledger = TelegramRecords(database, clock), EgressStore(database, clock)
    door = TelegramDoor(engine, records, ledger, TEXTS, Printed(), clock, api=api)
    settings = TelegramSettings(missed_messages=100)
    door.open(TOKEN, lambda: settings)
    time.sleep(3600)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
