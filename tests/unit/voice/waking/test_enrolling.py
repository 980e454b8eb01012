"""Enrolment with a recogniser that weighs phrases, and with made-up sounds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.records.agents import AgentId
from assistant.core.records.names import EnrolmentStage, TakeResult
from assistant.core.settings import Settings
from assistant.speech.stt.recognizer import Recognizer, Transcript, Weighed
from assistant.speech.text.names.likelihood import POSSIBLE
from assistant.speech.wake.likeness import Steps, normalised, unpacked
from assistant.voice.waking.enrolling import MOST_ATTEMPTS, Enrolling
from assistant.voice.waking.takes import Take
from tests.fakes.clock import FakeClock

DOCHI = AgentId(name="dochi")


class StagedRecognizer(Recognizer):
    """Reads "외계어" everywhere; how well the phrase fits is the first sample divided by 10."""

    can_weigh = True

    def transcribe(self, *_: Any, **__: Any) -> Transcript:
        raise AssertionError("a recogniser that can weigh is asked to weigh")

    def weigh(self, pcm: Any, phrases: Any, *, language: str, least: float) -> Weighed:
        assert (list(phrases), language, least) == (["도치야"], "ko", 0.0)
        transcript = Transcript(text="외계어", language="ko", samples=pcm.size)
        return Weighed(transcript=transcript, fits={"도치야": pcm[0] / 10})

    def close(self) -> None:
        return


class Sounds:
    """Describes a sound by its second sample."""

    def word(self, pcm: Any) -> Steps:
        return normalised(np.random.default_rng(int(pcm[1])).standard_normal((5, 96)).astype(np.float32))

    whole = word


def take(fit: float, sound: int = 1) -> Take:
    return Take(pcm=np.array([fit * 10, sound, 0, 0], "<i2").tobytes(), speech_ms=600)


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    workspaces = Workspaces(tmp_path, FakeClock(), lambda: 2_000)
    workspaces.add_agent(DOCHI, {"wake_phrase": "도치야"})
    return workspaces


def enrolling(workspaces: Workspaces) -> Enrolling:
    return Enrolling(workspaces, workspaces.agent(DOCHI), Settings(language="ko"), StagedRecognizer(), Sounds())  # type: ignore[arg-type]


def test_three_takes_that_fit_leave_a_sound_however_they_are_read(workspaces: Workspaces) -> None:
    made = enrolling(workspaces)
    assert made.hear(take(POSSIBLE)).result is TakeResult.HEARD
    assert made.hear(take(POSSIBLE - 1)).result is TakeResult.DIFFERENT
    assert made.hear(Take()).result is TakeResult.SILENT
    made.hear(take(POSSIBLE))
    assert not workspaces.wake_sound(DOCHI), "nothing is kept before the last take"
    state = made.hear(take(POSSIBLE))
    assert (state.stage, state.unlike, state.spellings) == (EnrolmentStage.DONE, False, ())
    kept = unpacked(workspaces.wake_sound(DOCHI))
    assert kept is not None
    assert (kept.phrase, len(kept.takes)) == ("도치야", 3)


def test_takes_that_sound_different_leave_no_sound_and_remove_a_former_one(workspaces: Workspaces) -> None:
    workspaces.keep_wake_sound(DOCHI, b"former")
    made = enrolling(workspaces)
    states = [made.hear(take(POSSIBLE, sound)) for sound in (1, 2, 3)]
    assert (states[-1].stage, states[-1].unlike) == (EnrolmentStage.DONE, True)
    assert not workspaces.wake_sound(DOCHI)


def test_an_enrolment_ends_without_a_result_after_some_attempts(workspaces: Workspaces) -> None:
    made = enrolling(workspaces)
    stages = [made.hear(Take()).stage for _ in range(MOST_ATTEMPTS)]
    assert stages == [EnrolmentStage.LISTENING] * (MOST_ATTEMPTS - 1) + [EnrolmentStage.FAILED]
