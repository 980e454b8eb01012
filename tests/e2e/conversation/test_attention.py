"""When heard sound must be processed at once: everything else may wait a tenth of a second to save power."""

from pathlib import Path

from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.sound.scene import Scene


async def test_it_rests_before_a_conversation_and_never_in_it(tmp_path: Path) -> None:
    scene = Scene().silence(3).wake_word().silence(0.5).says("오늘 뭐 해", 1).silence(4)
    attentive: dict[float, bool] = {}

    def note(stage: Stage, second: float) -> None:
        attentive[second] = stage.session.attentive

    stage = await perform(scene, tmp_path, says("쉬어요. 오래오래 쉬어요."), on_frame=note)

    woken = stage.first("wake")["t"]
    assert not any(value for second, value in attentive.items() if 2 < second < 3)
    assert all(value for second, value in attentive.items() if second > woken)
    assert stage.first("first_audio")["t"] > woken


async def test_the_talk_key_is_reason_enough(tmp_path: Path) -> None:
    attentive: dict[float, bool] = {}

    def press(stage: Stage, second: float) -> None:
        attentive[second] = stage.session.attentive
        if second == 3:
            stage.session.hold_to_talk(held=True)
            attentive[second] = stage.session.attentive
        elif second == 5:
            stage.session.hold_to_talk(held=False)

    await perform(Scene().silence(4).says("뭐 해", 0.5).silence(1), tmp_path, says("네."), on_frame=press)

    assert not attentive[2.9]
    assert attentive[3]
