"""Reminders made in a conversation: whole dialogues on the real alarms, in both languages."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.chat.alarms.alarms import Alarms
from assistant.chat.timers import Timers
from assistant.core.permissions import Category, Permissions
from assistant.core.records.flows import StepOutcome, StepStatus
from assistant.core.settings import Language
from assistant.flows.handler import ElsewhereError
from assistant.flows.manifest import ServiceHome
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.flows.services.reminder.logic import count_of, wants
from assistant.flows.services.reminder.manifest import manifest
from assistant.flows.steps import TurnSteps, at_most_once
from assistant.host.texts import load_texts
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext
from assistant.tools.builtin.schedule.alarms import alarm_tools
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import FakeClock
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.stores import MemoryStore

ALL = Permissions(categories=frozenset(Category))


class Dialogue:
    """One session with the service; ``asked`` counts the calls of the model."""

    def __init__(self, timers: Timers, clock: FakeClock, data: Path) -> None:
        self.alarms, self.store, self.clock = Alarms(timers, clock), MemoryStore(), clock
        self.model = ScriptedModel([])
        made = manifest(ServiceHome(data=data, clock=clock))
        self.orchestrator = CoreOrchestrator(made, self.store, load_texts("ko"), clock, new_id)

    async def say(self, text: str, *replies: str, language: Language = "ko", **metadata: Any) -> dict[str, Any]:
        self.model.replies = list(replies)
        texts = load_texts(language)
        tools = {each.name: each for each in alarm_tools(self.alarms, lambda: language)}
        steps = TurnSteps(
            runner=ToolRunner(
                [at_most_once(tools["set_alarm"], self.store, "reminder", texts)], texts, permissions=ALL
            ),
            ledger=self.store,
            context=CallContext(conversation="s"),
        )
        turn = FlowTurn(session="s", message=text, language=language, model=self.model, steps=steps, metadata=metadata)
        events = [event async for event in self.orchestrator.run(turn)]
        assert self.model.replies == []
        return dict(events[-1].payload)

    async def through(self, *said: str, language: Language = "ko") -> list[str]:
        return [(await self.say(each, language=language))["message"] for each in said]

    async def set(self) -> list[str]:
        return [self.alarms.described(each, "en") for each in await self.alarms.waiting()]


@pytest.fixture
def dialogue(timers: Timers, clock: FakeClock, tmp_path: Path) -> Dialogue:
    return Dialogue(timers, clock, tmp_path)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("알림 하나 만들어 줘", 1),
        ("리마인더 추가해 주세요.", 1),
        ("알림 좀 맞춰 줘", 1),
        ("알림 세 개 만들어 줘", 3),
        ("새 알림 등록해 줘", 1),
        ("리마인더 두 개 잡아 줘", 2),
        ("Set a reminder", 1),
        ("can you make me a reminder please", 1),
        ("I need a reminder.", 1),
        ("Create three reminders", 3),
        ("내일 7시에 알림 맞춰 줘", 0),
        ("20분 뒤에 알려 줘", 0),
        ("알림 꺼 줘", 0),
        ("알림 다 지워 줘", 0),
        ("내일 아침에 약 먹으라고 알림 만들어 줘", 0),
        ("remind me to call mom at five", 0),
        ("how do reminders work?", 0),
        ("알림은 어떻게 만들어?", 0),
        ("알람 맞춰 줘", 0),
    ],
)
def test_only_a_request_without_its_words_and_time_begins_a_flow(text: str, count: int) -> None:
    assert count_of(text) == count
    assert wants(text) is (count > 0)


DIALOGUES: dict[str, tuple[Language, tuple[str, ...], str]] = {
    "one slot after the other": (
        "ko",
        ("알림 하나 만들어 줘", "약 먹기", "내일 아침 7시에", "한 번만", "응"),
        "Monday, November 23, 2026 at 7:00 AM: 약 먹기",
    ),
    "all in one answer": (
        "ko",
        ("알림 만들어 줘", "내일 아침 7시에 약 먹으라고 알려 줘", "아니", "네"),
        "Monday, November 23, 2026 at 7:00 AM: 약 먹기",
    ),
    "the day and then the hour": (
        "ko",
        ("리마인더 추가해 줘", "회의", "금요일", "오후 3시 반", "아니요", "좋아요"),
        "Friday, November 27, 2026 at 3:30 PM: 회의",
    ),
    "minutes from now need no repetition": (
        "ko",
        ("알림 만들어 줘", "빨래 널기", "20분 뒤", "응"),
        "Sunday, November 22, 2026 at 3:25 PM: 빨래 널기",
    ),
    "a repetition with its time": (
        "ko",
        ("알림 만들어 줘", "물 마시기", "매일 아침 8시", "네"),
        "every day at 8:00 AM: 물 마시기",
    ),
    "a repetition as an answer": (
        "ko",
        ("알림 만들어 줘", "물 마시기", "내일 아침 8시", "매일", "네"),
        "every day at 8:00 AM: 물 마시기",
    ),
    "another hour at the end": (
        "ko",
        ("알림 만들어 줘", "약 먹기", "내일 아침 7시", "한 번만", "아니, 8시로 해 줘", "응"),
        "Monday, November 23, 2026 at 8:00 AM: 약 먹기",
    ),
    "another day at the end": (
        "ko",
        ("알림 만들어 줘", "약 먹기", "내일 아침 7시", "한 번만", "모레로 바꿔 줘", "응"),
        "Tuesday, November 24, 2026 at 7:00 AM: 약 먹기",
    ),
    "other words at the end": (
        "ko",
        ("알림 만들어 줘", "우유 사기", "내일 아침 7시", "한 번만", "우유 사기 말고 빵 사기", "응"),
        "Monday, November 23, 2026 at 7:00 AM: 빵 사기",
    ),
    "in English": (
        "en",
        ("Set a reminder", "call mom", "tomorrow at 7 pm", "just once", "yes"),
        "Monday, November 23, 2026 at 7:00 PM: call mom",
    ),
    "every week in English": (
        "en",
        ("Make me a reminder", "water the plants", "every Friday at 5 pm", "yes please"),
        "every Friday at 5:00 PM: water the plants",
    ),
    "a change in English": (
        "en",
        ("Set a reminder", "call mom", "tomorrow at 7 pm", "no", "no, 8 pm", "yes"),
        "Monday, November 23, 2026 at 8:00 PM: call mom",
    ),
}


@pytest.mark.parametrize(("language", "said", "expected"), DIALOGUES.values(), ids=DIALOGUES)
async def test_a_reminder_is_set_by_code_alone(
    dialogue: Dialogue, language: Language, said: tuple[str, ...], expected: str
) -> None:
    await dialogue.through(*said, language=language)
    (found,) = await dialogue.set()
    assert found.startswith(expected)
    assert dialogue.model.asked == []


@pytest.mark.parametrize("last", ["취소", "그만", "됐어", "안 할래", "cancel", "never mind", "취소해 줘."])
@pytest.mark.parametrize(
    "before", [(), ("약 먹기",), ("약 먹기", "내일 아침 7시"), ("약 먹기", "내일 아침 7시", "한 번만")]
)
async def test_it_can_be_called_off_at_any_slot(dialogue: Dialogue, before: tuple[str, ...], last: str) -> None:
    answers = await dialogue.through("알림 하나 만들어 줘", *before, last)
    assert answers[-1] == "알림을 만들지 않았어요."
    assert await dialogue.set() == []


async def test_several_follow_one_another_with_their_number(dialogue: Dialogue) -> None:
    answers = await dialogue.through(
        "알림 두 개 만들어 줘", "약 먹기", "내일 7시", "한 번만", "응", "회의", "모레 오후 3시", "한 번만"
    )
    assert answers[0].startswith("2개 중 1번째예요.")
    assert "2개 중 2번째예요. 무엇을 알려 드릴까요?" in answers[4]
    done = await dialogue.say("응")
    assert done["state_snapshot"]["stage"] == "EXECUTED"
    assert len(await dialogue.set()) == 2


@pytest.mark.parametrize("unclear", ["글쎄", "음", "hmm", "아마도", "생각해 볼게"])
async def test_what_is_unclear_keeps_the_question_without_a_model(dialogue: Dialogue, unclear: str) -> None:
    await dialogue.through("알림 만들어 줘", "약 먹기", "내일 아침 7시", "한 번만")
    done = await dialogue.say(unclear)
    assert (done["state_snapshot"]["stage"], await dialogue.set()) == ("READY", [])


@pytest.mark.parametrize("text", ["오늘 날씨 어때?", "지금 몇 시야?", "what is the capital of France"])
async def test_a_question_is_given_back(dialogue: Dialogue, text: str) -> None:
    await dialogue.through("알림 만들어 줘", "약 먹기")
    with pytest.raises(ElsewhereError):
        await dialogue.say(text)


async def test_the_model_fills_what_code_does_not_read_with_the_users_own_words(dialogue: Dialogue) -> None:
    await dialogue.through("알림 만들어 줘", "약 먹기")
    reply = json.dumps(
        {"operations": [{"slot": "when", "value": "내일 아침 7시"}, {"slot": "what", "value": "비행기 타기"}]},
        ensure_ascii=False,
    )
    done = await dialogue.say("음 그게 아마 내일 아침 7시 그쯤이 좋으려나", reply)
    slots = done["state_snapshot"]["slots"]
    assert (slots["due"][:16], slots["what"]) == ("2026-11-23T07:00", "약 먹기")


async def test_a_past_time_is_told_and_asked_again(dialogue: Dialogue) -> None:
    answers = await dialogue.through("알림 만들어 줘", "약 먹기", "오늘 아침 7시")
    assert answers[-1] == "그 시간에는 맞출 수 없어요. 언제 알려 드릴까요?"


async def test_after_a_crash_nothing_is_set_twice(dialogue: Dialogue) -> None:
    await dialogue.through("알림 만들어 줘", "약 먹기", "내일 아침 7시", "한 번만")
    stored = dialogue.store.sessions["s", "reminder"]
    proposal = stored.state["proposal"]
    stored.state.update(stage="CONFIRMED", executing=proposal, proposal=None)
    dialogue.store.steps[proposal["key"]] = StepOutcome(StepStatus.UNKNOWN)
    assert "목록을 확인해 주세요" in (await dialogue.say("응"))["message"]
    assert await dialogue.set() == []


@pytest.mark.parametrize(
    ("text", "insisted"),
    [
        ("취소", True),
        ("그만", True),
        ("stop", True),
        ("응", True),
        ("20분 뒤", True),
        ("내일 아침 7시에", True),
        ("한 번만", True),
        ("매일", True),
        ("no", True),
        ("오늘 날씨 어때?", False),
        ("지금 몇 시야?", False),
        ("볼륨 올려 줘", False),
        ("what time is it", False),
    ],
)
def test_an_answer_that_is_a_plain_command_too_is_for_the_flow(dialogue: Dialogue, text: str, insisted: bool) -> None:
    assert dialogue.orchestrator.manifest.insists(text) is insisted


async def test_what_another_service_wants_is_given_to_it_but_not_what_the_reminder_may_be_of(
    dialogue: Dialogue,
) -> None:
    await dialogue.say("알림 하나 맞춰 줘")
    named = await dialogue.say("브리핑 해 줘", elsewhere=True)
    assert named["state_snapshot"]["slots"]["what"]
    for stage, said in (("FILLING", "내일 8시에"), ("FILLING", "한 번만"), ("READY", "")):
        with pytest.raises(ElsewhereError):
            await dialogue.say("브리핑 해 줘", elsewhere=True)
        assert named["state_snapshot"]["stage"] == stage
        named = await dialogue.say(said) if said else named
