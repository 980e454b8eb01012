"""A database as an earlier Sori left it, opened by this one."""

import sqlite3
from contextlib import closing
from pathlib import Path

from assistant.storage.conversation_list import ConversationList, Titling
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.migrations import LATEST
from assistant.storage.timers import TimerStore
from tests.fakes.clock import FakeClock

VERSION_3 = Path(__file__).parents[2] / "data" / "databases" / "version-3.sql"


async def test_what_version_3_kept_is_all_there_with_titles_and_a_copy_is_left_beside_it(tmp_path: Path) -> None:
    path, clock = tmp_path / "sori.db", FakeClock()
    with closing(sqlite3.connect(path)) as old:
        old.executescript(VERSION_3.read_text(encoding="utf-8"))

    database = await Database.open(path, clock)
    conversations = ConversationList(database, clock)
    store = await ConversationStore.open(database, clock)
    entries = await conversations.entries()
    (message, answer), more = await store.page("garden", 10)
    (timer,) = await TimerStore(database).all()

    assert [(entry.id, entry.title) for entry in entries] == [
        ("trip", "Where is it warm in March?"),
        ("garden", "화분에 물은 며칠마다 줘야 해?"),
    ]
    assert (message.attachments[0].read(), answer.text, more) == (b"ficus", "흙이 마르면 주세요.", False)
    assert await conversations.titling("trip") == Titling(title="Where is it warm in March?", by="")
    assert await conversations.last_open() == "trip"
    assert (timer.name, timer.rang_at) == ("pasta", None)
    assert database.backup is not None
    await database.close()
    with closing(sqlite3.connect(database.backup)) as copy:
        assert copy.execute("SELECT MAX(number) FROM migrations").fetchone() == (3,)
    with closing(sqlite3.connect(path)) as migrated:
        assert migrated.execute("SELECT MAX(number) FROM migrations").fetchone() == (LATEST,)
