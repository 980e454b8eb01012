"""Holding a key to talk, in audio time (V-21)."""

from collections.abc import Callable
from pathlib import Path

from assistant.core import updates as up
from assistant.core.machine.states import InteractionState, SessionState, Snapshot
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.sound.scene import Scene


def keys(*times: tuple[float, bool], muted: bool = False) -> Callable[[Stage, float], None]:
    """Press and release the key at these seconds."""
    waiting = list(times)

    def on_frame(stage: Stage, second: float) -> None:
        if muted and second == 0:
            stage.session.set_muted(True)
        while waiting and second >= waiting[0][0]:
            stage.session.hold_to_talk(held=waiting.pop(0)[1])

    return on_frame


def last_state(stage: Stage) -> Snapshot:
    return [update.snapshot for update in stage.updates if isinstance(update, up.StateChanged)][-1]


async def test_pauses_end_nothing_while_the_key_is_held_and_its_release_does_at_once(tmp_path: Path) -> None:
    scene = Scene().silence(0.5).says("거실에 있는", 0.6).silence(4).says("불을 꺼 줘", 0.6).silence(4)
    stage = await perform(scene, tmp_path, says("네."), on_frame=keys((0.3, True), (5.9, False)))
    assert stage.first("transcript")["text"] == "거실에 있는 불을 꺼 줘"
    ended = stage.first("speech_ended")
    assert (ended["reason"], round(ended["t"], 1)) == ("released", 5.9)
    assert len(stage.all("transcript")) == 1


async def test_the_microphone_is_closed_after_the_answer_which_is_spoken_to_its_end(tmp_path: Path) -> None:
    scene = Scene().silence(0.5).says("몇 시야", 0.6).silence(8).says("혼잣말이야", 0.6).silence(2)
    stage = await perform(scene, tmp_path, says("지금은 세 시예요."), on_frame=keys((0.3, True), (1.3, False)))
    assert len(stage.all("transcript")) == 1
    assert stage.all("sentence")
    assert last_state(stage) == Snapshot()


async def test_a_key_held_without_a_word_asks_nothing(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(20), tmp_path, on_frame=keys((0.3, True), (15, False)))
    assert not stage.all("transcript")
    assert not stage.all("prompt")
    assert not stage.backend.requests
    assert last_state(stage) == Snapshot()


async def test_a_press_interrupts_the_answer(tmp_path: Path) -> None:
    scene = Scene().silence(0.5).says("이야기해 줘", 0.6).silence(2).says("몇 시야", 0.6).silence(6)
    long = "옛날 옛적에 호랑이가 살았어요. 호랑이는 떡을 좋아했어요. 그래서 고개마다 기다렸어요."
    presses = keys((0.3, True), (1.3, False), (2.6, True), (4.0, False))
    stage = await perform(scene, tmp_path, says(long), says("세 시예요."), on_frame=presses)
    assert [event["text"] for event in stage.all("transcript")] == ["이야기해 줘", "몇 시야"]


async def test_a_muted_microphone_hears_only_while_the_key_is_held(tmp_path: Path) -> None:
    scene = Scene().silence(0.5).says("몇 시야", 0.6).silence(6).wake_word().says("불 꺼 줘", 0.6).silence(4)
    stage = await perform(scene, tmp_path, says("세 시예요."), on_frame=keys((0.3, True), (1.3, False), muted=True))
    assert [event["text"] for event in stage.all("transcript")] == ["몇 시야"]
    assert stage.session.muted


async def test_in_a_spoken_conversation_the_microphone_stays_open(tmp_path: Path) -> None:
    scene = Scene().silence(0.5).says("몇 시야", 0.6).silence(6).says("내일은", 0.6).silence(30)
    replies = (says("세 시예요."), says("맑아요."))
    stage = await perform(scene, tmp_path, *replies, no_wake=True, on_frame=keys((0.3, True), (1.3, False)))
    assert [event["text"] for event in stage.all("transcript")] == ["몇 시야", "내일은"]
    assert last_state(stage).interaction is InteractionState.IDLE
    assert last_state(stage).session is SessionState.INACTIVE


async def test_a_press_without_a_word_does_not_end_a_spoken_conversation(tmp_path: Path) -> None:
    scene = Scene().silence(2).says("몇 시야", 0.6).silence(2).says("내일은", 0.6).silence(25)
    presses = keys((0.3, True), (0.9, False), (4.0, True), (4.3, False))
    stage = await perform(scene, tmp_path, says("맑아요."), no_wake=True, on_frame=presses)
    assert [event["text"] for event in stage.all("transcript")] == ["몇 시야", "내일은"]
    assert last_state(stage) == Snapshot()


async def test_silence_ends_a_spoken_conversation_also_after_a_long_press_without_a_word(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(25), tmp_path, no_wake=True, on_frame=keys((0.3, True), (15, False)))
    assert last_state(stage) == Snapshot()
    assert round(stage.first("idle")["t"]) == 15


async def test_a_muted_microphone_that_is_unplugged_while_the_key_is_held_stays_muted(tmp_path: Path) -> None:
    press = keys((0.3, True), muted=True)

    def on_frame(stage: Stage, second: float) -> None:
        press(stage, second)
        if second == 0.8:
            assert not stage.session.muted
            stage.session.detach()

    stage = await perform(Scene().silence(2), tmp_path, on_frame=on_frame)
    assert stage.session.muted
