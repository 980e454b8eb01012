"""Dictation: what a scripted microphone hears is written for the client that types, and for nobody else (D-08)."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from assistant.audio.cards.card import HeardFrame
from assistant.core import updates as up
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, Frame
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, SessionState, Snapshot
from assistant.core.service.events import Audience
from assistant.core.service.request import ClientId
from assistant.core.service.requests.voice import HoldDictation, ToggleDictation, TypeDictation
from assistant.core.settings import Settings
from assistant.core.updates import DictationStage
from assistant.engine.session_wiring import VoiceThreads
from assistant.engine.speech.dictating import Dictating
from assistant.host.texts import load_texts
from assistant.tasks import TaskSupervisor
from assistant.voice.ears import Ears
from assistant.voice.session.lending import Borrower, Lending
from assistant.voice.work import Work
from tests.fakes.front.asking import CLIENT, ask
from tests.fakes.sound.scene import Scene, ToneActivity, ToneRecognizer

TEXTS = load_texts("en")


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
    """The domain, its microphone, and what each client gets."""

    def __init__(self) -> None:
        self.microphone, self.work = Microphone(), Work()
        self.threads = VoiceThreads(self.work)
        self.jobs = TaskSupervisor()
        self.left: Listeners[[ClientId], None] = Listeners()
        self.events: list[up.Update] = []
        self.audiences: set[Audience] = set()
        self.devices = up.VoiceAvailable(
            microphone="m", microphone_reason="", speaker="s", speaker_reason="", muted=False
        )
        self.recognizer = ToneRecognizer([])
        rest: Any = dict.fromkeys(("wake", "echo", "turn_end"))
        self.threads.ears = Ears(
            voice=ToneActivity(),
            unprocessed_voice=ToneActivity(),
            recognizer=self.recognizer,
            recognizer_thread=self.threads.recognizer,
            turn_end_thread=self.threads.turn_end,
            **rest,
        )
        self.domain = Dictating(
            self.microphone,
            self.threads,
            LiveSettings(Settings()),
            TEXTS,
            lambda: self.devices,
            self._deliver,
            self.left,
            self.jobs,
        )

    def _deliver(self, event: up.Update, audience: Audience) -> None:
        self.events.append(event)
        self.audiences.add(audience)

    async def ask(self, request: Any) -> None:
        await ask(self.domain, request)

    async def hear(self, scene: Scene) -> None:
        self.recognizer.texts = list(scene.texts) or self.recognizer.texts
        for start in range(0, len(scene.pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
            frame = Frame(index=start, pcm=scene.pcm[start : start + FRAME_SAMPLES].tobytes())
            self.microphone.lending.hear(HeardFrame(heard=frame, played=bytes(FRAME_BYTES)))
            await self.jobs.settle()

    @property
    def text(self) -> str:
        """What stands at the cursor."""
        text = ""
        for event in self.events:
            if isinstance(event, up.DictationWritten):
                text = text[: len(text) - event.erased] + event.text
        return text

    @property
    def last(self) -> up.DictationChanged:
        return [each for each in self.events if isinstance(each, up.DictationChanged)][-1]


@pytest.fixture
async def stand() -> AsyncIterator[Stand]:
    made = Stand()
    yield made
    await made.jobs.close()
    made.threads.close()


async def test_what_is_said_while_the_key_is_held_is_written_for_the_client_that_types(stand: Stand) -> None:
    await stand.ask(TypeDictation())
    await stand.ask(HoldDictation(held=True))
    await stand.hear(Scene().silence(0.5).says("안녕하세요 쉼표 반갑습니다 마침표", 1.5))
    assert any(isinstance(each, up.DictationChanged) and each.heard for each in stand.events)
    await stand.ask(HoldDictation(held=False))
    await stand.hear(Scene().silence(0.3))
    assert stand.text == "안녕하세요, 반갑습니다."
    assert stand.last == up.DictationChanged(stage=DictationStage.OVER)
    assert stand.audiences == {Audience(client=CLIENT)}
    assert not stand.microphone.lending.lent


async def test_phrases_are_written_at_their_ends_and_the_last_one_is_taken_back(stand: Stand) -> None:
    await stand.ask(TypeDictation())
    await stand.ask(ToggleDictation())
    await stand.hear(Scene().silence(0.5).says("하나입니다.").silence(3).says("둘입니다.").silence(3))
    assert stand.text == "하나입니다. 둘입니다."
    await stand.hear(Scene().silence(0.1).says("지워.").silence(3))
    assert stand.text == "하나입니다."
    await stand.ask(ToggleDictation())
    await stand.hear(Scene().silence(0.3))
    assert stand.last.stage is DictationStage.OVER


async def test_the_last_word_is_written_although_its_sound_comes_after_the_release(stand: Stand) -> None:
    await stand.ask(TypeDictation())
    await stand.ask(HoldDictation(held=True))
    await stand.hear(Scene().silence(0.5))
    await stand.ask(HoldDictation(held=False))
    await stand.hear(Scene().says("늦은 말").silence(0.3))
    assert (stand.text, stand.last.stage) == ("늦은 말", DictationStage.OVER)


async def test_nothing_said_is_nothing_written(stand: Stand) -> None:
    await stand.ask(TypeDictation())
    await stand.ask(HoldDictation(held=True))
    await stand.hear(Scene().silence(1))
    await stand.ask(HoldDictation(held=False))
    await stand.hear(Scene().silence(0.3))
    assert (stand.text, stand.last.stage, stand.last.trouble) == ("", DictationStage.OVER, "")


async def test_a_muted_microphone_is_told(stand: Stand) -> None:
    stand.microphone.hears = False
    stand.devices = up.VoiceAvailable(microphone="m", microphone_reason="", speaker="", speaker_reason="", muted=True)
    await stand.ask(TypeDictation())
    await stand.ask(HoldDictation(held=True))
    assert stand.last == up.DictationChanged(stage=DictationStage.OVER, trouble=TEXTS("notice.muted"))


async def test_without_a_client_that_types_it_is_refused(stand: Stand) -> None:
    with pytest.raises(SoriError) as raised:
        await stand.ask(ToggleDictation())
    assert raised.value.reason == "dictation_without_window"
    await stand.ask(TypeDictation())
    stand.left.tell(CLIENT)
    with pytest.raises(SoriError):
        await stand.ask(ToggleDictation())


async def test_a_client_that_leaves_ends_its_dictation(stand: Stand) -> None:
    await stand.ask(TypeDictation())
    await stand.ask(ToggleDictation())
    assert stand.microphone.lending.lent
    stand.left.tell(CLIENT)
    assert not stand.microphone.lending.lent


async def test_whoever_wants_to_talk_to_sori_gets_the_microphone(stand: Stand) -> None:
    await stand.ask(TypeDictation())
    await stand.ask(ToggleDictation())
    stand.microphone.lending.lose()
    stages = [stand.last.stage]
    await stand.ask(ToggleDictation())
    assert [*stages, stand.last.stage] == [DictationStage.OVER, DictationStage.LISTENING]


async def test_a_spoken_conversation_and_an_answer_end_first(stand: Stand) -> None:
    stand.microphone.snapshot = Snapshot(interaction=InteractionState.SPEAKING, session=SessionState.ACTIVE)
    await stand.ask(TypeDictation())
    await stand.ask(ToggleDictation())
    assert stand.microphone.events == [ev.VoiceToggled(), ev.StopPressed()]


def test_dictated_words_are_in_no_log() -> None:
    assert "secret" not in repr(up.DictationWritten(erased=0, text="secret"))
    assert "secret" not in repr(up.DictationChanged(stage=DictationStage.LISTENING, heard="secret"))
