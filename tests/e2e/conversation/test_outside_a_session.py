"""Speech over answers outside a spoken conversation, in audio time (V-04, V-15 to V-17, V-21)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.core import updates as up
from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.messages import Role
from assistant.core.records.agents import AgentId
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.clock import FakeClock
from tests.fakes.sound.scene import Scene

LONG = "옛날 옛적에 호랑이가 살았어요. 호랑이는 떡을 좋아했어요. 그래서 고개마다 사람을 기다렸어요."


def typed(stage: Stage, second: float) -> None:
    """A typed message whose answer is read aloud."""
    if second == 0.5:
        stage.write("이야기해 줘", aloud=True)


def pressed(stage: Stage, second: float) -> None:
    """A request with the talk key."""
    if second in {0.1, 1.0}:
        stage.session.hold_to_talk(held=second == 0.1)


def scene_of(answer_to: Callable[[Stage, float], None]) -> Scene:
    """What is heard up to the middle of the answer."""
    return Scene().silence(3) if answer_to is typed else Scene().silence(0.3).says("이야기해 줘", 0.6).silence(2.5)


def said_to(stage: Stage) -> list[str]:
    return [message.text for message in stage.messages if message.role is Role.USER]


def last_state(stage: Stage) -> Snapshot:
    return [update.snapshot for update in stage.updates if isinstance(update, up.StateChanged)][-1]


@pytest.mark.parametrize("answer_to", [typed, pressed])
@pytest.mark.parametrize("word", ["그만", "멈춰", "잠깐만", "stop", "그만해", "Stop."])
async def test_a_stop_word_ends_the_answer_and_nothing_listens_on(
    tmp_path: Path, answer_to: Callable[[Stage, float], None], word: str
) -> None:
    stopped: list[bool] = []

    def prepare(stage: Stage) -> None:
        stage.session.stopped.add(lambda: stopped.append(True))

    scene = scene_of(answer_to).says(word, 0.5).silence(3).says("이건 혼잣말이야", 1.2).silence(1)
    stage = await perform(scene, tmp_path, says(LONG), says("?"), on_frame=answer_to, prepare=prepare)
    assert said_to(stage) == ["이야기해 줘"]
    assert len(stage.all("interrupted")) == 1
    assert stage.messages[-1].heard is not None, "the history keeps what was heard"
    assert stopped == [True]
    assert last_state(stage) == Snapshot()


@pytest.mark.parametrize("answer_to", [typed, pressed])
async def test_a_request_over_the_answer_is_heard_whole_and_answered(
    tmp_path: Path, answer_to: Callable[[Stage, float], None]
) -> None:
    scene = scene_of(answer_to).says("아니, 짧은 걸로 해 줘", 1.5).silence(5).says("이건 혼잣말이야", 1.2).silence(1)
    stage = await perform(scene, tmp_path, says(LONG), says("네."), on_frame=answer_to)
    assert said_to(stage) == ["이야기해 줘", "아니, 짧은 걸로 해 줘"]
    assert stage.voices.said[-1] == "네."
    assert not stage.all("prompt")
    assert last_state(stage) == Snapshot(), "the microphone is closed again"


async def test_the_answer_to_an_interruption_can_be_interrupted_too(tmp_path: Path) -> None:
    scene = scene_of(typed).says("아니, 짧은 걸로 해 줘", 1.5).silence(2.5).says("그만", 0.5).silence(2)
    stage = await perform(scene, tmp_path, says(LONG), says(LONG), on_frame=typed)
    assert len(stage.all("interrupted")) == 2
    assert said_to(stage) == ["이야기해 줘", "아니, 짧은 걸로 해 줘"]
    assert last_state(stage) == Snapshot()


@pytest.mark.parametrize("answer_to", [typed, pressed])
@pytest.mark.parametrize("words", ["네", "응", "uh-huh", ""])
async def test_agreement_and_noise_pause_the_answer_and_lose_nothing(
    tmp_path: Path, answer_to: Callable[[Stage, float], None], words: str
) -> None:
    scene = scene_of(answer_to)
    scene = scene.says(words, 0.4) if words else scene.noise(0.15)
    stage = await perform(scene.silence(6), tmp_path, says(LONG), on_frame=answer_to)
    assert not stage.all("interrupted")
    assert len(stage.all("resumed")) == 1
    assert stage.messages[-1].heard is None


async def test_words_in_the_room_while_sori_thinks_about_a_typed_message_cancel_nothing(tmp_path: Path) -> None:
    scene = Scene().silence(0.6).says("아니 그건 내가 할게", 1.5).silence(6)
    thinks = asyncio.Event()

    def slow(stage: Stage, second: float) -> None:
        typed(stage, second)
        if second >= 3.0:
            thinks.set()

    stage = await perform(scene, tmp_path, [thinks, *says("네.")], on_frame=slow, patience_s=0.005)
    assert [message.text for message in stage.messages] == ["이야기해 줘", "네."]
    assert not stage.all("interrupted")


async def test_a_stop_word_while_sori_thinks_about_a_request_by_the_talk_key_cancels_it(tmp_path: Path) -> None:
    scene = Scene().silence(0.3).says("이야기해 줘", 0.6).silence(1).says("그만", 0.5).silence(2)
    never = asyncio.Event()
    stage = await perform(scene, tmp_path, [never, *says(LONG)], on_frame=pressed, patience_s=0.005)
    assert len(stage.all("interrupted")) == 1
    assert not stage.voices.said
    assert last_state(stage) == Snapshot()


async def test_a_muted_microphone_hears_nothing_over_an_answer(tmp_path: Path) -> None:
    def muted(stage: Stage, second: float) -> None:
        if second == 0:
            stage.session.set_muted(True)
        typed(stage, second)

    scene = scene_of(typed).says("그만", 0.5).says("아니, 짧은 걸로 해 줘", 1.5).silence(3)
    stage = await perform(scene, tmp_path, says(LONG), on_frame=muted)
    assert not stage.all("interrupted")
    assert not stage.recognizer.calls


@pytest.mark.parametrize(("name", "agent"), [("도치야", "hedgehog"), ("소리야", "sori")])
async def test_a_name_over_a_typed_answer_begins_a_conversation(tmp_path: Path, name: str, agent: str) -> None:
    workspaces = Workspaces(tmp_path / "workspaces", FakeClock(), lambda: 2_000)
    workspaces.add_agent(AgentId(name="hedgehog"), {"wake_phrase": "도치야"})
    workspaces.edit_agent(AgentId(), {"wake_phrase": "소리야"})
    scene = scene_of(typed).says(name, 0.5).silence(1.5).says("뭐 입을까?", 1).silence(3).says("내일은?", 1).silence(2)
    replies = says(LONG), says("코트요."), says("장갑도요.")
    stage = await perform(scene, tmp_path, *replies, workspaces=workspaces, on_frame=typed)
    asked = [message.text for message in stage.newest if message.role is Role.USER]
    assert asked[-2:] == ["뭐 입을까?", "내일은?"]
    assert stage.agent.name == agent


# Reminders


def reminders(*due: tuple[float, str]) -> Callable[[Stage, float], None]:
    waiting = list(due)

    def on_frame(stage: Stage, second: float) -> None:
        while waiting and second >= waiting[0][0]:
            stage.session.set_ringing(True)
            stage.session.announce(waiting.pop(0)[1])

    return on_frame


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(Scene().silence(12), id="idle"),
        pytest.param(Scene().wake_word().silence(12), id="listening"),
        pytest.param(Scene().wake_word().says("내일 서울에 비가 올까?", 2).silence(12), id="heard and answered"),
        pytest.param(Scene().wake_word().noise(1).silence(12), id="noise"),
    ],
)
async def test_reminders_are_spoken_one_after_another(tmp_path: Path, scene: Scene) -> None:
    on_frame = reminders((1.0, "약 드세요."), (1.0, "라면이 다 됐어요."), (1.2, "회의예요."))

    def stop(stage: Stage, second: float) -> None:
        on_frame(stage, second)
        if second == 10.0:
            stage.session.set_ringing(False)

    stage = await perform(scene, tmp_path, says("네."), on_frame=stop)
    said = [text for text in stage.voices.said if text not in {"네.", "대화를 종료할까요?"}]
    assert said == ["약 드세요.", "라면이 다 됐어요.", "회의예요."]


@pytest.mark.parametrize("answer_to", [typed, pressed])
async def test_a_reminder_is_spoken_after_the_answer(tmp_path: Path, answer_to: Callable[[Stage, float], None]) -> None:
    remind = reminders((3.5, "약 드세요."))

    def on_frame(stage: Stage, second: float) -> None:
        answer_to(stage, second)
        remind(stage, second)
        if second == 14.0:
            stage.session.set_ringing(False)
            stage.session.end_announcement()

    stage = await perform(scene_of(answer_to).silence(12), tmp_path, says(LONG), on_frame=on_frame)
    assert stage.voices.said[-2:] == ["그래서 고개마다 사람을 기다렸어요.", "약 드세요."]
    assert not stage.all("interrupted")
    assert stage.messages[-1].heard is None
    assert last_state(stage) == Snapshot()


async def test_a_reminder_waits_while_the_talk_key_is_held(tmp_path: Path) -> None:
    remind = reminders((0.5, "약 드세요."))

    def on_frame(stage: Stage, second: float) -> None:
        remind(stage, second)
        if second in {0.1, 3.0}:
            stage.session.hold_to_talk(held=second == 0.1)
        elif second == 9.0:
            stage.session.set_ringing(False)

    scene = Scene().silence(1.5).says("내일 뭐 입을까?", 1).silence(12)
    stage = await perform(scene, tmp_path, says("코트요."), on_frame=on_frame)
    assert said_to(stage) == ["내일 뭐 입을까?"]
    assert stage.voices.said[:2] == ["코트요.", "약 드세요."]


async def test_a_reminder_that_is_dismissed_by_hand_does_not_end_the_conversation(tmp_path: Path) -> None:
    states: list[InteractionState] = []
    remind = reminders((2.0, "오늘 저녁 여덟 시에 약을 드셔야 해요."))

    def on_frame(stage: Stage, second: float) -> None:
        remind(stage, second)
        if second == 3.0:
            states.append(stage.session.snapshot.interaction)
            stage.session.set_ringing(False)
            stage.session.end_announcement()
            states.append(stage.session.snapshot.interaction)

    scene = Scene().wake_word().silence(4).says("내일 뭐 입을까?", 1).silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), on_frame=on_frame)
    assert said_to(stage) == ["내일 뭐 입을까?"]
    assert states == [InteractionState.SPEAKING, InteractionState.LISTENING]


async def test_the_trace_of_a_typed_turn_begins_with_its_request(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(3), tmp_path, says(LONG), on_frame=typed)
    steps = [each["event"] for each in stage.trace if each["event"] in {"asked", "first_token", "first_audio", "done"}]
    assert steps == ["asked", "first_token", "first_audio", "done"]
    stage = await perform(scene_of(pressed), tmp_path, says(LONG), on_frame=pressed)
    assert "asked" not in stage.names(), "a spoken one begins with what was heard"
