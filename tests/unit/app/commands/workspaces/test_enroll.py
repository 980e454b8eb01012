import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.app.command_line import main
from assistant.app.commands.workspaces.enroll import enroll, recorded
from assistant.app.parts.workspaces import workspaces_of
from assistant.core.records.agents import AgentId
from assistant.core.records.names import Enrolment, EnrolmentStage, TakeResult
from assistant.core.service.requests.names import EnrolName
from assistant.core.settings import Settings, VoiceSettings
from assistant.core.updates import EnrolmentChanged
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import Domain, serves
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.speech.stt.recognizer import Recognizer, Transcript
from assistant.voice.waking.enrolling import Enrolling
from assistant.voice.waking.takes import Take
from tests.fakes.front.small_engine import SmallEngine

SPOKEN = Take(pcm=bytes(32_000), speech_ms=600)
BOPPI = AgentId(name="boppi")


class StagedRecognizer(Recognizer):
    """Hears what a test says."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.languages: list[str | None] = []

    def transcribe(
        self, pcm: Any, *, language: Any, likely: Any = None, prefix: str = "", draft: bool = False, grows: bool = False
    ) -> Any:
        assert draft
        self.languages.append(language)
        return Transcript(text=self.texts.pop(0), language="ko", samples=pcm.size)

    def close(self) -> None:
        return


async def given(*takes: Take) -> AsyncIterator[Take]:
    for each in takes:
        yield each


async def outcome(home: Path, takes: list[Take], *texts: str) -> tuple[int, tuple[str, ...], StagedRecognizer]:
    workspaces = workspaces_of(Places(home), Settings())
    if not (home / "workspaces").exists():
        workspaces.add_agent(BOPPI, {"wake_phrase": "뽀삐야"})
    agent = workspaces.find_agent(BOPPI.workspace, BOPPI.name)
    recognizer = StagedRecognizer(*texts)
    enrolling = Enrolling(workspaces, agent, Settings(), recognizer, None)
    status = await enroll(enrolling, given(*takes), load_texts("en"))
    return status, workspaces.find_agent(BOPPI.workspace, BOPPI.name).file.wake_spellings, recognizer


async def test_what_is_heard_three_times_becomes_a_spelling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, spellings, recognizer = await outcome(tmp_path, [SPOKEN] * 3, "벌피아", "뽀삐야", "벌피아.")
    assert (status, spellings) == (0, ("벌피아",))
    assert recognizer.languages == ["ko"] * 3
    assert "벌피아" in capsys.readouterr().out.splitlines()[-2]
    phrases = workspaces_of(Places(tmp_path), Settings()).wake_phrases(BOPPI.workspace)
    assert phrases == ((BOPPI, "뽀삐야"), (BOPPI, "벌피아"))


async def test_silence_noise_and_other_words_are_named_and_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    takes = [Take(), *[SPOKEN] * 5]
    texts = ("시청해주셔서 감사합니다.", "오늘 날씨 어때?", "뽀삐야", "뽀삐야", "뽀삐야")
    status, spellings, _ = await outcome(tmp_path, takes, *texts)
    said = capsys.readouterr().out
    assert (status, spellings) == (0, ())
    assert said.count("Nothing was heard") == 2
    assert "“오늘 날씨 어때?” does not sound like" in said
    assert "needs no further spellings" in said


async def test_too_few_takes_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await outcome(tmp_path, [SPOKEN] * 3, "벌피아", "벌피아", "벌피아")
    status, spellings, _ = await outcome(tmp_path, [SPOKEN] * 2, "뽀삐야", "뽀삐야")
    assert (status, spellings) == (1, ("벌피아",))
    assert "2 of 3" in capsys.readouterr().out


async def test_a_phrase_without_korean_is_heard_in_the_language_of_the_voice(tmp_path: Path) -> None:
    settings = Settings(language="ko", voice=VoiceSettings(language="en"))
    workspaces = workspaces_of(Places(tmp_path), settings)
    workspaces.add_agent(BOPPI, {"wake_phrase": "Poppy"})
    agent = workspaces.find_agent(BOPPI.workspace, BOPPI.name)
    recognizer = StagedRecognizer(*["Poppy"] * 3)
    await enroll(Enrolling(workspaces, agent, settings, recognizer, None), given(*[SPOKEN] * 3), load_texts("en"))
    assert recognizer.languages == ["en"] * 3


async def test_a_silent_recording_is_an_empty_take(tmp_path: Path) -> None:
    path = tmp_path / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(np.zeros(16_000, "<i2").tobytes())
    assert [each async for each in recorded([path])] == [Take()]


def test_an_agent_without_a_phrase_and_a_new_phrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert main(["agents", "enroll", "sori"]) != 0
    assert "--wake-phrase" in capsys.readouterr().err
    assert main(["agents", "add", "boppi", "--wake-phrase", "뽀삐야", "--wake-spellings", "벌피아, 보삐아"]) == 0
    found = workspaces_of(Places(tmp_path), Settings()).find_agent("default", "boppi")
    assert found.file.wake_spellings == ("벌피아", "보삐아")
    assert main(["agents", "edit", "boppi", "--wake-phrase", "도치야"]) == 0
    found = workspaces_of(Places(tmp_path), Settings()).find_agent("default", "boppi")
    assert found.file.wake_spellings == ()


class ListeningEngine(Domain):
    """Tells these steps of an enrolment when it is asked for one."""

    def __init__(self, *steps: Enrolment) -> None:
        self.steps = steps
        self.hub: Hub | None = None

    @serves()
    async def _enrol(self, request: EnrolName) -> Enrolment:
        assert self.hub is not None
        first, *further = self.steps
        for each in further:
            self.hub.deliver(EnrolmentChanged(enrolment=each))
        return first


def enrolment(stage: EnrolmentStage, *heard: str, **more: Any) -> Enrolment:
    return Enrolment(agent=BOPPI, stage=stage, heard=heard, **more)


LISTENING, HEARD = EnrolmentStage.LISTENING, TakeResult.HEARD
STEPS = (
    enrolment(LISTENING),
    enrolment(LISTENING, "벌피아", result=HEARD, text="벌피아"),
    enrolment(LISTENING, "벌피아", result=TakeResult.DIFFERENT, text="오늘 날씨 어때?"),
    enrolment(LISTENING, "벌피아", "뽀삐야", result=HEARD, text="뽀삐야"),
)


@pytest.mark.parametrize(
    ("end", "status", "told"),
    [
        (enrolment(EnrolmentStage.DONE, *["벌피아"] * 3, result=HEARD, spellings=("벌피아",)), 0, "벌피아. They stand"),
        (enrolment(EnrolmentStage.STOPPED, "벌피아", "뽀삐야"), 1, "2 of 3"),
        (enrolment(EnrolmentStage.FAILED, "벌피아", "뽀삐야", trouble="recognizer_hung"), 1, "2 of 3"),
    ],
)
def test_the_engine_that_runs_listens(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    end: Enrolment,
    status: int,
    told: str,
) -> None:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    workspaces_of(Places(tmp_path), Settings()).add_agent(BOPPI, {"wake_phrase": "뽀삐야"})
    ears = ListeningEngine(*STEPS, end)
    with SmallEngine(tmp_path, ears) as engine:
        ears.hub = engine.hub
        assert main(["agents", "enroll", "boppi"]) == status
        assert engine.asked == [EnrolName(agent=BOPPI)]
    said = capsys.readouterr().out
    assert told in said
    assert "“오늘 날씨 어때?” does not sound like" in said
    assert said.count("Say “뽀삐야” now (2 of 3)") == 2
