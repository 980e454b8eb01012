"""A database as each earlier Sori left it, opened by this one.

The files were made by the steps of their time. They hold the same conversations: ``garden`` was written in last, after
the clock had been set back by an hour; ``secret`` was deleted where that could be kept.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from uuid import UUID

import pytest

from assistant.core.identity.hybrid_time import Stamp
from assistant.core.messages import Completion, Message, Role, Summary
from assistant.core.records.agents import AgentId
from assistant.storage.conversation_list import ConversationList, Titling
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.migrations.steps import LATEST
from assistant.storage.records.traces import TraceStore
from assistant.storage.rows import THIS_DEVICE
from assistant.storage.timers import TimerStore
from tests.fakes.clock import FakeClock

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parents[3] / "data" / "databases"
NAMES = sorted(each.stem for each in FOLDER.glob("version-*.sql"))
GARDEN = ["m1", "m2", "m3", "m9", "m10"]
TRIP = ["m4", "m5", "m6", "m7"]


def version_in(name: str) -> int:
    return int(name.split("-")[1])


def lacks_superseded(name: str) -> bool:
    return version_in(name) == 1 or "first" in name


def lacks_summaries(name: str) -> bool:
    return lacks_superseded(name) or "second" in name


def laid_down(name: str, folder: Path) -> Path:
    """The file of a version as it lay on somebody's disk."""
    path = folder / "sori.db"
    with closing(sqlite3.connect(path)) as old:
        old.execute("PRAGMA journal_mode = WAL").fetchall()
        old.executescript((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    return path


def shape(path: Path) -> dict[str, object]:
    """Columns and indexes of every table."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table: (
                connection.execute("SELECT name, type, pk FROM pragma_table_info(?)", (table,)).fetchall(),
                connection.execute("SELECT * FROM pragma_foreign_key_list(?)", (table,)).fetchall(),
                sorted(row[0] for row in connection.execute("SELECT name FROM pragma_index_list(?)", (table,))),
            )
            for table in tables
        }


def test_there_is_a_file_of_every_version() -> None:
    assert {version_in(name) for name in NAMES} == set(range(1, LATEST))


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_every_word_and_file_is_there_in_its_place(tmp_path: Path, name: str) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down(name, tmp_path), clock)
    store = await ConversationStore.open(database, clock)

    garden, trip = await store.messages("garden"), await store.messages("trip")

    assert [message.id for message in garden] == GARDEN
    assert [message.id for message in trip] == TRIP
    asked, broken_off, answered, photo, cut_off = garden
    assert (asked.text, asked.role) == ("화분에 물은 며칠마다 줘야 해?", Role.USER)
    assert asked.created_at == "2026-10-02T10:00:00+09:00"
    assert broken_off.superseded is not lacks_superseded(name)
    assert (answered.heard, answered.completion) == ("흙이 마르면 주세요.", Completion.INTERRUPTED)
    assert (answered.reasoning, answered.usage) == ("식물의 종류를 모른다.", {"input": 12, "output": 9})
    assert (cut_off.text, cut_off.completion) == ("붉은 꽃은", Completion.INCOMPLETE)
    assert trip[1].tool_uses[0].arguments == {"timezone": "Asia/Seoul"}
    assert (trip[2].tool_use_id, trip[3].text) == ("1", "On the south coast. 🌊")
    if version_in(name) > 1:
        assert [(each.name, each.read()) for each in photo.attachments] == [
            ("꽃.png", b"\x89PNG\r\n\x1a\n\x00\x00flower"),
            ("plants.txt", "무화과".encode()),
        ]
    await database.close()


async def test_the_list_its_titles_and_what_was_open_are_as_they_were(tmp_path: Path, name: str) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down(name, tmp_path), clock)
    conversations, store = ConversationList(database, clock), ConversationStore(database, clock)

    entries = [(entry.id, entry.title) for entry in await conversations.entries()]
    found = [entry.id for entry in await conversations.entries("south 🌊")]

    asked_first = {"garden": "화분에 물은 며칠마다 줘야 해?", "trip": "Where is it warm in March?"}
    given = {"garden": "화분 물 주기", "trip": "봄 여행"}
    titled = given if version_in(name) >= 4 else asked_first
    deleted = [] if version_in(name) >= 4 else [("secret", "아무에게도 말하지 마")]
    assert entries == [("garden", titled["garden"]), *deleted, ("trip", titled["trip"])]
    assert found == ["trip"]
    assert await conversations.last_open() == ("trip" if version_in(name) >= 4 else "garden")
    assert (await conversations.titling("trip")) == Titling(
        title=titled["trip"], by="user" if version_in(name) >= 4 else ""
    )
    page, more = await store.page("garden", 1)
    assert ([message.id for message in page], more) == (["m9", "m10"], True)
    summary = Summary() if lacks_summaries(name) else Summary(text="- 화분에 물 주기를 물었다.", until="m3")
    assert await store.summary("garden") == summary
    assert await store.agent_of("garden") == AgentId()
    assert await store.chosen_model("garden") == ("acme/m" if version_in(name) > 1 else "")
    await database.close()


async def test_rows_belong_to_this_device_in_the_order_in_which_they_stood(tmp_path: Path, name: str) -> None:
    path, clock = laid_down(name, tmp_path), FakeClock()
    database = await Database.open(path, clock)
    store = ConversationStore(database, clock)
    await store.add("trip", Message(role=Role.USER, text="고마워"))
    await database.close()

    with closing(sqlite3.connect(path)) as connection:
        ((device,),) = connection.execute("SELECT id FROM devices").fetchall()
        ((last,),) = connection.execute("SELECT last FROM hybrid_clock").fetchall()
        query = "SELECT id, device, revision, changed_by, added, changed FROM messages ORDER BY added"
        rows = connection.execute(query).fetchall()
        made = connection.execute("SELECT id FROM conversations ORDER BY added").fetchall()
        tombstones = connection.execute("SELECT COUNT(*) FROM tombstones").fetchone()
        assert not connection.execute("PRAGMA foreign_key_check").fetchall()
    assert UUID(device).version == 7
    assert [row[0] for row in rows[:-1]] == [f"m{number}" for number in range(1, 11)]
    assert {row[1:4] for row in rows} == {(THIS_DEVICE, 1, THIS_DEVICE)}
    assert all(added == changed for *_, added, changed in rows)
    assert Stamp.at(rows[0][4], device).milliseconds == 1_790_902_800_000
    assert last == rows[-1][4]
    assert [row[0] for row in made] == ["garden", "empty", "trip", "secret"]
    assert tombstones == (0,)


async def test_rows_and_tombstones_of_other_devices_keep_their_devices_revisions_and_times(tmp_path: Path) -> None:
    path, other, third = laid_down("version-6", tmp_path), "0" * 31 + "b", "0" * 31 + "c"
    theirs = Stamp(1_790_902_900_000, 7, other)
    changed, deleted = Stamp(1_790_902_950_000, 65_535, third), Stamp(1_790_902_960_000, 0, third)
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        ((mine,),) = old.execute("SELECT id FROM this_device").fetchall()
        query = "UPDATE messages SET device = ?, revision = 3, added = ?, changed = ? WHERE id = 'm4'"
        old.execute(query, (other, str(theirs), str(changed)))
        old.execute("INSERT INTO tombstones VALUES ('gone', 'messages', ?, 2, ?)", (mine, str(deleted)))
        old.execute("UPDATE timers SET device = ? WHERE id = 't1'", (third,))
    database = await Database.open(path, FakeClock())
    assert [timer.id for timer in await TimerStore(database).all()] == ["t2"]
    await database.close()
    with closing(sqlite3.connect(path)) as connection:
        devices = dict(connection.execute("SELECT number, id FROM devices").fetchall())
        query = "SELECT device, revision, added, changed, changed_by FROM messages WHERE id = 'm4'"
        ((by, revision, added, last, last_by),) = connection.execute(query).fetchall()
        tombstone = connection.execute("SELECT * FROM tombstones").fetchall()
    assert devices[THIS_DEVICE] == mine
    assert (Stamp.at(added, devices[by]), revision, Stamp.at(last, devices[last_by])) == (theirs, 3, changed)
    assert tombstone == [("gone", "messages", THIS_DEVICE, 2, deleted.time, last_by)]
    assert set(devices.values()) == {mine, other, third}


async def test_the_shape_is_that_of_a_new_file(tmp_path: Path, name: str) -> None:
    new = tmp_path / "new" / "sori.db"
    await (await Database.open(new, FakeClock())).close()
    path = laid_down(name, tmp_path)
    await (await Database.open(path, FakeClock())).close()
    assert shape(path) == shape(new)


async def test_timers_ring_here_and_turns_keep_their_traces(tmp_path: Path, name: str) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down(name, tmp_path), clock)
    ramen, pasta, *_ = await TimerStore(database).all()
    assert (ramen.name, pasta.name) == ("라면", "pasta")
    assert (ramen.rang_at is not None) is (version_in(name) >= 4)
    traces = TraceStore(database, clock)
    assert [[event["event"] for event in trace.events] for trace in await traces.newest(9)] == [
        ["wake"],
        ["transcript"],
    ]
    await database.close()


async def test_alarms_of_weekdays_recur_by_rules(tmp_path: Path) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down("version-13", tmp_path), clock)
    pills, waking = [each for each in await TimerStore(database).all() if each.repeats is not None]
    assert pills.repeats is not None
    assert waking.repeats is not None
    assert pills.repeats.next_after(clock.now(), clock.moment) == pills.due_at
    rung = [waking.due_at]
    for _ in range(5):
        moment = waking.repeats.next_after(rung[-1], clock.moment)
        assert moment is not None
        rung.append(moment)
    assert [f"{moment:%a %d %H:%M}" for moment in rung] == [
        *(
            f"{day} {number} 07:00"
            for day, number in zip(("Mon", "Tue", "Wed", "Thu", "Fri"), range(23, 28), strict=True)
        ),
        "Mon 30 07:00",
    ]
    await database.close()


async def test_a_copy_of_the_old_shape_is_left_beside_it(tmp_path: Path, name: str) -> None:
    database = await Database.open(laid_down(name, tmp_path), FakeClock())
    await database.close()
    assert database.backup is not None
    assert database.backup.name == f"sori.db.backup-v{version_in(name)}-20261122-150500-000000"
    with closing(sqlite3.connect(database.backup)) as copy:
        assert copy.execute("SELECT MAX(number) FROM migrations").fetchone() == (version_in(name),)
        assert copy.execute("SELECT COUNT(*) FROM messages").fetchone() == (10,)
    again = await Database.open(tmp_path / "sori.db", FakeClock())
    assert again.backup is None
    await again.close()
