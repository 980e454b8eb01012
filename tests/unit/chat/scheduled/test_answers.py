"""Plain commands about scheduled requests, from the words to the answer."""

from dataclasses import replace

import pytest

from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands, Grammar
from assistant.chat.scheduled.answers import ScheduleAnswers
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.timers import Timers
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.storage.timers import Job, RunOutcome
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume


class World:
    def __init__(
        self, timers: Timers, clock: FakeClock, texts: dict[Language, Texts], grammars: dict[Language, Grammar]
    ) -> None:
        self.timers, self.book = timers, ScheduledRequests(timers, clock)
        scheduled = ScheduleAnswers(self.book, TimerChanges(timers, clock), timers, texts)
        answers = CommandAnswers(clock, timers, FakeVolume(), texts, no_memory(), scheduled=scheduled)
        self._commands = Commands(grammars, answers)

    async def say(self, text: str, hint: Language = "ko") -> str:
        command = self._commands.recognize(text, hint)
        assert command is not None, text
        return await self._commands.answer(command)


@pytest.fixture
def world(
    timers: Timers, clock: FakeClock, all_texts: dict[Language, Texts], grammars: dict[Language, Grammar]
) -> World:
    return World(timers, clock, all_texts, grammars)


async def test_a_korean_conversation_about_scheduled_requests(world: World) -> None:
    assert (await world.say("예약 요청 뭐 있어?")).startswith("예약한 요청이 없어요.")
    assert (await world.say("매일 아침 8시에 오늘 할 일 읽어 줘")).startswith(
        "예약했어요: 매일 오전 8시, 오늘 할 일 읽어 줘."
    )
    assert await world.say("내일 9시에 뉴스 요약해 줘") == "예약했어요. 내일 오전 9시에 할게요: 뉴스 요약해 줘."
    listed = await world.say("예약 요청 알려 줘")
    assert listed == "예약 요청이 2개 있어요: 매일 오전 8시 오늘 할 일 읽어 줘, 내일 오전 9시 뉴스 요약해 줘."
    assert (await world.say("예약 요청 취소해 줘")).startswith("여러 개가 있어요:")
    assert (await world.say("운동 예약 요청 취소해 줘")).startswith("그런 예약 요청은 없어요.")
    assert await world.say("할 일 예약 요청 아침 7시로 바꿔 줘") == "옮겼어요: 오늘 할 일 읽어 줘, 매일 오전 7시."
    assert await world.say("할 일 예약 요청 잠시 멈춰 줘") == "멈춰 뒀어요: 오늘 할 일 읽어 줘."
    assert "매일 오전 7시 오늘 할 일 읽어 줘 (멈춤)" in await world.say("예약 요청 알려 줘")
    assert (await world.say("할 일 예약 요청 다시 시작해 줘")).startswith("다시 할게요: 오늘 할 일 읽어 줘.")
    assert await world.say("뉴스 예약 요청 취소해 줘") == "취소했어요: 뉴스 요약해 줘."
    assert (await world.say("예약 요청 지금 실행해 줘")).startswith("지금 할게요: 오늘 할 일 읽어 줘.")


async def test_an_english_conversation_about_scheduled_requests(world: World) -> None:
    said = await world.say("every Friday at five summarise this week's notes", "en")
    assert said.startswith("I'll do it every Friday at 5:00 PM: summarise this week's notes.")
    assert "Scheduled requests, 1 in all: every Friday" in await world.say("list my scheduled requests", "en")
    moved = await world.say("move the notes scheduled request to 6 pm", "en")
    assert moved == "Moved: summarise this week's notes, every Friday at 6:00 PM."
    assert await world.say("pause my scheduled request", "en") == "Paused: summarise this week's notes."
    assert await world.say("cancel the notes scheduled request", "en") == "Cancelled: summarise this week's notes."


@pytest.mark.parametrize("words", ["놓친 요청 지금 해 줘", "run the missed requests"])
async def test_all_that_was_lost_is_caught_up_by_a_word_and_nothing_else(world: World, words: str) -> None:
    for name, outcome in (
        ("뉴스", RunOutcome.MISSED),
        ("메모", RunOutcome.INTERRUPTED),
        ("할 일", RunOutcome.DONE),
        ("일정", RunOutcome.NONE),
    ):
        made = await world.book.add_at(name, "매일 8시", "ko")
        await world.timers.put(replace(made, job=Job(outcome=outcome, ran_at=made.created_at.isoformat())))
    await world.say(words)
    asked = {each.name for each in await world.book.every() if each.job and each.job.asked_at}
    assert asked == {"뉴스", "메모"}


async def test_a_time_that_is_past_is_told_and_nothing_is_kept(world: World) -> None:
    assert await world.say("오늘 아침 8시에 뉴스 요약해 줘") == "이미 지난 시각이에요. 앞으로 올 시각을 말해 주세요."
    assert await world.book.every() == ()


async def test_scheduled_requests_are_no_alarms(world: World) -> None:
    await world.say("매일 아침 8시에 뉴스 요약해 줘")
    assert await world.timers.alarms() == ()
    assert await world.timers.shown() == ()
    await world.say("알람 다 취소해 줘")
    assert len(await world.book.every()) == 1
