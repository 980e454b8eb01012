"""A text that is read aloud on request: it is paused, sentences are skipped, and speech over it ends it (D-09)."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.machine.states import InteractionState
from assistant.core.service.requests.voice import ReadingStep
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.sound.scene import Scene

SENTENCES = [f"{name} 문장을 지금 읽고 있습니다." for name in ("첫째", "둘째", "셋째", "넷째", "다섯째")]
TEXT = " ".join(SENTENCES)


def acts(*actions: tuple[int, Callable[[Stage], None]]) -> Callable[[Stage, float], None]:
    """Do something once a sentence of this number has begun to be read; 0 at the beginning."""
    left = list(actions)

    def on_frame(stage: Stage, _second: float) -> None:
        if left and (left[0][0] == 0 or len(spoken(stage)) >= left[0][0]):
            left.pop(0)[1](stage)

    return on_frame


def spoken(stage: Stage) -> list[str]:
    return [each.text for each in stage.updates if isinstance(each, up.SentenceBegun)]


def read(stage: Stage) -> None:
    stage.session.read_aloud(TEXT)


def steer(step: ReadingStep) -> Callable[[Stage], None]:
    return lambda stage: stage.session.steer_reading(step)


def shown(stage: Stage) -> list[tuple[int, int]]:
    found = [(each.sentence, each.sentences) for each in stage.updates if isinstance(each, up.ReadingChanged)]
    return [each for at, each in enumerate(found) if not at or found[at - 1] != each]


async def test_all_sentences_are_read_and_counted(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(1), tmp_path, on_frame=acts((0, read)))
    assert spoken(stage) == SENTENCES
    assert shown(stage) == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5), (0, 0)]
    assert stage.session.snapshot.interaction is InteractionState.IDLE


async def test_a_sentence_is_skipped(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(1), tmp_path, on_frame=acts((0, read), (2, steer(ReadingStep.NEXT))))
    assert spoken(stage) == [*SENTENCES[:2], *SENTENCES[2:]]
    assert shown(stage)[-1] == (0, 0)
    whole = await perform(Scene().silence(1), tmp_path / "whole", on_frame=acts((0, read)))
    assert len(stage.played) < len(whole.played)


async def test_the_sentence_before_is_read_again(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(1), tmp_path, on_frame=acts((0, read), (3, steer(ReadingStep.PREVIOUS))))
    assert spoken(stage) == [*SENTENCES[:3], *SENTENCES[1:]]


async def test_after_the_last_sentence_it_ends(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(1), tmp_path, on_frame=acts((0, read), (5, steer(ReadingStep.NEXT))))
    assert spoken(stage) == SENTENCES
    assert shown(stage)[-1] == (0, 0)


async def test_it_pauses_until_it_is_to_go_on(tmp_path: Path) -> None:
    paused_at: list[float] = []

    def pause(stage: Stage) -> None:
        stage.session.steer_reading(ReadingStep.PAUSE)

    begun: list[float] = []
    after: list[int] = []

    def on_frame(stage: Stage, second: float) -> None:
        if not begun:
            begun.append(second)
            read(stage)
        elif len(spoken(stage)) >= 2 and not paused_at:
            paused_at.append(second)
            pause(stage)
        elif paused_at and second >= paused_at[0] + 6 and not after:
            after.append(len(spoken(stage)))
            stage.session.steer_reading(ReadingStep.GO_ON)

    stage = await perform(Scene().silence(30), tmp_path, on_frame=on_frame)
    assert after == [2], "nothing was read while it was paused"
    assert spoken(stage) == SENTENCES
    assert any(isinstance(each, up.ReadingChanged) and each.paused for each in stage.updates)


async def test_it_is_stopped(tmp_path: Path) -> None:
    stage = await perform(Scene().silence(1), tmp_path, on_frame=acts((0, read), (2, steer(ReadingStep.STOP))))
    assert spoken(stage) == SENTENCES[:2]
    assert shown(stage)[-1] == (0, 0)


async def test_speech_over_it_ends_it(tmp_path: Path) -> None:
    scene = Scene().silence(2).says("잠깐만 이것 좀 들어 봐 줄래", 2.5).silence(2)
    stage = await perform(scene, tmp_path, says("네."), on_frame=acts((0, read)))
    assert len(spoken(stage)) < 7
    assert (0, 0) in shown(stage)
    assert SENTENCES[-1] not in spoken(stage)


@pytest.mark.parametrize(
    ("words", "back"),
    [("다음 문장", []), ("앞 문장 읽어 줘", [-1]), ("다시 읽어 줘", [0]), ("계속 읽어 줘", [0]), ("Keep reading", [0])],
)
async def test_it_is_steered_by_words_that_are_spoken_over_it(tmp_path: Path, words: str, back: list[int]) -> None:
    scene = Scene().silence(3.5).says(words, 1.0).silence(16)
    stage = await perform(scene, tmp_path, says("모델의 답입니다."), on_frame=acts((0, read)))
    heard = [SENTENCES.index(each) for each in spoken(stage)]
    assert [after - before for before, after in pairwise(heard) if after != before + 1] == back
    assert (heard[0], heard[-1]) == (0, len(SENTENCES) - 1)
    assert len([each for each in shown(stage) if each == (0, 0)]) == 2, (
        "speech stopped it, and then it was read to its end"
    )


async def test_steering_without_a_text_changes_nothing(tmp_path: Path) -> None:
    steps = [(0, steer(each)) for each in ReadingStep]
    stage = await perform(Scene().silence(1), tmp_path, on_frame=acts(*steps))
    assert (spoken(stage), shown(stage)) == ([], [])
