"""The speaker ends every sentence, whatever fails."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.playback import Playback
from assistant.core.errors import EngineError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import TurnId
from assistant.core.settings import Settings, VoiceSettings
from assistant.speech.tts.synthesizer import Voice, Voices
from assistant.voice.speaker import AnswerSpeaker
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.work import Work
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import SPEECH_RATE, ToneSynthesizers

TURN, NEXT = TurnId("1"), TurnId("2")
LONGEST_FRAMES = 3_000


class BreakingVoices(Voices):
    """Yields half a second for each text that requests it, and then fails."""

    def __init__(self) -> None:
        self._whole = ToneSynthesizers()

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        if "break" not in text:
            yield from self._whole.synthesize(text, voice)
            return
        yield np.full(SPEECH_RATE // 2, 8_000, np.int16), SPEECH_RATE
        raise EngineError("tone", "broken in the middle")


class GrowingVoices(Voices):
    """Yields two seconds of a sentence, and the rest when it is told to go on."""

    def __init__(self) -> None:
        self.begun, self.goes_on = threading.Event(), threading.Event()

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        yield np.full(2 * SPEECH_RATE, 8_000, np.int16), SPEECH_RATE
        self.begun.set()
        self.goes_on.wait()
        yield np.full(2 * SPEECH_RATE, 8_000, np.int16), SPEECH_RATE


class ForeignVoices(Voices):
    """Raises an exception that no engine should raise."""

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        raise ZeroDivisionError("not an engine's error")


class LatePlayback(Playback):
    """Is stopped at the instant when the first sound of a sentence is enqueued."""

    def __init__(self) -> None:
        super().__init__()
        self.before_sound: Callable[[], None] = lambda: None

    def enqueue(self, segment: int, pcm: NDArray[np.int16], rate: int, *, last: bool = False) -> None:
        self.before_sound()
        super().enqueue(segment, pcm, rate, last=last)


@dataclass
class Stage:
    """A speaker and its reports."""

    playback: Playback
    work: Work
    speaker: AnswerSpeaker
    events: list[ev.Event]
    unavailable: list[SoriError]
    played: list[NDArray[np.int16]] = field(default_factory=list)

    async def frame(self) -> None:
        """Advance audio time by ten milliseconds."""
        await self.work.wait_until_idle()
        self.played.append(self.playback.pull().out)
        self.speaker.poll()

    async def until_silent(self, turn: TurnId) -> None:
        """Play until all speech of the turn has ended."""
        await asyncio.sleep(0)
        for _ in range(LONGEST_FRAMES):
            await self.frame()
            if ev.SpeechFinished(turn=turn) in self.events:
                return
        raise AssertionError("it never finished")


@asynccontextmanager
async def stage(voices: Voices, playback: Playback | None = None) -> AsyncIterator[Stage]:
    """A speaker with these voices."""
    work, conversation = Work(), FakeConversation()
    playback = playback or Playback()
    speaker = AnswerSpeaker(
        playback,
        voices,
        ModelThread("synthesizer", work),
        LiveSettings(Settings(language="en", voice=VoiceSettings())),
        conversation,
    )
    try:
        yield Stage(playback, work, speaker, conversation.events, conversation.unsaid)
    finally:
        speaker.close()


async def test_a_voice_that_fails_within_a_sentence_does_not_hold_up_the_next() -> None:
    voices = BreakingVoices()
    async with stage(voices) as it:
        it.speaker.say(TURN, "Let us break here. And go on there.")
        await it.until_silent(TURN)
    assert it.playback.heard_s(1) == pytest.approx(0.5, abs=0.01)
    assert it.playback.heard_s(2) > 0.5
    assert [error.detail for error in it.unavailable] == ["tone: broken in the middle"]


async def test_an_error_that_no_engine_should_raise_ends_the_speech_as_well() -> None:
    async with stage(ForeignVoices()) as it:
        it.speaker.say(TURN, "One thing. Another thing.")
        await it.until_silent(TURN)
    assert len(it.unavailable) == 1
    assert "not an engine's error" in it.unavailable[0].detail


async def test_the_error_of_a_turn_that_is_asking_is_said_in_place_of_the_question() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        it.speaker.say(TURN, "May the diary be read?")
        await asyncio.sleep(0)
        for _ in range(20):
            await it.frame()
        assert it.playback.audible
        it.speaker.say(TURN, "The disk is full.")
        await it.until_silent(TURN)
    assert voices.said == ["May the diary be read?", "The disk is full."]
    assert it.events == [ev.FirstAudioReady(turn=TURN), ev.SpeechFinished(turn=TURN)]


async def test_speech_that_is_stopped_as_it_begins_is_not_reported_afterwards() -> None:
    async with stage(ToneSynthesizers()) as it:
        it.speaker.say(TURN, "May the diary be read?")
        await asyncio.sleep(0)
        await it.work.wait_until_idle()
        it.playback.pull()
        assert it.playback.audible
        it.speaker.stop()
        it.speaker.begin(TURN)
        assert not it.speaker.finish(TURN)
    assert it.events == []


async def test_code_that_nobody_says_is_part_of_what_was_heard_up_to_a_later_sentence() -> None:
    code = "```\nprint(1)\n```"
    async with stage(ToneSynthesizers()) as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, f"This is the code.\n\n{code}\n\nNow you can run it. ")
        it.speaker.feed(TURN, "After that you can read what it has printed.")
        assert it.speaker.finish(TURN)
        await asyncio.sleep(0)
        while "run it" not in it.speaker.saying:
            await it.frame()
            assert len(it.played) < LONGEST_FRAMES
        await _pass(it, 200)
        heard = it.speaker.stop()
    assert heard.startswith(f"This is the code. {code} Now")
    assert "printed" not in heard


async def test_an_answer_is_at_full_level_though_the_one_before_ended_lowered() -> None:
    async with stage(ToneSynthesizers()) as it:
        it.speaker.say(TURN, "The first answer.")
        await asyncio.sleep(0)
        await it.frame()
        it.speaker.duck()
        await it.until_silent(TURN)
        lowered = int(np.abs(it.played[-2]).max())
        it.played.clear()
        it.speaker.say(NEXT, "The second answer.")
        await it.until_silent(NEXT)
    loudest = max(int(np.abs(block).max()) for block in it.played)
    assert 0 < lowered < 3_000
    assert loudest > 7_000


async def test_a_sentence_that_is_ready_just_as_it_is_stopped_is_not_heard_and_blocks_nothing() -> None:
    playback = LatePlayback()
    loop = asyncio.get_running_loop()
    async with stage(ToneSynthesizers(), playback) as it:

        def stop() -> None:
            playback.before_sound = lambda: None
            asyncio.run_coroutine_threadsafe(_call(it.speaker.stop), loop).result(5)

        playback.before_sound = stop
        it.speaker.say(TURN, "This is not heard.")
        await asyncio.sleep(0)
        for _ in range(20):
            await it.frame()
        stray = np.concatenate(it.played)
        it.speaker.say(NEXT, "But this is.")
        await it.until_silent(NEXT)
    assert not stray.any()


async def _call(stop: Callable[[], str]) -> None:
    stop()


async def test_what_was_said_before_a_pause_is_heard_although_its_sentence_may_go_on() -> None:
    async with stage(ToneSynthesizers()) as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "Just a moment. ")
        it.speaker.flush(TURN)
        await asyncio.sleep(0)
        for _ in range(20):
            await it.frame()
        assert ev.FirstAudioReady(turn=TURN) in it.events
        it.speaker.feed(TURN, "It is sunny.")
        assert it.speaker.finish(TURN)
        await it.until_silent(TURN)


async def test_the_beginning_of_a_sentence_was_heard_whose_end_is_being_synthesised() -> None:
    voices = GrowingVoices()
    text = "The trains leave from the platform at the other side of the river and come back in the evening."
    async with stage(voices) as it:
        it.speaker.say(TURN, text)
        await asyncio.sleep(0)
        try:
            await asyncio.to_thread(voices.begun.wait)
            for _ in range(150):
                it.playback.pull()
                it.speaker.poll()
            heard = it.speaker.stop()
        finally:
            voices.goes_on.set()
    assert text.startswith(heard)
    assert len("The trains") <= len(heard) <= len("The trains leave from the platform at")


async def _pass(it: Stage, milliseconds: int) -> None:
    for _ in range(milliseconds // 10):
        await it.frame()


async def test_the_beginning_of_a_sentence_is_said_when_the_model_is_slow() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "The sky appears ")
        await _pass(it, 200)
        it.speaker.feed(TURN, "blue because ")
        await _pass(it, 200)
        assert voices.said == []
        it.speaker.feed(TURN, "of ")
        await _pass(it, 10)
        assert voices.said == ["The sky appears blue"]


async def test_a_fast_model_says_whole_sentences() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        it.speaker.begin(TURN)
        for word in ("Yes. ", "The ", "sky ", "appears ", "blue ", "because ", "of ", "light. ", "So"):
            it.speaker.feed(TURN, word)
            await _pass(it, 50)
        await _pass(it, 10)
        assert voices.said == ["Yes.", "The sky appears blue because of light."]


async def test_nothing_is_hurried_while_enough_sound_is_ahead() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "This is a sentence of some four seconds that is long enough. The sky appears ")
        await _pass(it, 600)
        it.speaker.feed(TURN, "blue because of ")
        await _pass(it, 10)
        assert len(voices.said) == 1
        while it.playback.pending_s > 0.6:
            await it.frame()
        it.speaker.feed(TURN, "light ")
        await _pass(it, 10)
        assert voices.said[1:] == ["The sky appears blue"]


async def test_the_time_of_a_tool_does_not_count_to_the_sentence_after_it() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "One moment.")
        it.speaker.flush(TURN)
        await _pass(it, 3_000)
        for word in WORDS:
            it.speaker.feed(TURN, word)
            await _pass(it, 10)
        it.speaker.finish(TURN)
        await it.until_silent(TURN)
        it.speaker.begin(NEXT)
        it.speaker.feed(NEXT, "Sure, it is so. ")
        it.speaker.finish(NEXT)
        await it.until_silent(NEXT)
    assert voices.said == ["One moment.", "".join(WORDS), "Sure", "it is so."]


async def test_a_slow_model_is_noticed_by_its_pace() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        it.speaker.begin(TURN)
        for word in ("The", " sky", " appears", " blue", " because"):
            it.speaker.feed(TURN, word)
            await _pass(it, 90)
        assert voices.said == []
        it.speaker.feed(TURN, " of")
        await _pass(it, 10)
        assert voices.said == ["The sky appears blue"]


WORDS = (
    "The",
    " sky",
    " appears",
    " blue",
    " because",
    " of",
    " the",
    " light",
    " from",
    " the",
    " distant",
    " yellow",
    " sun",
    " above.",
)


async def _answer(it: Stage, voices: ToneSynthesizers, between_ms: int) -> int:
    """Say an answer whose words come one by one; returns the number of its pieces."""
    it.speaker.begin(TURN)
    for word in WORDS:
        it.speaker.feed(TURN, word)
        await _pass(it, between_ms)
    it.speaker.finish(TURN)
    await it.until_silent(TURN)
    return len(voices.said)


@pytest.mark.parametrize(("between_ms", "pieces"), [(20, ["Sure", "it is so."]), (200, ["Sure, it is so."])])
async def test_a_discourse_marker_is_said_alone_unless_the_last_answer_came_slowly(
    between_ms: int, pieces: list[str]
) -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        before = await _answer(it, voices, between_ms)
        it.speaker.begin(NEXT)
        it.speaker.feed(NEXT, "Sure, it is so. ")
        it.speaker.finish(NEXT)
        await it.until_silent(NEXT)
    assert voices.said[before:] == pieces


@pytest.mark.parametrize(("between_ms", "prepared"), [(20, ["Sure"]), (200, [])])
async def test_a_prepared_answer_keeps_the_same_rule(between_ms: int, prepared: list[str]) -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        before = await _answer(it, voices, between_ms)
        it.speaker.prepare(NEXT, "Sure, it is")
        await _pass(it, 20)
    assert voices.said[before:] == prepared
