"""The listener with slow, late or broken models: a result is valid only for the sound that it was computed from."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.errors import EngineError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.settings import Settings, VoiceSettings
from assistant.speech.stt.recognizer import Transcript
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import CallLater, ModelThread
from assistant.voice.trace import Trace
from assistant.voice.work import Work
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import Scene, ToneActivity, ToneRecognizer, ToneWake

TURN = TurnId("1")
LIMIT_S = 30.0


@dataclass
class GatedRecognizer(ToneRecognizer):
    """Transcribes a scene, but returns each result only when released.

    Attributes:
        gate: one release returns one transcript.
        asked: set once a transcription was requested.
        abandoned: number of abandoned transcriptions.
    """

    abandoned: int = 0
    gate: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    asked: threading.Event = field(default_factory=threading.Event)

    def transcribe(
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
        grows: bool = False,
    ) -> Transcript:
        self.asked.set()
        assert self.gate.acquire(timeout=LIMIT_S)
        return super().transcribe(pcm, language=language, likely=likely, prefix=prefix, draft=draft)

    def abandon(self) -> None:
        self.abandoned += 1
        self.gate.release()


@dataclass
class WaveringRecognizer(ToneRecognizer):
    """Reads more words from more sound, and the first word otherwise each time unless it is settled."""

    def transcribe(self, pcm: NDArray[np.int16], **options: Any) -> Transcript:
        heard = super().transcribe(pcm, **options)
        settled = options["prefix"].split()
        words = ["하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟"][: max(1, pcm.size // 6_000)]
        if not options["draft"]:
            words[0] = "하나도"
        return replace(heard, text=" ".join([*settled, *words[len(settled) :]]))


@dataclass
class ExpectingRecognizer(ToneRecognizer):
    """Remembers which words it expected in each transcription."""

    words: tuple[str, ...] = ()
    expected: list[tuple[str, ...]] = field(default_factory=list)

    def expect(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def transcribe(self, pcm: NDArray[np.int16], **options: Any) -> Transcript:
        self.expected.append(self.words)
        return super().transcribe(pcm, **options)


class ScriptedTurnEnd:
    """Returns the same probability for every pause, or fails."""

    def __init__(self, answer: float | EngineError) -> None:
        self._answer = answer

    def probability(self, pcm: NDArray[np.int16]) -> float:
        if isinstance(self._answer, EngineError):
            raise self._answer
        return self._answer

    def close(self) -> None:
        """Do nothing; there is nothing to free."""


@dataclass
class Room:
    """A listener, its reports, and a scene for it to hear."""

    listener: Listener
    recognizer: ToneRecognizer
    work: Work
    conversation: FakeConversation
    events: list[ev.Event]
    trace: list[dict[str, Any]]
    pcm: NDArray[np.int16]
    at: int = 0

    def listen(self, turn: TurnId = TURN, *, keep_onset: bool = False, question: str = "") -> None:
        """Listen for an utterance of this turn, or for the answer to a question."""
        snapshot = Snapshot(
            interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=turn, question=question
        )
        self.listener.follow(snapshot)
        self.listener.begin(turn, keep_onset=keep_onset)

    def think(self) -> None:
        """Enter the state in which Sori thinks and the user may speak over it."""
        snapshot = Snapshot(
            interaction=InteractionState.PROCESSING,
            session=SessionState.ACTIVE,
            processing=ProcessingState.STREAMING,
            turn=TURN,
        )
        self.listener.follow(snapshot)

    async def hear(self, seconds: float) -> None:
        """Deliver sound, whatever the state of the models."""
        for _ in range(round(seconds * 100)):
            pcm = self.pcm[self.at : self.at + FRAME_SAMPLES].tobytes()
            frame = Frame(index=self.at, pcm=pcm.ljust(FRAME_BYTES, b"\0"))
            self.listener.hear(HeardFrame(heard=frame, played=bytes(FRAME_BYTES)))
            self.at += FRAME_SAMPLES
            await asyncio.sleep(0)

    async def until_idle(self) -> None:
        async with asyncio.timeout(LIMIT_S):
            await self.work.wait_until_idle()

    def capturing(self) -> bool:
        return self.listener.capturing

    def transcripts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, ev.UtteranceTranscribed)]

    def names(self) -> list[str]:
        return [event["event"] for event in self.trace]


@asynccontextmanager
async def room(
    scene: Scene,
    *,
    gated: bool = False,
    turn_end: ScriptedTurnEnd | None = None,
    wake: bool = True,
    language: Literal["auto", "ko", "en"] = "ko",
    set_alarm: CallLater | None = None,
    wavers: bool = False,
    expecting: tuple[str, ...] | None = None,
) -> AsyncIterator[Room]:
    work = Work()
    conversation = FakeConversation(
        likely_words=expecting or (), trace=Trace(lambda: it.at / SAMPLE_RATE, lambda entry: trace.append(entry))
    )
    kind = GatedRecognizer if gated else WaveringRecognizer if wavers else ToneRecognizer
    recognizer = ExpectingRecognizer(scene.texts) if expecting is not None else kind(scene.texts)
    threads = [ModelThread(name, work, set_alarm=set_alarm) for name in ("recognizer", "turn-end")]
    trace: list[dict[str, Any]] = []
    ears = Ears(
        voice=ToneActivity(),
        unprocessed_voice=ToneActivity(),
        recognizer=recognizer,
        recognizer_thread=threads[0],
        wake=ToneWake() if wake else None,
        turn_end=turn_end,
        turn_end_thread=threads[1],
        echo=None,
    )
    listener = Listener(
        ears,
        LiveSettings(Settings(language="en", voice=VoiceSettings(preroll_ms=100, language=language))),
        conversation,
    )

    def renew() -> None:
        ears.recognizer = ToneRecognizer(scene.texts)

    threads[0].renew_with(renew, lambda _: None)
    it = Room(listener, recognizer, work, conversation, conversation.events, trace, scene.pcm)
    try:
        yield it
    finally:
        listener.close()
        if isinstance(recognizer, GatedRecognizer):
            recognizer.gate.release(100)
        await it.until_idle()
        ears.close()


async def test_a_transcript_of_half_a_sentence_that_comes_late_is_dropped() -> None:
    scene = Scene().says("거실에 있는", 0.6).silence(2).says("불을 꺼 줘", 0.6).silence(3)
    async with room(scene, gated=True) as it:
        assert isinstance(it.recognizer, GatedRecognizer)
        it.listen()
        await it.hear(2.6)
        assert await asyncio.to_thread(it.recognizer.asked.wait, LIMIT_S)
        assert "speech_ended" in it.names()
        await it.hear(0.3)
        it.recognizer.gate.release()
        await it.until_idle()
        assert it.transcripts() == []
        await it.hear(3.3)
        it.recognizer.gate.release(10)
        await it.until_idle()
        await it.hear(1)
        assert it.transcripts() == ["거실에 있는 불을 꺼 줘"]


async def test_the_transcription_of_a_pause_is_abandoned_once_the_speaker_goes_on() -> None:
    scene = Scene().says("거실에 있는", 0.6).silence(0.4).says("불을 꺼 줘", 0.6).silence(3)
    async with room(scene, gated=True) as it:
        assert isinstance(it.recognizer, GatedRecognizer)
        it.listen()
        await it.hear(0.9)
        assert await asyncio.to_thread(it.recognizer.asked.wait, LIMIT_S)
        assert it.recognizer.abandoned == 0
        await it.hear(0.3)
        assert it.recognizer.abandoned == 1
        await it.hear(3.4)
        it.recognizer.gate.release(10)
        await it.until_idle()
        await it.hear(1)
        assert it.recognizer.abandoned == 1
        assert it.transcripts() == ["거실에 있는 불을 꺼 줘"]


async def test_the_transcription_of_a_dropped_utterance_is_abandoned() -> None:
    async with room(Scene().says("그만", 0.6).silence(1), gated=True) as it:
        assert isinstance(it.recognizer, GatedRecognizer)
        it.listen()
        await it.hear(0.9)
        assert await asyncio.to_thread(it.recognizer.asked.wait, LIMIT_S)
        it.listener.end()
        assert it.recognizer.abandoned == 1


async def test_a_recogniser_busy_with_a_partial_reads_the_whole_afterwards() -> None:
    scene = Scene().says("오늘 날씨가", 1.2).says("어떤지 알려 줘", 0.6).silence(4)
    async with room(scene, gated=True) as it:
        assert isinstance(it.recognizer, GatedRecognizer)
        it.listen()
        await it.hear(4)
        assert it.transcripts() == []
        it.recognizer.gate.release(10)
        await it.until_idle()
        assert len(it.recognizer.calls) == 2
        assert it.recognizer.calls[0] < 1.3 * SAMPLE_RATE
        assert it.transcripts() == ["오늘 날씨가 어떤지 알려 줘"]
        assert it.recognizer.calls[-1] >= 1.8 * SAMPLE_RATE


async def test_a_transcript_that_comes_after_listening_has_ended_is_dropped() -> None:
    async with room(Scene().says("그만 들어도 돼").silence(3), gated=True) as it:
        assert isinstance(it.recognizer, GatedRecognizer)
        it.listen()
        await it.hear(3)
        assert it.capturing()
        it.listener.end()
        it.recognizer.gate.release(10)
        await it.until_idle()
        assert not it.capturing()
        assert it.transcripts() == []
        assert it.conversation.partials == []


async def test_after_a_recogniser_that_hangs_the_next_words_are_heard_by_another_one() -> None:
    due: list[Callable[[], None]] = []

    def set_alarm(_seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        due.append(call)
        return asyncio.get_running_loop().call_later(LIMIT_S, call)

    scene = Scene().says("불 꺼 줘", 0.6).silence(3).says("불 켜 줘", 0.6).silence(3)
    async with room(scene, gated=True, set_alarm=set_alarm) as it:
        assert isinstance(it.recognizer, GatedRecognizer)
        it.listen()
        await it.hear(3.5)
        assert await asyncio.to_thread(it.recognizer.asked.wait, LIMIT_S)
        due[-1]()
        await it.until_idle()
        assert it.events[-1] == ev.UtteranceRejected(turn=TURN, was_speech=True)
        it.listen()
        await it.hear(3.5)
        await it.until_idle()
        assert it.transcripts() == ["불 켜 줘"]


async def test_a_partial_that_fails_does_no_harm() -> None:
    async with room(Scene().says("오늘 날씨가 어떤지 알려 줘", 1.5).silence(3)) as it:
        it.recognizer.failures = [EngineError("tone", "once")]
        it.listen()
        for _ in range(45):
            await it.hear(0.1)
            await it.until_idle()
        assert it.transcripts() == ["오늘 날씨가 어떤지 알려 줘"]
        assert not [event for event in it.events if isinstance(event, ev.UtteranceRejected)]


async def test_a_last_transcript_that_fails_is_speech_that_was_not_understood() -> None:
    async with room(Scene().says("오늘 날씨", 0.6).silence(4)) as it:
        it.recognizer.failures = [EngineError("tone", "always")] * 20
        it.listen()
        for _ in range(46):
            await it.hear(0.1)
            await it.until_idle()
        assert it.events[-1] == ev.UtteranceRejected(turn=TURN, was_speech=True)
        assert not it.capturing()


@pytest.mark.parametrize("answer", [0.98, EngineError("tone", "broken")])
async def test_the_end_of_turn_model_hastens_the_end_and_is_not_needed(answer: float | EngineError) -> None:
    async def ended_at(turn_end: ScriptedTurnEnd | None) -> float:
        async with room(Scene().says("내일은 아마도", 0.8).silence(4), turn_end=turn_end) as it:
            it.listen()
            for _ in range(480):
                await it.hear(0.01)
                await it.until_idle()
            assert it.transcripts() == ["내일은 아마도"]
            return next(float(event["t"]) for event in it.trace if event["event"] == "speech_ended")

    alone, advised = await ended_at(None), await ended_at(ScriptedTurnEnd(answer))
    assert advised < alone if isinstance(answer, float) else advised == alone


async def test_the_first_syllable_of_a_barge_in_is_kept() -> None:
    async with room(Scene().silence(1).says("잠깐만 기다려 봐", 1).silence(3)) as it:
        it.think()
        while not any(isinstance(event, ev.OverlapConfirmed) for event in it.events):
            await it.hear(0.01)
        it.listen(TurnId("2"), keep_onset=True)
        for _ in range(40):
            await it.hear(0.1)
            await it.until_idle()
        assert it.transcripts() == ["잠깐만 기다려 봐"]
        assert it.recognizer.calls[-1] >= 1.0 * SAMPLE_RATE
        assert [type(event) for event in it.events[:3]] == [
            ev.OverlapSuspected,
            ev.OverlapHeard,
            ev.OverlapConfirmed,
        ]


@pytest.mark.parametrize(("said", "wanted"), [("Hey Jarvis 몇 시야", "몇 시야"), ("Hey Jarvis.", "")])
async def test_the_wake_word_over_an_answer_ends_it_and_is_no_part_of_the_request(said: str, wanted: str) -> None:
    async with room(Scene().silence(1).says(said, 0.7).silence(4)) as it:
        it.think()
        while not any(isinstance(event, ev.OverlapConfirmed) for event in it.events):
            await it.hear(0.01)
            await it.until_idle()
        it.listen(TurnId("2"), keep_onset=True)
        for _ in range(35):
            await it.hear(0.1)
            await it.until_idle()
        assert it.transcripts() == ([wanted] if wanted else [])
        if not wanted:
            assert it.events[-1] == ev.UtteranceRejected(turn=TurnId("2"), was_speech=False)


@pytest.mark.parametrize(("seconds", "was_speech"), [(0.15, False), (0.8, True)])
async def test_noise_is_told_from_a_mumble(seconds: float, was_speech: bool) -> None:
    async with room(Scene().silence(0.2).noise(seconds).silence(4)) as it:
        it.listen()
        for _ in range(50):
            await it.hear(0.1)
            await it.until_idle()
        assert it.events[-1] == ev.UtteranceRejected(turn=TURN, was_speech=was_speech)
        assert "speech_rejected" in it.names()


async def test_the_wake_word_counts_only_while_nobody_is_being_listened_to() -> None:
    async with room(Scene().wake_word().silence(0.5).wake_word().silence(0.5)) as it:
        await it.hear(1)
        assert it.events == [ev.WakeWordHeard(name="hey_jarvis")]
        it.think()
        await it.hear(1)
        assert [event for event in it.events if isinstance(event, ev.WakeWordHeard)] == it.events[:1]


async def test_without_a_wake_word_model_nothing_wakes_it() -> None:
    async with room(Scene().wake_word().silence(1), wake=False) as it:
        await it.hear(1.5)
        assert it.events == []


async def test_the_level_is_told_twenty_times_a_second() -> None:
    async with room(Scene().silence(0.5).wake_word()) as it:
        await it.hear(1)
        assert len(it.conversation.levels) == 20
        assert it.conversation.levels[0] == -96.0
        assert it.conversation.levels[-1] > -3


async def test_speech_that_began_just_before_an_answer_ended_keeps_its_first_syllable() -> None:
    async with room(Scene().silence(0.5).says("그래 고마워", 0.6).silence(2)) as it:
        it.think()
        await it.hear(0.6)
        assert it.events == [ev.OverlapSuspected(turn=TURN)]
        it.listen(TurnId("2"))
        await it.hear(2)
        await it.until_idle()
        await it.hear(0.4)
        assert it.transcripts() == ["그래 고마워"]
        since_the_answer_s, pause_s, noticing_s, preroll_s = 0.5, 0.06, 0.06, 0.1
        heard_s = it.recognizer.calls[0] / SAMPLE_RATE
        assert heard_s == pytest.approx(since_the_answer_s + pause_s + preroll_s - noticing_s, abs=0.015)


async def test_speech_over_an_answer_is_traced_from_its_beginning() -> None:
    async with room(Scene().silence(0.2).says("잠깐만 있어 봐", 0.8).silence(2)) as it:
        it.think()
        await it.hear(0.6)
        it.listen(TurnId("2"), keep_onset=True)
        await it.hear(2)
        await it.until_idle()
        await it.hear(0.4)
        assert it.names()[:2] == ["overlap", "speech_started"]
        assert it.transcripts() == ["잠깐만 있어 봐"]


async def test_the_language_that_the_user_last_spoke_is_the_likely_one() -> None:
    scene = Scene().says("오늘 날씨가 어때", 0.8).silence(3).says("그만", 0.4).silence(3)
    async with room(scene, language="auto") as it:
        it.listen()
        for _ in range(35):
            await it.hear(0.1)
            await it.until_idle()
        assert set(it.recognizer.likely) == {"en"}
        it.recognizer.likely.clear()
        it.listen(TurnId("2"))
        for _ in range(35):
            await it.hear(0.1)
            await it.until_idle()
        assert it.transcripts() == ["오늘 날씨가 어때", "그만"]
        assert set(it.recognizer.likely) == {"ko"}


async def test_words_that_were_shown_as_settled_are_in_the_final_transcript() -> None:
    async with room(Scene().says("하나", 3).silence(2.5), wavers=True) as it:
        it.listen()
        for _ in range(50):
            await it.hear(0.1)
            await it.until_idle()
        shown = [each["text"][: each["stable"]] for each in it.trace if each["event"] == "partial"]
        assert shown[-1].startswith("하나 둘 셋")
        (final,) = it.transcripts()
        assert final.startswith(shown[-1])


async def test_it_is_attentive_from_a_voice_on_until_no_wake_word_can_be_in_it_any_more() -> None:
    attentive = []
    async with room(Scene().silence(3).says("음", 0.5).silence(3), wake=False) as it:
        for _ in range(13):
            await it.hear(0.5)
            attentive.append(it.listener.attentive)
        it.listen()
        listening = it.listener.attentive

    assert attentive == [*2 * [True], *4 * [False], *3 * [True], *4 * [False]]
    assert listening


async def test_no_words_are_expected_in_a_reply_that_may_approve_a_tool() -> None:
    async with room(Scene().says("아니", 0.8).silence(3), expecting=("아니면 응",)) as it:
        recognizer = it.recognizer
        assert isinstance(recognizer, ExpectingRecognizer)
        it.listen(question="1")
        for _ in range(35):
            await it.hear(0.1)
            await it.until_idle()
        assert it.transcripts() == ["아니"]
        assert set(recognizer.expected) == {()}


async def test_the_recogniser_expects_the_words_that_are_likely_in_each_turn() -> None:
    scene = Scene().says("도치야", 0.8).silence(3).says("서재 불 꺼", 0.8).silence(3)
    async with room(scene, expecting=()) as it:
        recognizer = it.recognizer
        assert isinstance(recognizer, ExpectingRecognizer)
        for turn, likely in (("1", ("도치",)), ("2", ("서재", "도치"))):
            it.conversation.likely_words = likely
            it.listen(TurnId(turn))
            for _ in range(35):
                await it.hear(0.1)
                await it.until_idle()
            assert recognizer.expected
            assert set(recognizer.expected) == {likely}
            recognizer.expected.clear()
