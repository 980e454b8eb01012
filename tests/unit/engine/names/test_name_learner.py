"""Names that Sori enrols with its own voices: a scripted recogniser, and voices that play a recording of a person."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.agent.workspaces.directory import Workspaces
from assistant.audio.cards.recordings import read_recording
from assistant.chat.agents.enrolments import own_words_in
from assistant.core import updates as up
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import EngineError
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.engine.names.called_names import called_name
from assistant.engine.names.name_learner import LOOK_S, MOST_FAILURES, START_S, NameLearner
from assistant.engine.names.own_voices import OwnVoices
from assistant.engine.session_wiring import VoiceThreads
from assistant.speech.stt.recognizer import Recognizer, Transcript, Weighed
from assistant.speech.tts.every_voice import EveryVoice
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice
from assistant.speech.wake.likeness import Steps, normalised
from assistant.speech.wake.own_words import OwnWords
from assistant.voice.ears import Ears
from assistant.voice.waking.own_takes import SPEEDS
from assistant.voice.work import Work
from assistant.weights.manifest import load_manifest
from assistant.weights.store import ModelStore
from tests.fakes.clock import FakeClock

DOCHI, JINNY, FELIX = AgentId(name="dochi"), AgentId(name="jinny"), AgentId(name="felix")
SPOKEN = read_recording(Path(__file__).parents[3] / "data" / "speech" / "alexa" / "1.flac")


class StagedRecognizer(Recognizer):
    """Hears "또치야" in every word; the phrase fits."""

    can_weigh = True

    def __init__(self) -> None:
        self.text = "또치야"
        self.refuses = ""

    def transcribe(self, *_: Any, **__: Any) -> Transcript:
        raise AssertionError("a recogniser that can weigh is asked to weigh")

    def weigh(self, pcm: NDArray[np.int16], phrases: Any, *, language: str, least: float) -> Weighed:
        if self.refuses in phrases:
            raise EngineError("whisper", "broken")
        transcript = Transcript(text=self.text, language=language, samples=pcm.size)
        return Weighed(transcript=transcript, fits=dict.fromkeys(phrases, -1.0))

    def close(self) -> None:
        return


class Sounds:
    """Describes every word alike."""

    def word(self, _: Any) -> Steps:
        return normalised(np.ones((4, 96), np.float32))

    whole = word


class Stand:
    """A home with a voice engine, and the job."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, FakeClock()
        self.workspaces = Workspaces(folder / "workspaces", self.clock, lambda: 2_000)
        self.workspaces.add_agent(DOCHI, {"wake_phrase": "도치야"})
        self.settings = Settings(language="ko")
        self.store = ModelStore(folder / "models", record=lambda *_: None, manifest=load_manifest())
        self.said: list[tuple[str, str, float]] = []
        self.broken: set[str] = set()
        self.voices = [NamedVoice(name="one", language="ko"), NamedVoice(name="two", language="ko")]
        self.recognizer = StagedRecognizer()
        self.threads = VoiceThreads(Work())
        parts: Any = dict.fromkeys(("voice", "unprocessed_voice", "wake", "echo", "turn_end"))
        self.threads.ears = Ears(
            recognizer=self.recognizer,
            recognizer_thread=self.threads.recognizer,
            turn_end_thread=self.threads.turn_end,
            word_sound=Sounds(),  # type: ignore[arg-type]
            **parts,
        )
        self.attentive, self.learnt = False, 0
        self.updates: list[up.Update] = []
        self.task: asyncio.Task[None] | None = None
        for path in self.store.files(self.store.manifest["kokoro-82m"]):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def own(self) -> OwnVoices:
        engine = SynthesizerEngine(
            id="play",
            languages=frozenset({"ko", "en"}),
            models=("kokoro-82m",),
            neural=True,
            voices=tuple(self.voices[:1]),
            further_voices=tuple(self.voices[1:]),
            create=lambda _path_of, _threads: Player(self),
        )
        return OwnVoices(self.store, self.settings, [engine])

    def start(self) -> None:
        def learnt() -> None:
            self.learnt += 1

        learner = NameLearner(
            self.workspaces,
            self,
            self.threads,
            own=self.own,
            voices=lambda own: EveryVoice(own.engines, lambda name: self.folder / name),
            clock=self.clock,
            on_learnt=learnt,
            publish=self.updates.append,
        )
        self.task = asyncio.create_task(learner.run())

    async def pass_s(self, seconds: float) -> None:
        """Let the job go on for a time of its clock."""
        until = self.clock.monotonic() + seconds
        while self.clock.monotonic() < until:
            await self.clock.until_sleeping()
            self.clock.advance(min(self.clock.next_s, until - self.clock.monotonic()))
        await self.clock.until_sleeping()

    async def learn(self) -> None:
        """Start the job, and let it learn what there is."""
        self.start()
        await self.pass_s(START_S + LOOK_S)

    async def end(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)

    @property
    def words(self) -> OwnWords | None:
        return own_words_in(self.workspaces.own_words(DOCHI))

    @property
    def files(self) -> set[str]:
        return {each.name for each in (self.folder / "workspaces").rglob("*") if each.is_file()}


class Player:
    """A synthesiser that plays a recording."""

    sample_rate = SAMPLE_RATE

    def __init__(self, stand: Stand) -> None:
        self._stand = stand

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        if voice.name in self._stand.broken:
            raise EngineError("play", "broken")
        self._stand.said.append((text, voice.name, voice.speed))
        yield SPOKEN

    def close(self) -> None:
        return


@pytest.fixture
async def stand(tmp_path: Path) -> AsyncIterator[Stand]:
    made = Stand(tmp_path)
    yield made
    await made.end()
    made.threads.close()


async def test_a_name_is_learnt_once_from_every_voice(stand: Stand) -> None:
    await stand.learn()
    assert stand.said == [("도치야.", voice, speed) for voice in ("one", "two") for speed in SPEEDS]
    assert stand.words is not None
    assert (stand.words.phrase, len(stand.words.takes), stand.words.heard) == ("도치야", 6, ("또치야",))
    assert stand.words.made_from == stand.own().made_from("ko")
    assert stand.learnt == 1
    await stand.pass_s(3 * LOOK_S)
    assert len(stand.said) == 6
    await stand.end()
    await stand.learn()
    assert len(stand.said) == 6, "the next start finds it"


async def test_another_voice_lets_it_be_made_anew(stand: Stand) -> None:
    await stand.learn()
    stand.voices.append(NamedVoice(name="three", language="ko"))
    stand.voices.append(NamedVoice(name="four", language="en"))
    await stand.pass_s(2 * LOOK_S)
    assert len(stand.said) == 6 + 9
    assert stand.words is not None
    assert len(stand.words.takes) == 9


async def test_another_name_is_learnt_in_place_of_the_former(stand: Stand) -> None:
    await stand.learn()
    stand.workspaces.edit_agent(DOCHI, {"wake_phrase": "고슴아"})
    assert "own_words.npz" not in stand.files
    await stand.pass_s(2 * LOOK_S)
    assert stand.words is not None
    assert stand.words.phrase == "고슴아"


async def test_an_empty_name_in_the_file_forgets_the_words(stand: Stand) -> None:
    await stand.learn()
    path = stand.workspaces.agent(DOCHI).folder / "agent.toml"
    path.write_text('wake_phrase = ""\n', encoding="utf-8")
    assert "own_words.npz" in stand.files
    await stand.pass_s(2 * LOOK_S)
    assert "own_words.npz" not in stand.files


async def test_an_agent_that_is_removed_meanwhile_stays_removed(stand: Stand) -> None:
    stand.start()
    while not stand.said:
        await stand.pass_s(1)
    place = stand.workspaces.remove_agent(DOCHI)
    await stand.pass_s(2 * LOOK_S)
    assert "own_words.npz" not in stand.files
    assert place.exists()
    assert [each.id for each in stand.workspaces.agents("default")] == [AgentId()]


async def test_a_name_that_changes_meanwhile_gets_its_own_words(stand: Stand) -> None:
    stand.start()
    while not stand.said:
        await stand.pass_s(1)
    stand.workspaces.edit_agent(DOCHI, {"wake_phrase": "고슴아"})
    await stand.pass_s(3 * LOOK_S)
    assert stand.words is not None
    assert stand.words.phrase == "고슴아"


async def test_a_damaged_file_is_made_anew_and_logged(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    stand.workspaces.keep_own_words(DOCHI, b"PK\x03\x04 of another program")
    with caplog.at_level(logging.WARNING):
        await stand.learn()
    assert stand.words is not None
    assert "'도치야' cannot be read" in caplog.text


async def test_an_end_in_the_middle_leaves_nothing(stand: Stand) -> None:
    stand.start()
    while len(stand.said) < 5:
        await stand.pass_s(0.5)
    before = stand.files
    await stand.end()
    assert stand.files == before == {"agent.toml"}


async def test_while_somebody_speaks_nothing_is_said(stand: Stand) -> None:
    stand.attentive = True
    await stand.learn()
    assert not stand.said
    stand.attentive = False
    await stand.pass_s(2.5)
    assert len(stand.said) == 1
    stand.attentive = True
    await stand.pass_s(LOOK_S)
    assert len(stand.said) == 1
    stand.attentive = False
    await stand.pass_s(LOOK_S)
    assert stand.words is not None


async def test_without_a_microphone_nothing_is_said(stand: Stand) -> None:
    ears, stand.threads.ears = stand.threads.ears, None
    await stand.learn()
    assert not stand.said
    stand.threads.ears = ears
    await stand.pass_s(2 * LOOK_S)
    assert stand.words is not None


async def test_a_full_disk_is_reported_once(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("assistant.storage.atomic.os.fsync", full)
    await stand.learn()
    await stand.pass_s(3 * LOOK_S)
    notices = [each for each in stand.updates if isinstance(each, up.NoticePosted)]
    assert [each.key for each in notices] == ["notice.name_not_kept"]
    assert len(stand.said) == 6
    assert stand.files == {"agent.toml"}


async def test_without_voices_the_name_stays_as_it_is(stand: Stand, caplog: pytest.LogCaptureFixture) -> None:
    for path in stand.store.files(stand.store.manifest["kokoro-82m"]):
        path.unlink()
    with caplog.at_level(logging.WARNING):
        await stand.learn()
        await stand.pass_s(3 * LOOK_S)
    assert caplog.text.count("no voice speaks ko") == 1
    assert stand.words is None


async def test_a_voice_that_fails_is_left_out(stand: Stand) -> None:
    stand.broken.add("one")
    await stand.learn()
    assert stand.words is not None
    assert len(stand.words.takes) == 3
    await stand.pass_s(2 * LOOK_S)
    assert len(stand.said) == 3, "it is not tried again for the same weights"


async def test_a_name_that_the_recogniser_fails_on_is_given_up_and_keeps_no_other_one_waiting(stand: Stand) -> None:
    stand.recognizer.refuses = "도치야"
    stand.workspaces.add_agent(JINNY, {"wake_phrase": "지니야"})
    await stand.learn()
    assert own_words_in(stand.workspaces.own_words(JINNY)) is not None
    await stand.pass_s(10 * LOOK_S)
    assert stand.words is None
    assert [text for text, _, _ in stand.said].count("도치야.") == MOST_FAILURES


async def test_what_the_user_has_taught_stays(stand: Stand) -> None:
    stand.workspaces.edit_agent(DOCHI, {"wake_spellings": ("벌치야",)})
    stand.workspaces.keep_wake_sound(DOCHI, b"the user's")
    await stand.learn()
    agent = stand.workspaces.agent(DOCHI)
    assert stand.words is not None
    assert (agent.file.wake_spellings, stand.workspaces.wake_sound(DOCHI)) == (("벌치야",), b"the user's")


async def test_names_of_the_language_that_is_not_read_are_left_out(stand: Stand) -> None:
    stand.voices.append(NamedVoice(name="joe", language="en"))
    stand.workspaces.add_agent(FELIX, {"wake_phrase": "Felix"})
    await stand.learn()
    assert {text for text, _, _ in stand.said} == {"도치야."}
    stand.workspaces.edit_agent(DOCHI, {"wake_phrase": ""})
    stand.settings = Settings(language="en")
    await stand.pass_s(2 * LOOK_S)
    assert {(text, voice) for text, voice, _ in stand.said[6:]} == {("Felix.", "joe")}


async def test_a_name_that_is_heard_as_another_one_is_told(stand: Stand) -> None:
    stand.recognizer.text = "박치야"
    stand.workspaces.add_agent(JINNY, {"wake_phrase": "박치"})
    await stand.learn()
    agents = stand.workspaces.agents("default")
    shown = {each.phrase: each for each in (called_name(stand.workspaces, agent, agents) for agent in agents)}
    assert (shown[""].learnt, shown["도치야"].learnt) == (False, True)
    assert (shown["도치야"].alike, shown["박치"].alike) == (("박치",), ())
    notices = [(each.key, each.values) for each in stand.updates if isinstance(each, up.NoticePosted)]
    assert notices == [("notice.name_alike", {"phrase": "도치야", "names": "박치"})]
