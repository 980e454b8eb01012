"""The dialog of names: wake phrases, and an enrolment with a scripted microphone."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.audio.cards.card import HeardFrame
from assistant.core import updates as up
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, Frame
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import SessionState, Snapshot
from assistant.core.records.agents import AgentId
from assistant.core.records.names import Enrolment, EnrolmentStage, TakeResult
from assistant.core.service.request import ClientId, Request
from assistant.core.service.requests.names import EnrolName, ForgetEnrolment, ListNames, SetWakePhrase, StopEnrolment
from assistant.core.settings import Settings
from assistant.engine.domains.names import Names
from assistant.engine.session_wiring import VoiceThreads
from assistant.tasks import TaskSupervisor
from assistant.voice.ears import Ears
from assistant.voice.session.lending import Borrower, Lending
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import CLIENT, ask
from tests.fakes.sound.scene import Scene, ToneActivity, ToneRecognizer

DOCHI, JINNY = AgentId(name="dochi"), AgentId(name="jinny")


class Microphone:
    """A session of which only the microphone is used."""

    def __init__(self) -> None:
        self.hears = True
        self.snapshot = Snapshot()
        self.events: list[ev.Event] = []
        self.lending = Lending()

    def tell(self, event: ev.Event) -> None:
        self.events.append(event)

    def lend_microphone(self, borrower: Borrower, on_lost: Callable[[], None]) -> None:
        self.lending.lend(borrower, on_lost)

    def take_back_microphone(self) -> None:
        self.lending.take_back()


class Stand:
    """A shelf, what it reports, and its microphone."""

    def __init__(self, folder: Path) -> None:
        self.workspaces = Workspaces(folder / "workspaces", FakeClock(), lambda: 2_000)
        self.workspaces.add_agent(DOCHI, {"wake_phrase": "도치야"})
        self.workspaces.add_agent(JINNY, {"wake_phrase": "지니"})
        self.microphone, self.work = Microphone(), Work()
        self.threads = VoiceThreads(self.work)
        self.updates: list[up.Update] = []
        self._jobs = TaskSupervisor()
        self.left: Listeners[[ClientId], None] = Listeners()
        self.shelf = Names(
            self.workspaces,
            CurrentAgent(folder / "current"),
            self.microphone,
            self.threads,
            LiveSettings(Settings(language="ko")),
            publish=self.updates.append,
            changed=lambda: self.updates.append(up.NamesChanged()),
            left=self.left,
            jobs=self._jobs,
            make_voice=ToneActivity,
        )

        self._recognizer = ToneRecognizer([])
        parts: Any = dict.fromkeys(("voice", "unprocessed_voice", "wake", "echo", "turn_end"))
        self.threads.ears = Ears(
            recognizer=self._recognizer,
            recognizer_thread=self.threads.recognizer,
            turn_end_thread=self.threads.turn_end,
            **parts,
        )

    async def hears(self, *said: str) -> None:
        """Let the microphone hear these texts, each between silences."""
        scene = Scene()
        for text in said:
            scene.silence(0.5).says(text, 0.7).silence(0.5)
        self._recognizer.texts = list(scene.texts)
        for start in range(0, len(scene.pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
            frame = Frame(index=start, pcm=scene.pcm[start : start + FRAME_SAMPLES].tobytes())
            self.microphone.lending.hear(HeardFrame(heard=frame, played=bytes(FRAME_BYTES)))
            await self.finish()

    async def finish(self) -> None:
        await self._jobs.settle()

    @property
    def stages(self) -> list[tuple[EnrolmentStage, int, TakeResult | None]]:
        told = [each.enrolment for each in self.updates if isinstance(each, up.EnrolmentChanged)]
        return [(each.stage, len(each.heard), each.result) for each in told]

    async def ask(self, request: Request[Any]) -> Any:
        """The result of a request; the beginning of an enrolment is its first stage."""
        result = await ask(self.shelf, request)
        if isinstance(result, Enrolment):
            self.updates.append(up.EnrolmentChanged(enrolment=result))
        return result


@pytest.fixture
async def stand(tmp_path: Path) -> AsyncIterator[Stand]:
    made = Stand(tmp_path)
    yield made
    made.threads.close()


async def test_the_agents_are_listed_with_what_is_known_of_their_names(stand: Stand) -> None:
    stand.workspaces.keep_wake_sound(DOCHI, b"sound")
    listed = await stand.ask(ListNames())
    assert [(each.phrase, each.enrolled) for each in listed] == [
        ("", False),
        ("도치야", True),
        ("지니", False),
    ]
    assert listed[2].common, "지니 sounds like common words"


async def test_another_phrase_forgets_what_belongs_to_the_former(stand: Stand) -> None:
    stand.workspaces.edit_agent(DOCHI, {"wake_spellings": ("또치야",)})
    stand.workspaces.keep_wake_sound(DOCHI, b"sound")
    listed = await stand.ask(SetWakePhrase(agent=DOCHI, phrase=" 고슴아 "))
    file = stand.workspaces.agent(DOCHI).file
    assert (file.wake_phrase, file.wake_spellings, stand.workspaces.wake_sound(DOCHI)) == ("고슴아", (), b"")
    assert listed[1].phrase == "고슴아"


async def test_a_phrase_of_another_agent_is_refused_in_words(stand: Stand) -> None:
    with pytest.raises(SoriError) as raised:
        await stand.ask(SetWakePhrase(agent=DOCHI, phrase="지니"))
    assert raised.value.reason == "wake_phrase_taken"
    assert raised.value.values["agent"] == "jinny"
    assert stand.workspaces.agent(DOCHI).file.wake_phrase == "도치야"


async def test_an_enrolment_is_forgotten(stand: Stand) -> None:
    stand.workspaces.edit_agent(DOCHI, {"wake_spellings": ("또치야",)})
    stand.workspaces.keep_wake_sound(DOCHI, b"sound")
    listed = await stand.ask(ForgetEnrolment(agent=DOCHI))
    assert (stand.workspaces.agent(DOCHI).file.wake_spellings, stand.workspaces.wake_sound(DOCHI)) == ((), b"")
    assert not listed[1].enrolled


async def test_three_utterances_are_learnt_and_the_microphone_is_given_back(stand: Stand) -> None:
    await stand.ask(EnrolName(agent=DOCHI))
    assert stand.microphone.lending.lent
    await stand.hears("도치야", "오늘 날씨 어때", "벌치야", "도치야")
    listening, heard, different = EnrolmentStage.LISTENING, TakeResult.HEARD, TakeResult.DIFFERENT
    assert stand.stages == [
        (listening, 0, None),
        (listening, 1, heard),
        (listening, 1, different),
        (listening, 2, heard),
        (EnrolmentStage.DONE, 3, heard),
    ]
    assert any(isinstance(each, up.LevelMeasured) and each.level_db > -60 for each in stand.updates)
    assert not stand.microphone.lending.lent


@pytest.mark.parametrize("stop", ["control", "lost", "client left"])
async def test_an_enrolment_that_ends_early_keeps_nothing(stand: Stand, stop: str) -> None:
    await stand.ask(EnrolName(agent=DOCHI))
    await stand.hears("도치야")
    if stop == "control":
        await stand.ask(StopEnrolment())
    elif stop == "lost":
        stand.microphone.lending.lose()
    else:
        stand.left.tell(ClientId("another"))
        assert stand.microphone.lending.lent
        stand.left.tell(CLIENT)
    ended = EnrolmentStage.NO_MICROPHONE if stop == "lost" else EnrolmentStage.STOPPED
    assert stand.stages[-1][:2] == (ended, 1)
    assert not stand.microphone.lending.lent
    assert not stand.workspaces.agent(DOCHI).file.wake_spellings


async def test_without_a_microphone_nothing_begins(stand: Stand) -> None:
    stand.microphone.hears = False
    await stand.ask(EnrolName(agent=DOCHI))
    assert [stage for stage, _, _ in stand.stages] == [EnrolmentStage.NO_MICROPHONE]
    assert not stand.microphone.lending.lent


async def test_a_spoken_conversation_ends_when_an_enrolment_begins(stand: Stand) -> None:
    stand.microphone.snapshot = Snapshot(session=SessionState.ACTIVE)
    await stand.ask(EnrolName(agent=DOCHI))
    assert stand.microphone.events == [ev.VoiceToggled()]


async def test_soris_own_sound_is_not_an_utterance(stand: Stand) -> None:
    await stand.ask(EnrolName(agent=DOCHI))
    pcm = np.full(FRAME_SAMPLES, 3_000, np.int16).tobytes()
    for index in range(200):
        frame = Frame(index=index * FRAME_SAMPLES, pcm=pcm if index < 100 else bytes(FRAME_BYTES))
        stand.microphone.lending.hear(HeardFrame(heard=frame, played=pcm))
        await stand.finish()
    assert len(stand.stages) == 1
