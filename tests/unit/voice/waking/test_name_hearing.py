"""Names that are called while Sori makes sound, with scripted states of the echo canceller."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.audio.cards.card import HeardFrame
from assistant.audio.echo.presence import Echo
from assistant.chat.agents.calling import AgentCalls
from assistant.core.audio import FRAME_SAMPLES, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.events import WakeWordHeard
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.speech.stt.recognizer import Weighed
from assistant.speech.text.names.likelihood import BY_CHANCE, CERTAIN, LEAST, POSSIBLE
from assistant.speech.wake.likeness import EnrolledSound, Steps, normalised, packed
from assistant.speech.wake.own_words import OwnWords
from assistant.speech.wake.own_words import packed as packed_words
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.waking.name_hearing import NameHearing
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import Scene, ToneActivity, ToneRecognizer

TEXTS = ("도치야", "안녕하세요, 도치야", "오늘은 아주")
CALL, OWN_NAME, OWN_WORDS = range(len(TEXTS))


def tone(text: int, seconds: float = 0.7) -> NDArray[np.int16]:
    """A sound that the recogniser reads as this text."""
    scene = Scene()
    for index, each in enumerate(TEXTS):
        scene.says(each, seconds if index == text else 0.0)
    return scene.pcm


def quiet(seconds: float) -> NDArray[np.int16]:
    return Scene().silence(seconds).pcm


class WeighingRecognizer(ToneRecognizer):
    """Also tells how well phrases fit: as a test says."""

    can_weigh = True

    fit: float = 0.0
    silent: float = -20.0

    def weigh(self, pcm: Any, phrases: Any, *, language: str, least: float) -> Weighed:
        (phrase,) = phrases
        transcript = self.transcribe(pcm, language=language, draft=True)
        continued = {phrase: phrase} if self.fit >= least else {}
        return Weighed(
            transcript=transcript, fits={phrase: self.fit}, silent={phrase: self.silent}, continued=continued
        )


@dataclass
class OneSound:
    """Describes each sound in the same way."""

    steps: Steps
    calls: int = 0

    def whole(self, _pcm: Any) -> Steps:
        self.calls += 1
        return self.steps


ENROLLED, OTHER = (
    normalised(np.random.default_rng(seed).standard_normal((5, 96)).astype(np.float32)) for seed in (1, 2)
)


def workspaces_in(folder: Path) -> Workspaces:
    return Workspaces(folder / "workspaces", FakeClock(), lambda: 2_000)


def keep_own_words(folder: Path) -> None:
    """Sori's own voices have said the name."""
    words = OwnWords(phrase="도치야", takes=(ENROLLED,), heard=(), made_from="")
    workspaces_in(folder).keep_own_words(AgentId(name="hedgehog"), packed_words(words))


@dataclass
class Idle:
    """An idle session that hears names."""

    names: NameHearing
    recognizer: ToneRecognizer
    work: Work
    conversation: FakeConversation
    called: list[str]

    async def hears(
        self,
        heard: NDArray[np.int16],
        played: NDArray[np.int16],
        echo: Echo | None,
        *,
        leaks: bool = False,
        waits: bool = True,
    ) -> None:
        """Hear a sound beside Sori's own sound of the same length, and wait for the recogniser or not."""
        activity = ToneActivity()
        for start in range(0, len(heard), FRAME_SAMPLES):
            pcm = heard[start : start + FRAME_SAMPLES].tobytes()
            own = played[start : start + FRAME_SAMPLES].tobytes()
            self.names.hear(pcm, speech=activity.feed(pcm).speech, played=own, echo=echo, leaks=leaks)
            if waits:
                await self.work.wait_until_idle()

    def weighs(self, fit: float, *, same: bool, silent: float = -20.0) -> OneSound:
        """Use a recogniser that weighs names, and let each sound be the enrolled one or another one."""
        recognizer = WeighingRecognizer(list(TEXTS))
        recognizer.fit, recognizer.silent = fit, silent
        describes = OneSound(ENROLLED if same else OTHER)
        self.names._ears.recognizer, self.names._ears.word_sound = recognizer, describes  # type: ignore[assignment]
        return describes


@pytest.fixture
async def idle(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    workspaces = workspaces_in(tmp_path)
    workspaces.add_agent(AgentId(name="hedgehog"), {"wake_phrase": "도치야"})

    async def agent_of(_conversation: str) -> AgentId:
        return AgentId()

    work, recognizer = Work(), ToneRecognizer(list(TEXTS))
    threads = [ModelThread(name, work) for name in ("recognizer", "turn-end")]
    ears = Ears(
        voice=ToneActivity(),
        unprocessed_voice=ToneActivity(),
        recognizer=recognizer,
        recognizer_thread=threads[0],
        wake=None,
        turn_end=None,
        turn_end_thread=threads[1],
        echo=None,
    )
    calls = AgentCalls(workspaces, CurrentAgent(tmp_path / "current"), agent_of)
    conversation = FakeConversation(work=work, calls=calls, says=getattr(request, "param", ""))
    called: list[str] = []
    names = NameHearing(
        ears,
        LiveSettings(Settings(language="ko")),
        conversation,
        calls,
        lambda found, _frames, _count: called.append(found.phrase),
    )
    made = Idle(names, recognizer, work, conversation, called)
    yield made
    names.reset()
    await conversation.listening.close()
    ears.close()


HEARD = np.concatenate((quiet(1), tone(CALL), quiet(1)))
ALARM = np.resize(tone(OWN_WORDS, 1.0), len(HEARD))
OWN = np.concatenate((quiet(1), tone(OWN_NAME), quiet(1)))


@pytest.mark.parametrize("echo", [Echo.RECOGNISED, Echo.ABSENT])
async def test_a_name_is_heard_beside_soris_sound_once_the_echo_is_known(idle: Idle, echo: Echo) -> None:
    await idle.hears(HEARD, ALARM, echo)
    assert idle.called == ["도치야"]


async def test_a_name_that_is_called_while_other_words_are_read_is_heard_although_it_has_ended(idle: Idle) -> None:
    heard = np.concatenate((quiet(1), tone(OWN_WORDS), quiet(0.6), tone(CALL), quiet(1)))
    await idle.hears(heard, np.zeros_like(heard), None, waits=False)
    assert idle.called == []
    await idle.work.wait_until_idle()
    assert len(idle.recognizer.calls) == 2
    assert max(idle.recognizer.calls) <= 1.9 * 16_000
    assert idle.called == ["도치야"]


@pytest.mark.parametrize("echo", [Echo.EXPECTED, None])
async def test_while_the_echo_is_unknown_nothing_beside_soris_sound_is_transcribed(
    idle: Idle, echo: Echo | None
) -> None:
    await idle.hears(HEARD, ALARM, echo)
    assert not idle.recognizer.calls


async def test_what_leaks_through_the_canceller_is_not_transcribed(idle: Idle) -> None:
    await idle.hears(HEARD, ALARM, Echo.RECOGNISED, leaks=True)
    assert not idle.recognizer.calls


async def test_soris_own_name_for_an_agent_calls_nobody(idle: Idle) -> None:
    await idle.hears(HEARD, OWN, Echo.RECOGNISED)
    assert len(idle.recognizer.calls) == 2, "the heard sound and Sori's own"
    assert idle.called == []
    await idle.hears(HEARD, np.zeros_like(HEARD), Echo.RECOGNISED)
    assert idle.called == ["도치야"], "the next call is heard"


async def test_an_echo_that_comes_half_a_second_late_calls_nobody(idle: Idle) -> None:
    late = np.concatenate((tone(OWN_NAME), quiet(len(HEARD) / 16_000 - 0.7)))
    await idle.hears(HEARD[8_000:], late[: len(HEARD) - 8_000], Echo.RECOGNISED)
    assert idle.called == []


@pytest.mark.parametrize("idle", ["저는 도치 야 하고 부르면 돼요."], indirect=True)
async def test_a_sentence_with_the_name_calls_nobody_however_its_sound_is_read(idle: Idle) -> None:
    await idle.hears(HEARD, ALARM, Echo.RECOGNISED)
    assert idle.called == []


async def test_with_headphones_soris_own_sound_is_not_transcribed(idle: Idle) -> None:
    await idle.hears(HEARD, OWN, Echo.ABSENT)
    assert len(idle.recognizer.calls) == 1
    assert idle.called == ["도치야"]


OTHER_WORDS = np.concatenate((quiet(1), tone(OWN_WORDS), quiet(1)))


@pytest.mark.parametrize(
    ("heard", "fit", "called"),
    [(OTHER_WORDS, CERTAIN, True), (OTHER_WORDS, POSSIBLE, False), (HEARD, LEAST, True), (HEARD, LEAST - 1, False)],
)
async def test_a_name_is_heard_by_how_well_it_fits_the_sound(
    idle: Idle, heard: NDArray[np.int16], fit: float, called: bool
) -> None:
    recognizer = WeighingRecognizer(list(TEXTS))
    recognizer.fit = fit
    idle.names._ears.recognizer = recognizer
    await idle.hears(heard, np.zeros_like(heard), None)
    assert idle.called == (["도치야"] if called else [])


@pytest.mark.parametrize("same", [True, False])
async def test_the_enrolled_sound_decides_about_a_name_that_fits_less_well(
    idle: Idle, tmp_path: Path, same: bool
) -> None:
    sound = EnrolledSound(phrase="도치야", takes=(ENROLLED,), limit=0.1)
    workspaces_in(tmp_path).keep_wake_sound(AgentId(name="hedgehog"), packed(sound))
    describes = idle.weighs(POSSIBLE, same=same)
    await idle.hears(OTHER_WORDS, np.zeros_like(OTHER_WORDS), None)
    assert (idle.called, describes.calls) == (["도치야"] if same else [], 1)


@pytest.mark.parametrize(("silent", "called"), [(BY_CHANCE, True), (BY_CHANCE + 1, False)])
async def test_a_name_that_is_probable_with_silence_must_fit_the_sound_better(
    idle: Idle, silent: float, called: bool
) -> None:
    idle.weighs(CERTAIN, same=False, silent=silent)
    await idle.hears(OTHER_WORDS, np.zeros_like(OTHER_WORDS), None)
    assert idle.called == (["도치야"] if called else [])


@pytest.mark.parametrize(
    ("fit", "same", "called", "compared"),
    [(POSSIBLE, True, True, 1), (POSSIBLE, False, False, 1), (POSSIBLE - 0.1, True, False, 0)],
)
async def test_words_of_soris_own_voices_decide_about_a_name_that_fits_less_well(
    idle: Idle, tmp_path: Path, fit: float, same: bool, called: bool, compared: int
) -> None:
    keep_own_words(tmp_path)
    describes = idle.weighs(fit, same=same)
    await idle.hears(OTHER_WORDS, np.zeros_like(OTHER_WORDS), None)
    assert (idle.called, describes.calls) == (["도치야"] if called else [], compared)


@pytest.mark.parametrize(("same", "called"), [(True, True), (False, False)])
async def test_a_doubtful_transcript_calls_nobody_if_soris_own_words_are_far_from_the_sound(
    idle: Idle, tmp_path: Path, same: bool, called: bool
) -> None:
    keep_own_words(tmp_path)
    describes = idle.weighs(LEAST, same=same)
    await idle.hears(HEARD, np.zeros_like(HEARD), None)
    assert (idle.called, describes.calls) == (["도치야"] if called else [], 1)


@dataclass
class ScriptedEcho:
    """An echo canceller that leaves the sound as it is."""

    presence: Echo = Echo.RECOGNISED
    leaks: bool = False

    def process(self, heard: bytes, _played: bytes) -> bytes:
        return heard


@pytest.mark.parametrize(
    ("echo", "called"),
    [
        (ScriptedEcho(), True),
        (ScriptedEcho(leaks=True), False),
        (ScriptedEcho(presence=Echo.EXPECTED), False),
        (None, False),
    ],
)
async def test_the_listener_passes_on_what_the_canceller_knows(
    idle: Idle, echo: ScriptedEcho | None, called: bool
) -> None:
    ears = idle.names._ears
    ears.echo = echo  # type: ignore[assignment]
    listener = Listener(ears, LiveSettings(Settings()), idle.conversation)
    for start in range(0, len(HEARD), FRAME_SAMPLES):
        frame = Frame(index=start, pcm=HEARD[start : start + FRAME_SAMPLES].tobytes())
        listener.hear(HeardFrame(heard=frame, played=ALARM[start : start + FRAME_SAMPLES].tobytes()))
        await idle.work.wait_until_idle()
    assert idle.conversation.events == ([WakeWordHeard(name="도치야")] if called else [])
    listener.close()
