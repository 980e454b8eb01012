"""The briefing: which messages ask for one, and what it tells of the real lists, in both languages."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.profile import AgentProfile
from assistant.agent.run import packets_of
from assistant.chat.alarms.alarms import Alarms
from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.scheduled.answers import ScheduleAnswers
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.scheduled.for_models import ScheduleOfModels
from assistant.chat.timers import Timers
from assistant.chat.turn_request import TurnRequest
from assistant.core.knowledge.files import FilesOfChange, ProjectChanges
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta
from assistant.core.permissions import Category, Permissions
from assistant.core.records.conversations import TalkedAbout
from assistant.core.records.people import BankAccount, Person
from assistant.core.service.grant import UNATTENDED
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.core.times.recurrence import Recurrence
from assistant.flows.answering import FlowAnswering
from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.flows.services.briefing.logic import BriefingDays, period_of
from assistant.flows.services.briefing.manifest import manifest
from assistant.flows.services.briefing.reading import entries
from assistant.flows.services.transfer.manifest import manifest as transfer_manifest
from assistant.flows.steps import TurnSteps
from assistant.flows.super_orchestrator import SuperOrchestrator
from assistant.storage.identities import new_id
from assistant.storage.timers import StoredTimer
from assistant.tools.auditing import CallContext
from assistant.tools.builtin.schedule.alarms import alarm_tools
from assistant.tools.builtin.schedule.requests import request_tools
from assistant.tools.builtin.schedule.timers import timer_tools
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool, never
from tests.fakes.backend import FakeBackend, says
from tests.fakes.clock import START, FakeClock
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.order import Kitchen, order_manifest
from tests.fakes.flows.stores import MemoryStore
from tests.unit.conftest import MakeWorld, World

ALL = AgentProfile(name="all", permissions=Permissions(categories=frozenset({Category.SAFE, Category.SENSITIVE})))


class Past:
    """What was said and what has changed, as a test tells it. ``asked`` has the beginnings of the times."""

    def __init__(self) -> None:
        self.talked: tuple[TalkedAbout, ...] = ()
        self.changed: tuple[ProjectChanges, ...] = ()
        self.asked: list[datetime] = []

    async def talked_about(self, session: str, since: datetime) -> tuple[TalkedAbout, ...]:
        del session
        self.asked.append(since)
        return self.talked

    async def changes(self, session: str, since: datetime) -> tuple[ProjectChanges, ...]:
        del session, since
        return self.changed


class Dialogue:
    """One session with the service, on the real lists. A model that is asked has no answer, so the test fails."""

    def __init__(self, timers: Timers, clock: FakeClock, texts: dict[Language, Texts], data: Path) -> None:
        self.timers, self.clock, self.texts = timers, clock, texts
        self.alarms, self.book = Alarms(timers, clock), ScheduledRequests(timers, clock)
        self.changes = TimerChanges(timers, clock)
        self.people: tuple[Person, ...] = ()
        self.store = MemoryStore()
        self.past = Past()
        self.manifest = manifest(ServiceHome(data=data, clock=clock, people=self._people, past=self.past))
        self.unavailable: tuple[str, ...] = ()

    async def _people(self) -> tuple[Person, ...]:
        return self.people

    def tools(self, language: Language) -> tuple[Tool, ...]:
        answers = ScheduleAnswers(self.book, self.changes, self.timers, self.texts)
        return (
            *timer_tools(self.timers, lambda: language),
            *alarm_tools(self.alarms, lambda: language),
            *request_tools(ScheduleOfModels(self.book, answers), lambda: language),
        )

    async def say(self, text: str, language: Language = "ko") -> str:
        texts = self.texts[language]
        used = [
            replace(each, available=never) if each.name in self.unavailable else each
            for each in self.tools(language)
            if each.name in self.manifest.uses
        ]
        steps = TurnSteps(
            # Safe tools alone, as when nobody is there.
            runner=self.manifest.gate(ToolRunner(used, texts), Permissions(), self.store, texts),
            ledger=self.store,
            context=CallContext(conversation="s"),
        )
        service = CoreOrchestrator(self.manifest, self.store, texts, self.clock, new_id)
        turn = FlowTurn(session="s", message=text, language=language, model=ScriptedModel([]), steps=steps)
        events = [event async for event in service.run(turn)]
        return str(events[-1].payload["message"])


@pytest.fixture
def dialogue(timers: Timers, clock: FakeClock, all_texts: dict[Language, Texts], tmp_path: Path) -> Dialogue:
    return Dialogue(timers, clock, all_texts, tmp_path)


DAYS = {
    "브리핑": "22-29",
    "브리핑 해 줘": "22-29",
    "브리핑해줘.": "22-29",
    "주간 브리핑": "22-29",
    "주간 브리핑 들려줘": "22-29",
    "이번 주 브리핑 해 줘": "22-22",
    "오늘 브리핑": "22-22",
    "오늘의 브리핑 부탁해요": "22-22",
    "오늘 일정 브리핑 해 줄래?": "22-22",
    "내일 브리핑 좀 해 주세요": "23-23",
    "다음 주 브리핑 들려줘": "23-29",
    "다음주 브리핑": "23-29",
    "금요일 브리핑 해 줘": "27-27",
    "아침 브리핑 시작": "22-29",
    "오늘 하루 브리핑 해 줘": "22-22",
    "브리핑 다시 한 번 해 줘": "22-29",
    "금요일에 브리핑 해 줘": "",
    "브리핑이 뭐야?": "",
    "브리핑 자료 찾아 줘": "",
    "회의 브리핑 해 줘": "",
    "뉴스 브리핑 해 줘": "",
    "브리핑 준비해 줘": "",
    "브리핑 하지 마": "",
    "브리핑 취소해 줘": "",
    "매일 아침 8시에 브리핑 해 줘": "",
    "내일 3시에 브리핑 해 줘": "",
    "어제 브리핑 해 줘": "",
    "이번 주에 뭐 있어?": "",
    "다음 주는?": "",
    "Give me my weekly briefing": "22-29",
    "briefing": "22-29",
    "briefing please": "22-29",
    "Can you give me a briefing?": "22-29",
    "weekly briefing": "22-29",
    "today's briefing": "22-22",
    "Read me the briefing for tomorrow, please.": "23-23",
    "What's my briefing for today?": "22-22",
    "give me this week's briefing": "22-22",
    "next week's briefing": "23-29",
    "brief me": "22-29",
    "brief me on next week": "23-29",
    "Brief me on my day": "22-22",
    "give me my briefing on Friday": "27-27",
    "What is a briefing?": "",
    "briefing room": "",
    "a briefing on Friday": "",
    "give me a briefing about the project": "",
    "write a briefing for my boss": "",
    "brief me on the news": "",
    "give me my briefing every day at 8": "",
    "cancel my briefing": "",
    "yesterday's briefing": "",
    "what's on this week?": "",
    "and next week?": "",
}


def days(period: BriefingDays | None) -> str:
    return "" if period is None else f"{period.days[0]:%d}-{period.days[-1]:%d}"


@pytest.mark.parametrize(("text", "expected"), DAYS.items())
def test_only_a_request_for_days_that_code_reads_begins_a_briefing(
    dialogue: Dialogue, clock: FakeClock, text: str, expected: str
) -> None:
    assert days(period_of(text, START, clock.moment)) == expected
    assert dialogue.manifest.wants(text) is bool(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "다음 주는?": "23-29",
        "그럼 다음 주는?": "23-29",
        "내일은 어때?": "23-23",
        "오늘은 뭐 있어요?": "22-22",
        "모레는요?": "24-24",
        "금요일도 알려 줘": "27-27",
        "and next week?": "23-29",
        "what about tomorrow?": "23-23",
        "how about Friday then": "27-27",
        "이번 주 브리핑 해 줘": "22-22",
        "내일 날씨는?": "",
        "내일 알려 줘": "",
        "금요일에 알려 줘": "",
        "내일 3시에 깨워 줘": "",
        "고마워": "",
        "왜 하늘은 파래?": "",
        "what about the weather tomorrow?": "",
        "thanks": "",
        "tonight at nine": "",
    }.items(),
)
def test_after_a_briefing_other_days_are_enough(dialogue: Dialogue, clock: FakeClock, text: str, expected: str) -> None:
    assert days(period_of(text, START, clock.moment, goes_on=True)) == expected
    assert dialogue.manifest.insists(text) is bool(expected)


async def fill(dialogue: Dialogue) -> None:
    await dialogue.timers.set(300, "라면")
    for when, what, repeat in (
        ("2026-11-23T07:00", "약 먹기", ""),
        ("2026-11-24T00:00", "자정 점검", ""),
        ("2026-12-01T10:00", "치과", ""),
        ("2026-12-09T10:00", "먼 일", ""),
        ("2026-11-24T08:00", "물 마시기", "FREQ=DAILY"),
        ("2026-11-27T18:30", "", ""),
    ):
        await dialogue.alarms.set_at(when, what, "ko", repeat)
    await dialogue.book.add_at("뉴스 요약해 줘", "2026-11-26T17:30", "ko", repeat="", except_on=(), own=True)
    await dialogue.book.add_at("브리핑 해 줘", "매일 8시", "ko", repeat="", except_on=(), own=True)
    paused = await dialogue.book.add_at("메모 읽어 줘", "2026-11-25T09:00", "ko", repeat="", except_on=(), own=True)
    await dialogue.changes.pause(paused.id, paused=True)
    dialogue.people = (
        Person(name="김영희", relation="엄마", birthday="1960-11-26"),
        Person(name="박철수", birthday="--11-23"),
        Person(name="이먼", birthday="--12-25"),
        Person(name="생일 없음"),
    )


async def test_all_lists_and_birthdays_are_told_the_nearest_first(dialogue: Dialogue) -> None:
    await fill(dialogue)
    assert await dialogue.say("브리핑 해 줘") == (
        "오늘부터 11월 29일 일요일까지 예정된 일이 6개 있어요. 오늘 오후 3시 10분, 라면. 내일 오전 7시, 약 먹기. "
        "매일 오전 8시, 물 마시기. 모레 밤 12시, 자정 점검. "
        "11월 26일 목요일 오후 5시 30분, 예약한 요청 “뉴스 요약해 줘”. "
        "11월 27일 금요일 오후 6시 30분, 알람. 생일인 사람이 2명 있어요. 내일, 박철수. 11월 26일 목요일, 엄마 김영희."
    )
    assert await dialogue.say("다음 주는?") == (
        "내일부터 11월 29일 일요일까지 예정된 일이 5개 있어요. 내일 오전 7시, 약 먹기. 매일 오전 8시, 물 마시기. "
        "모레 밤 12시, 자정 점검. 11월 26일 목요일 오후 5시 30분, 예약한 요청 “뉴스 요약해 줘”. "
        "11월 27일 금요일 오후 6시 30분, 알람. 생일인 사람이 2명 있어요. 내일, 박철수. 11월 26일 목요일, 엄마 김영희."
    )
    assert await dialogue.say("모레는?") == (
        "11월 24일 화요일 예정된 일이 2개 있어요. 밤 12시, 자정 점검. 오전 8시, 물 마시기."
    )
    assert await dialogue.say("12월 1일은?") == (
        "12월 1일 화요일 예정된 일이 2개 있어요. 오전 8시, 물 마시기. 오전 10시, 치과."
    )


async def test_in_english(dialogue: Dialogue) -> None:
    await fill(dialogue)
    assert await dialogue.say("give me my weekly briefing", "en") == (
        "6 things are due from today to Sunday, November 29. Today at 3:10 PM, 라면. Tomorrow at 7:00 AM, 약 먹기. "
        "Every day at 8:00 AM, 물 마시기. On Tuesday, November 24 at midnight, 자정 점검. "
        "On Thursday, November 26 at 5:30 PM, scheduled request “뉴스 요약해 줘”. "
        "On Friday, November 27 at 6:30 PM, alarm. "
        "There are 2 birthdays. Tomorrow, 박철수. Thursday, November 26, 엄마 김영희."
    )
    assert await dialogue.say("and Tuesday?", "en") == (
        "2 things are due on Tuesday, November 24. Midnight, 자정 점검. 8:00 AM, 물 마시기."
    )
    assert await dialogue.say("what about today?", "en") == "One thing is due today. 3:10 PM, 라면."


def lived(dialogue: Dialogue) -> None:
    """Let a week have had conversations and changes."""
    dialogue.past.talked = tuple(
        TalkedAbout(title=title, last_at=START - timedelta(hours=hours), messages=messages)
        for title, hours, messages in (
            ("weekly briefing", 0, 2),
            ("보고서 다듬기", 1, 12),
            ("저녁 메뉴.", 2, 1),
            ("오늘 브리핑 해 줘", 3, 2),
            ("Trip to Busan", 16, 4),
            ("파이썬 오류", 80, 9),
        )
    )
    none = FilesOfChange()
    dialogue.past.changed = (
        ProjectChanges(
            project="논문",
            added=FilesOfChange(3, ("초안/결론.md", "표.xlsx")),
            changed=FilesOfChange(1, ("서론.md",)),
            removed=none,
        ),
        ProjectChanges(project="Home", added=none, changed=none, removed=FilesOfChange(1, ("old.txt",))),
    )


async def test_what_was_said_and_what_changed_is_told_with_the_days_that_have_a_past(dialogue: Dialogue) -> None:
    lived(dialogue)
    talked = (
        "대화를 4개 나눴어요. 오늘, “보고서 다듬기” 메시지 12개. “저녁 메뉴” 메시지 하나. "
        "어제, “Trip to Busan” 메시지 4개. 11월 19일 목요일, “파이썬 오류” 메시지 9개."
    )
    changed = (
        "프로젝트 2개에서 파일이 바뀌었어요. 프로젝트 “논문”, 새 파일 결론.md 등 3개, 바뀐 파일 서론.md. "
        "프로젝트 “Home”, 없어진 파일 old.txt."
    )
    nothing = "오늘부터 11월 29일 일요일까지는 예정된 일도, 생일도 없어요."
    assert await dialogue.say("주간 브리핑") == f"{nothing} 지난 7일 동안 {talked} 지난 7일 동안 {changed}"
    assert await dialogue.say("오늘은?") == (f"오늘은 예정된 일도, 생일도 없어요. 어제부터 {talked} 어제부터 {changed}")
    assert "이번 주에 대화를 4개" in await dialogue.say("이번 주 브리핑")
    for days in ("내일은?", "다음 주 브리핑", "금요일은?"):
        assert "대화" not in await dialogue.say(days)
    midnights = [datetime(2026, 11, day, tzinfo=START.tzinfo) for day in (15, 21, 16)]
    assert dialogue.past.asked == midnights


async def test_what_was_said_and_what_changed_in_english(dialogue: Dialogue) -> None:
    lived(dialogue)
    answer = await dialogue.say("weekly briefing", "en")
    assert answer.endswith(
        "You had 4 conversations in the past seven days. Today, “보고서 다듬기” with 12 messages. "
        "“저녁 메뉴” with one message. Yesterday, “Trip to Busan” with 4 messages. "
        "Thursday, November 19, “파이썬 오류” with 9 messages. "
        "Files of 2 projects changed in the past seven days. Project “논문”, 3 new files such as 결론.md and "
        "the changed file 서론.md. Project “Home”, the removed file old.txt."
    )
    dialogue.past.talked = dialogue.past.talked[:2]
    dialogue.past.changed = dialogue.past.changed[1:]
    answer = await dialogue.say("today's briefing", "en")
    assert "You had one conversation since yesterday." in answer
    assert "Files of one project changed since yesterday." in answer


async def test_lists_are_read_without_a_note_of_each_reading(dialogue: Dialogue) -> None:
    await dialogue.say("브리핑 해 줘")
    assert dialogue.store.log == ["save TOLD"]


async def test_nothing_due_is_one_sentence(dialogue: Dialogue) -> None:
    assert await dialogue.say("브리핑 해 줘") == "오늘부터 11월 29일 일요일까지는 예정된 일도, 생일도 없어요."
    assert await dialogue.say("오늘은?") == "오늘은 예정된 일도, 생일도 없어요."
    assert await dialogue.say("brief me on Friday", "en") == (
        "Nothing is due on Friday, November 27, and nobody has a birthday."
    )
    dialogue.people = (Person(name="박철수", birthday="2000-11-27"),)
    assert await dialogue.say("금요일은?") == (
        "11월 27일 금요일은 예정된 일이 없어요. 생일인 사람이 한 명 있어요. 11월 27일 금요일, 박철수."
    )


async def test_a_list_that_cannot_be_read_is_told_and_not_taken_for_empty(dialogue: Dialogue) -> None:
    dialogue.unavailable = ("list_alarms",)
    assert await dialogue.say("오늘 브리핑") == "알람은 읽지 못했어요."
    await dialogue.timers.set(600, "라면")
    assert await dialogue.say("오늘 브리핑") == (
        "오늘 예정된 일이 하나 있어요. 오후 3시 15분, 라면. 알람은 읽지 못했어요."
    )


async def test_a_full_week_takes_less_than_two_minutes_and_the_rest_is_counted(dialogue: Dialogue) -> None:
    for day in range(23, 30):
        for hour in (9, 14, 19):
            await dialogue.alarms.set_at(f"2026-11-{day}T{hour:02}:00", f"{hour}시에 할 아주 긴 일의 이름 " * 9, "ko")
    dialogue.people = tuple(Person(name=f"사람{number}", birthday="--11-25") for number in range(30))
    answer = await dialogue.say("브리핑 해 줘")
    assert len(answer) < 900
    assert answer.startswith("오늘부터 11월 29일 일요일까지 예정된 일이 21개 있어요. 내일 오전 9시, 9시에 할")
    assert answer.count("더 있어요.") == 2


RULES = (
    *("FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=DAILY;UNTIL=20261126", "FREQ=DAILY;COUNT=4"),
    *("FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=WEEKLY;BYDAY=SA,SU"),
    *("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "FREQ=WEEKLY;BYDAY=FR", "FREQ=MONTHLY;BYMONTHDAY=5"),
    *(
        "FREQ=MONTHLY;BYDAY=-1FR",
        "FREQ=MONTHLY;BYMONTHDAY=-1",
        "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=3",
        "FREQ=HOURLY;INTERVAL=5",
    ),
)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("at", ["00:00", "13:05"])
def test_of_what_repeats_the_next_time_is_right_or_said_to_be_unknown(
    dialogue: Dialogue, clock: FakeClock, at: str, language: Language
) -> None:
    answers = ScheduleAnswers(dialogue.book, dialogue.changes, dialogue.timers, dialogue.texts)
    for rule in RULES:
        repeats = Recurrence.of(rule, datetime.fromisoformat(f"2026-11-23T{at}"))
        due_at = repeats.next_after(START, clock.moment)
        assert due_at is not None
        made = StoredTimer(
            id="1",
            name="약: 먹기",
            language=language,
            duration_s=60,
            due_at=due_at,
            created_at=START,
            repeats=repeats,
        )
        for text in ("브리핑", "다음 주 브리핑", "내일 브리핑", "12월 3일 브리핑"):
            period = period_of(text, START, clock.moment)
            assert period is not None
            true = repeats.next_after(period.start - timedelta(seconds=1), clock.moment)
            expected = [true] if true is not None and true < period.end else []
            alarm = [
                each.at for each in entries(dialogue.alarms.described(made, language), period, START, clock.moment)
            ]
            request = [each.at for each in entries(answers.described(made, language), period, START, clock.moment)]
            # Only the next time of an alarm is always told, which is enough from today on.
            assert alarm == expected or (alarm == [None] and period.start != START), (rule, text)
            assert request in (expected, [None]), (rule, text)


def flows_of(dialogue: Dialogue, world: World, texts: Texts, other: Manifest) -> None:
    """Let the conversation have the briefing and another service."""
    made = {
        each.name: CoreOrchestrator(each, dialogue.store, texts, dialogue.clock, new_id)
        for each in (dialogue.manifest, other)
    }
    world.answerer.guided = FlowAnswering(
        services=SuperOrchestrator(made, dialogue.store, dialogue.clock),
        ledger=dialogue.store,
        tools=world.answerer.exchange.tools,
        model_for=lambda _: ScriptedModel(
            [json.dumps({"scenario": "ORDER"}), json.dumps({"operations": [{"op": "set", "value": "tea"}]})]
        ),
        texts=texts,
        language=lambda: "ko",
        clock=dialogue.clock,
        new_id=new_id,
    )


def lists_of(dialogue: Dialogue, all_texts: dict[Language, Texts]) -> tuple[Tool, ...]:
    """Sori's tools that list what is set."""
    answers = ScheduleAnswers(dialogue.book, dialogue.changes, dialogue.timers, all_texts)
    return (
        *timer_tools(dialogue.timers, lambda: "ko"),
        *alarm_tools(dialogue.alarms, lambda: "ko"),
        *request_tools(ScheduleOfModels(dialogue.book, answers), lambda: "ko"),
    )


async def test_in_a_conversation_it_leaves_no_trace_and_comes_every_day_while_nobody_is_there(
    dialogue: Dialogue, make_world: MakeWorld, all_texts: dict[Language, Texts]
) -> None:
    world = make_world(FakeBackend(says("빛이 흩어져서요.")), tools=lists_of(dialogue, all_texts))
    flows_of(dialogue, world, all_texts["ko"], order_manifest(Kitchen()))
    await dialogue.alarms.set_at("2026-11-23T07:00", "약 먹기", "ko")
    dialogue.people = (Person(name="박철수", birthday="--11-23"),)
    due, born = "내일 예정된 일이 하나 있어요. 오전 7시, 약 먹기.", "생일인 사람이 한 명 있어요. 내일, 박철수."

    async def say(text: str, **more: Any) -> str:
        request = TurnRequest(
            turn=TurnId(new_id()), conversation=world.conversation, text=text, origin=Origin.TEXT, profile=ALL, **more
        )
        packets = [each async for each in packets_of(world.engine.turn(request))]
        return "".join(each.text for each in packets if isinstance(each, AnswerDelta))

    unattended = {"scheduled": True, "grant": UNATTENDED}
    assert await say("내일 브리핑 해 줘", **unattended) == f"{due} {born}"
    # The conversation of a scheduled request is the same every day.
    assert await say("내일 브리핑 해 줘", **unattended) == f"{due} {born}"
    assert (await say("모레는?")).startswith("11월 24일")
    assert await say("왜 하늘은 파래?") == "빛이 흩어져서요."
    assert await say("내일 브리핑") == f"{due} {born}"
    assert await say("차 시켜 줘") == "tea를 시킬까요?"


async def test_a_caller_with_safe_tools_is_not_told_of_people_conversations_and_files(
    dialogue: Dialogue, make_world: MakeWorld, all_texts: dict[Language, Texts]
) -> None:
    world = make_world(FakeBackend([]), tools=dialogue.tools("ko"))
    flows_of(dialogue, world, all_texts["ko"], order_manifest(Kitchen()))
    dialogue.people = (Person(name="박철수", birthday="--11-23"),)
    lived(dialogue)
    profile = AgentProfile(name="remote", permissions=Permissions(remote=True))
    request = TurnRequest(
        turn=TurnId(new_id()),
        conversation=world.conversation,
        text="브리핑",
        origin=Origin.TEXT,
        profile=profile,
        grant=UNATTENDED,
    )
    packets = [each async for each in packets_of(world.engine.turn(request))]
    answer = "".join(each.text for each in packets if isinstance(each, AnswerDelta))
    assert answer == "오늘부터 11월 29일 일요일까지는 예정된 일이 없어요."


@pytest.mark.parametrize(
    ("begin", "said", "told"),
    [
        ("엄마한테 오만 원 보내 줘", "브리핑 해 줘", "오늘부터"),
        ("엄마한테 오만 원 보내 줘", "내일 브리핑 들려줘", "내일은"),
        ("엄마한테 오만 원 보내 줘", "brief me on tomorrow", "Nothing is due tomorrow"),
        ("돈 좀 보내 줘", "오늘 브리핑", "오늘은"),
        ("돈 좀 보내 줘", "give me my weekly briefing", "Nothing is due from today"),
    ],
)
async def test_in_the_middle_of_another_flow_a_briefing_is_told_and_the_flow_waits(
    dialogue: Dialogue,
    make_world: MakeWorld,
    all_texts: dict[Language, Texts],
    tmp_path: Path,
    begin: str,
    said: str,
    told: str,
) -> None:
    async def family() -> tuple[Person, ...]:
        return (Person(name="김영희", relation="엄마", accounts=(BankAccount(bank="국민", number="123-45-678901"),)),)

    world = make_world(FakeBackend([]), tools=lists_of(dialogue, all_texts))
    home = ServiceHome(data=tmp_path, clock=dialogue.clock, people=family)
    flows_of(dialogue, world, all_texts["ko"], transfer_manifest(home))

    async def say(text: str) -> str:
        request = TurnRequest(
            turn=TurnId(new_id()), conversation=world.conversation, text=text, origin=Origin.TEXT, profile=ALL
        )
        packets = [each async for each in packets_of(world.engine.turn(request))]
        return "".join(each.text for each in packets if isinstance(each, AnswerDelta))

    question = await say(begin)
    answer = await say(said)
    assert answer.startswith("이체 쪽은 잠시 미뤄 둘게요.")
    assert f"이어서 해요.{told}" in answer
    assert await say("이체 계속") == question
