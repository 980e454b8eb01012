import asyncio

import pytest

from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands
from assistant.chat.timers import Timers
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.tools.system.volume import LINUX_MIXERS, MixerVolume
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume
from tests.unit.conftest import INTENTS


async def say(commands: Commands, sentence: str) -> str:
    found = commands.recognize(sentence, "ko")
    assert found is not None, sentence
    return await commands.answer(found)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("지금 몇 시야?", "지금은 오후 3시 5분이에요."),
        ("what time is it?", "It's 3:05 PM."),
        ("오늘 며칠이야?", "오늘은 11월 22일 일요일이에요."),
        ("내일 무슨 요일이야?", "내일은 월요일이에요."),
        ("어제 며칠이었지?", "어제는 11월 21일 토요일이었어요."),
        ("what day is it", "Today is Sunday."),
        ("what's the date tomorrow", "Tomorrow will be Monday, November 23."),
        ("그만", "네, 멈출게요."),
        ("대화 종료", "네, 대화를 마칠게요."),
        ("goodbye", "Okay, goodbye."),
    ],
)
async def test_an_answer_is_in_the_language_of_the_question(commands: Commands, sentence: str, answer: str) -> None:
    assert await say(commands, sentence) == answer


async def test_the_hour_alone_gets_the_right_particle(commands: Commands, clock: FakeClock) -> None:
    clock.advance(55 * 60)
    assert await say(commands, "몇 시야?") == "지금은 오후 4시예요."


async def test_timers_are_set_listed_and_cancelled_in_words(commands: Commands, clock: FakeClock) -> None:
    assert await say(commands, "타이머 얼마나 남았어?") == "맞춰 둔 타이머가 없어요."
    assert await say(commands, "5분 타이머") == "5분 타이머를 시작할게요."
    clock.advance(100)
    assert await say(commands, "타이머 얼마나 남았어?") == "5분 타이머는 3분 20초 남았어요."
    assert await say(commands, "라면 타이머 30초 맞춰줘") == "라면 타이머를 30초로 맞췄어요."
    assert await say(commands, "list my timers") == (
        "There are 2 timers. The 라면 timer has 30 seconds left. The 5 minute timer has 3 minutes and 20 seconds left."
    )
    assert (
        await say(commands, "타이머 취소") == "타이머가 여러 개 있어요: 라면 타이머, 5분 타이머. 어느 것을 취소할까요?"
    )
    assert await say(commands, "10분 타이머 취소") == "그런 타이머는 없어요. 지금 있는 것: 라면 타이머, 5분 타이머."
    assert await say(commands, "라면 타이머 취소해줘") == "라면 타이머를 취소했어요."
    assert await say(commands, "cancel the timer") == "I cancelled the 5 minute timer."
    await say(commands, "set a timer for an hour")
    await say(commands, "set a timer for two hours")
    assert await say(commands, "cancel all timers") == "I cancelled all 2 timers."


@pytest.mark.parametrize("sentence", ["25시간 타이머", "0분 타이머"])
async def test_an_impossible_timer_is_explained(commands: Commands, sentence: str) -> None:
    assert await say(commands, sentence) == "타이머는 1초부터 24시간까지 맞출 수 있어요."


async def test_the_volume_changes_and_stays_in_range(commands: Commands, volume: FakeVolume) -> None:
    assert await say(commands, "소리 키워줘") == "볼륨을 50퍼센트로 맞췄어요."
    assert await say(commands, "볼륨 30% 올려") == "볼륨을 80퍼센트로 맞췄어요."
    assert await say(commands, "turn the volume down by 15 percent") == "The volume is now 65 percent."
    assert await say(commands, "set the volume to 95 percent") == "The volume is now 95 percent."
    await say(commands, "louder")
    assert volume.percent == 100
    assert await say(commands, "볼륨 200으로 해줘") == "볼륨은 0에서 100퍼센트까지 맞출 수 있어요."
    assert await say(commands, "지금 볼륨 몇이야?") == "지금 볼륨은 100퍼센트예요."
    assert await say(commands, "음소거") == "소리를 껐어요."
    assert volume.muted
    assert await say(commands, "unmute") == "The sound is back on."
    assert not volume.muted


async def test_a_volume_that_cannot_be_changed_is_explained(
    timers: Timers, clock: FakeClock, all_texts: dict[Language, Texts], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    commands = Commands.load(INTENTS, CommandAnswers(clock, timers, MixerVolume(LINUX_MIXERS), all_texts, no_memory()))
    assert (await say(commands, "소리 키워줘")).startswith("여기서는 볼륨을 바꿀 수 없어요.")


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [("그만", "네, 멈출게요."), ("stop", "Okay, stopping."), ("타이머 꺼 줘", "라면 타이머를 껐어요.")],
)
async def test_what_rings_is_stopped_by_words_and_what_runs_goes_on(
    commands: Commands, timers: Timers, clock: FakeClock, sentence: str, answer: str
) -> None:
    await say(commands, "라면 타이머 30초 맞춰줘")
    await say(commands, "10분 타이머")
    clock.advance(30)
    running = asyncio.create_task(timers.run())
    await clock.until_sleeping()
    assert len(await timers.ringing()) == 1
    assert await say(commands, sentence) == answer
    assert await timers.ringing() == ()
    assert len(await timers.running()) == 1
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
