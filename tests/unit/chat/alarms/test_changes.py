"""Alarms, reminders and timers that are changed, skipped and brought back by hand."""

from datetime import datetime
from pathlib import Path

import pytest

from assistant.chat.alarms.alarms import Alarms
from assistant.chat.alarms.changes import TimerChanges, can_skip, has_time_of_day
from assistant.chat.timers import Timers
from assistant.core.errors import SoriError
from assistant.host.texts import load_texts
from assistant.storage.database import Database
from assistant.storage.timers import StoredTimer, TimerKind, TimerStore
from tests.fakes.clock import FakeClock

RULES = [
    ("매일 오전 7시", "07:00", True),
    ("평일 오전 6시 반", "06:30", True),
    ("매주 월요일 저녁 8시", "20:00", True),
    ("매달 1일 오전 9시", "09:00", True),
    ("every day at 7 am", "07:00", True),
    ("weekdays at 6:30 am", "06:30", True),
    ("every monday at 8 pm", "20:00", True),
    ("every two weeks on friday at 5 pm", "17:00", True),
    ("매시간", "", False),
    ("every 30 minutes", "", False),
]


class Book:
    def __init__(self, database: Database) -> None:
        self.clock = FakeClock()
        self.timers = Timers(TimerStore(database), self.clock, {"ko": load_texts("ko"), "en": load_texts("en")})
        self.alarms = Alarms(self.timers, self.clock)
        self.changes = TimerChanges(self.timers, self.clock)

    async def only(self) -> StoredTimer:
        (timer,) = await self.timers.every()
        return timer


@pytest.fixture
async def book(tmp_path: Path) -> Book:
    return Book(await Database.open(tmp_path / "sori.db", FakeClock()))


@pytest.mark.parametrize(("words", "at", "daily"), RULES)
async def test_what_repeats_at_one_time_of_day_can_be_skipped_for_a_day(
    book: Book, words: str, at: str, daily: bool
) -> None:
    made = await book.alarms.set_at(words, "약", "ko")
    assert (has_time_of_day(made), can_skip(made)) == (daily, daily)
    if not daily:
        with pytest.raises(SoriError):
            await book.changes.skip(made.id)
        return
    after = await book.changes.skip(made.id)
    assert after.due_at > made.due_at
    assert f"{after.due_at:%H:%M}" == at
    assert after.repeats is not None
    assert after.repeats.except_on == {made.due_at.date()}
    assert await book.only() == after
    assert await book.changes.undo(after.id)
    assert (await book.only()).due_at == made.due_at


@pytest.mark.parametrize(("words", "at", "daily"), RULES)
async def test_another_time_of_day_holds_for_all_days(book: Book, words: str, at: str, daily: bool) -> None:
    made = await book.alarms.set_at(words, "", "ko")
    new_time = datetime(2030, 1, 1, 21, 5)  # noqa: DTZ001 - a wall clock has no zone
    if not daily:
        with pytest.raises(SoriError):
            await book.changes.change(made.id, at=new_time)
        return
    changed = await book.changes.change(made.id, at=new_time)
    assert f"{changed.due_at:%H:%M}" == "21:05"
    assert changed.repeats is not None
    assert made.repeats is not None
    assert changed.repeats.same_days(made.repeats)
    assert await book.changes.undo(changed.id)
    assert (await book.only()).repeats == made.repeats


@pytest.mark.parametrize(
    ("name", "kind"), [("약 먹기", TimerKind.REMINDER), ("  call   mum ", TimerKind.REMINDER), ("", TimerKind.ALARM)]
)
async def test_words_make_a_reminder_of_an_alarm(book: Book, name: str, kind: TimerKind) -> None:
    made = await book.alarms.set_at("매일 오전 7시", "", "ko")
    changed = await book.changes.change(made.id, name=name)
    assert (changed.name, changed.kind) == (" ".join(name.split()), kind)


async def test_a_running_timer_keeps_its_time_with_another_name_and_ends_at_another_time(book: Book) -> None:
    made = await book.timers.set(300, "라면")
    renamed = await book.changes.change(made.id, name="파스타")
    assert (renamed.kind, renamed.due_at) == (TimerKind.TIMER, made.due_at)
    later = book.clock.now().replace(tzinfo=None).replace(hour=23, minute=30)
    assert f"{(await book.changes.change(renamed.id, at=later)).due_at:%H:%M}" == "23:30"


async def test_a_past_time_changes_nothing(book: Book) -> None:
    made = await book.timers.set(300, "라면")
    with pytest.raises(SoriError):
        await book.changes.change(made.id, at=datetime(2001, 1, 1, 7, 0))  # noqa: DTZ001 - a wall clock has no zone
    assert await book.only() == made


async def test_what_was_cancelled_comes_back_once(book: Book) -> None:
    made = await book.alarms.set_at("every day at 7 am", "pills", "en")
    await book.changes.cancel(made.id)
    assert await book.timers.every() == ()
    assert await book.changes.undo(made.id)
    assert await book.only() == made
    assert not await book.changes.undo(made.id)


async def test_a_change_is_not_undone_after_its_timer_is_gone(book: Book) -> None:
    made = await book.alarms.set_at("every day at 7 am", "pills", "en")
    changed = await book.changes.change(made.id, name="vitamins")
    await book.timers.cancel_one(changed.id)
    assert not await book.changes.undo(changed.id)
    assert await book.timers.every() == ()
