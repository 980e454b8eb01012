"""Answers that begin while the user has probably, but not certainly, finished speaking."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from assistant.core.messages import Role
from assistant.core.settings import VoiceSettings
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.sound.scene import Scene

VOICE = VoiceSettings(cues=False)


def requested(stage: Stage) -> list[str]:
    return [request.messages[-1].text for request in stage.backend.requests]


def said_by_user(stage: Stage) -> list[str]:
    return [message.text for message in stage.messages if message.role is Role.USER]


async def test_the_model_is_asked_before_the_end_is_certain(tmp_path: Path) -> None:
    asked_at: list[float] = []

    def on_frame(stage: Stage, second: float) -> None:
        if stage.backend.requests and not asked_at:
            asked_at.append(second)

    scene = Scene().wake_word().silence(0.3).says("내일 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트를 입으세요. 추워요."), on_frame=on_frame)
    assert asked_at[0] < stage.first("speech_ended")["t"]
    assert len(stage.backend.requests) == 1
    assert stage.voices.said == ["코트를 입으세요.", "추워요."]
    assert stage.names().index("probable_end") < stage.names().index("speech_ended")
    assert stage.first("first_audio")["t"] - stage.first("speech_ended")["t"] <= 0.02


async def test_nothing_is_played_or_stored_before_the_end_is_certain(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3).says("내일 뭐 입을까?").silence(0.35).says("그리고 우산은?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), says("네, 챙기세요."))
    assert stage.names().count("went_on") == 1
    assert said_by_user(stage) == ["내일 뭐 입을까? 그리고 우산은?"]
    assert len(stage.all("first_audio")) == 1
    assert stage.all("sentence")[0]["text"].startswith("네")
    assert len(requested(stage)) == 2


@pytest.mark.parametrize(("choice", "asked"), [("always", 2), ("never", 1)])
async def test_the_user_can_switch_it_off(tmp_path: Path, choice: Literal["always", "never"], asked: int) -> None:
    voice = replace(VOICE, early_answers=choice)
    scene = Scene().wake_word().silence(0.3).says("내일 뭐 입을까?").silence(0.35).says("그리고 우산은?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), voice=voice)
    assert len(requested(stage)) == asked


async def test_an_utterance_with_many_pauses_causes_few_requests(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3)
    for word in ("내일 뭐 입을까?", "모레는 뭐 입을까?", "글피는 뭐 입을까?", "그 다음엔 뭐 입을까?"):
        scene = scene.says(word).silence(0.35)
    stage = await perform(scene.silence(2), tmp_path, says("코트요."))
    assert len(stage.all("probable_end")) == 2
    assert len(said_by_user(stage)) == 1


async def test_an_incomplete_sentence_is_no_probable_end(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3).says("내일 서울에서").silence(0.5).says("뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."))
    assert len(requested(stage)) == 1
