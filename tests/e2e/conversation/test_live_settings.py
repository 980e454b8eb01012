"""Settings that are read at each use act in the conversation that goes on, without a restart."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.core.configuration.catalogue import with_value
from assistant.core.settings import Settings, VoiceSettings
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.sound.scene import Scene

CHANGED_AT_S = 6.0


def _scene(*, wakes_again: bool) -> Scene:
    """Two questions; the setting changes between them. The second may come after the end of the conversation."""
    scene = Scene().silence(0.5).wake_word().silence(0.3).says("내일 뭐 입을까?").silence(3.7)
    if wakes_again:
        scene = scene.silence(20).wake_word().silence(0.3)
    return scene.says("모레는 어때?", 3.0).silence(14)


async def _changed(folder: Path, name: str, value: Any, *, wakes_again: bool = False) -> Stage:
    def change(stage: Stage, second: float) -> None:
        if second == CHANGED_AT_S:
            stage.live.change(with_value(stage.live.written, name, value))

    scene = _scene(wakes_again=wakes_again)
    return await perform(scene, folder, says("코트요."), says("우산이요."), voice=VoiceSettings(), on_frame=change)


def _ends(stage: Stage) -> list[float]:
    return [round(each["t"], 1) for each in stage.all("speech_ended")]


ROWS: list[tuple[str, Any, Callable[[Stage], Any], Any, Any]] = [
    ("voice.speed", 1.5, lambda it: it.voices.speeds, [1.0, 1.0, 1.0], [1.0, 1.5, 1.5]),
    ("voice.turn_taking", "patient", _ends, [2.7, 9.4], [2.7, 9.7]),
    ("voice.turn_taking", "fast", _ends, [2.7, 9.4], [2.7, 9.3]),
    ("voice.silence_timeout_s", 3.0, lambda it: len(it.all("idle")), 0, 1),
    ("voice.max_utterance_s", 2.0, lambda it: len(it.all("speech_ended")), 2, 4),
    ("voice.early_answers", "never", lambda it: len(it.all("probable_end")), 2, 1),
    ("voice.language", "en", lambda it: it.recognizer.languages[-1], None, "en"),
]


@pytest.mark.parametrize(("name", "value", "seen", "before", "after"), ROWS, ids=[str(row[0]) for row in ROWS])
async def test_a_setting_acts_from_the_next_utterance_on(
    tmp_path: Path, name: str, value: Any, seen: Callable[[Stage], Any], before: Any, after: Any
) -> None:
    table, _, key = name.rpartition(".")
    default = getattr(getattr(Settings(), table), key)
    assert seen(await _changed(tmp_path / "same", name, default)) == before
    assert seen(await _changed(tmp_path / "changed", name, value)) == after


@pytest.mark.parametrize("name", ["cues", "cue_awake"])
async def test_a_sound_that_is_turned_off_is_not_heard_again(tmp_path: Path, name: str) -> None:
    beeps = []
    for wanted in (True, False):
        stage = await _changed(tmp_path / str(wanted), f"voice.{name}", wanted, wakes_again=True)
        late = stage.played[round(CHANGED_AT_S * 48_000) :]
        beeps.append(bool((late == 5_000).any()))
    assert beeps == [True, False]
