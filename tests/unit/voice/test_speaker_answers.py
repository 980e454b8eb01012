"""The speech of an answer that streams, is stopped, or has nothing speakable."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.playback import Playback
from assistant.core.errors import EngineError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import TurnId
from assistant.core.settings import Settings, VoiceSettings
from assistant.speech.tts.synthesizer import Voice
from assistant.voice.speaker import LOOKAHEAD_S, AnswerSpeaker
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.trace import Trace
from assistant.voice.work import Work
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.scene import ToneSynthesizers

TURN = TurnId("1")
NEXT = TurnId("2")


@dataclass
class ChoosyVoices(ToneSynthesizers):
    """Fails for texts that contain certain words, and records the voices.

    Attributes:
        refused: words that cannot be spoken.
        voices: the voice of each text.
    """

    refused: tuple[str, ...] = ()
    voices: list[Voice] = field(default_factory=list)

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        if any(word in text for word in self.refused):
            raise EngineError("tone", f"cannot say {text}")
        self.voices.append(voice)
        yield from super().synthesize(text, voice)


class Room:
    """A speaker, its reports, and a playback that is pulled in audio time."""

    def __init__(self, voices: ChoosyVoices, thread: ModelThread, work: Work) -> None:
        self.voices = voices
        self.playback = Playback()
        self.trace: list[dict[str, Any]] = []
        self._work = work
        self._ticks = 0
        conversation = FakeConversation(
            trace=Trace(lambda: self._ticks / 100, self.trace.append), only_code="코드로 답했어요."
        )
        self.speaker = AnswerSpeaker(
            self.playback,
            voices,
            thread,
            LiveSettings(Settings(language="ko", voice=VoiceSettings(speed=1.25))),
            conversation,
        )
        self.events, self.unavailable = conversation.events, conversation.unsaid
        self.captions = conversation.sentences

    async def hear(self, seconds: float) -> NDArray[np.int16]:
        """Advance the time and return the sound that was played."""
        blocks = []
        for _ in range(round(seconds * 100)):
            await self._work.wait_until_idle()
            blocks.append(self.playback.pull().out)
            self._ticks += 1
            self.speaker.poll()
        await self._work.wait_until_idle()
        return np.concatenate(blocks)

    def sentences(self) -> list[str]:
        return [event["text"] for event in self.trace if event["event"] == "sentence"]


@asynccontextmanager
async def room(*refused: str) -> AsyncIterator[Room]:
    work = Work()
    thread = ModelThread("synthesizer", work)
    it = Room(ChoosyVoices(refused=refused), thread, work)
    try:
        yield it
    finally:
        it.speaker.close()


async def test_each_sentence_is_shown_when_it_begins_to_be_heard() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇게 말해요. 둘은 저렇게 말해요. ")
        before = [*it.captions]
        await it.hear(0.5)
        first = [*it.captions]
        it.speaker.finish(TURN)
        await it.hear(20)
    assert (before, first) == ([], it.sentences()[:1])
    assert it.captions == it.sentences()
    assert len(it.captions) == 2


async def test_an_answer_is_spoken_while_it_grows() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇")
        it.speaker.feed(TURN, "습니다. 둘은 ")
        await it.hear(0.2)
        assert it.events == [ev.FirstAudioReady(turn=TURN)]
        assert it.sentences() == ["하나는 이렇습니다."]
        it.speaker.feed(TURN, "저렇습니다.")
        assert it.speaker.finish(TURN)
        await it.hear(4)
        assert it.events == [ev.FirstAudioReady(turn=TURN), ev.SpeechFinished(turn=TURN)]
        assert it.sentences() == ["하나는 이렇습니다.", "둘은 저렇습니다."]
        assert it.playback.underruns == 0


async def test_a_model_slower_than_speech_is_finished_when_it_says_so() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "잠시만 기다려 주세요.\n")
        await it.hear(3)
        assert it.events == [ev.FirstAudioReady(turn=TURN)]
        assert it.speaker.finish(TURN)
        await asyncio.sleep(0)
        assert it.events == [ev.FirstAudioReady(turn=TURN), ev.SpeechFinished(turn=TURN)]


async def test_silence_between_two_sentences_of_a_slow_model_is_no_end() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "잠시만 기다려 주세요.\n")
        await it.hear(3)
        it.speaker.feed(TURN, "이제 됐어요.\n")
        heard = await it.hear(2)
        assert heard.any()
        assert ev.SpeechFinished(turn=TURN) not in it.events
        it.speaker.finish(TURN)
        await it.hear(0.1)
        assert it.events.count(ev.SpeechFinished(turn=TURN)) == 1


async def test_stopping_in_the_middle_tells_what_was_heard_up_to_a_word() -> None:
    text = "하나는 이렇습니다. 둘은 저렇고 셋은 그렇고 넷은 아무렇지도 않습니다."
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, text)
        it.speaker.finish(TURN)
        await it.hear(1.3)
        heard = it.speaker.stop()
        assert text.startswith(heard)
        assert "하나는 이렇습니다. 둘은" in heard
        assert "넷은" not in heard
        assert text[len(heard)] == " "
        assert not (await it.hear(1))[480:].any()
        assert ev.SpeechFinished(turn=TURN) not in it.events


async def test_nothing_was_heard_of_what_had_not_begun() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇습니다. ")
        assert it.speaker.stop() == ""
        assert it.speaker.stop() == ""
        assert not (await it.hear(1)).any()


async def test_what_a_cancelled_turn_still_says_is_dropped() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.begin(NEXT)
        it.speaker.feed(TURN, "옛날 이야기입니다. ")
        assert not it.speaker.finish(TURN)
        it.speaker.feed(NEXT, "새로운 이야기입니다. ")
        it.speaker.finish(NEXT)
        await it.hear(3)
        assert it.voices.said == ["새로운 이야기입니다."]


async def test_text_without_words_is_not_spoken_and_not_waited_for() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "🙂🎉\n\n---\n")
        assert not it.speaker.finish(TURN)
        await it.hear(0.5)
        assert it.voices.said == []
        assert it.events == []


@pytest.mark.parametrize(
    "answer",
    [
        "```python\nprint('hello')\n```\n",
        "~~~\nls -l\n~~~",
        "````md\n```\nx\n```\n````",
        "> ```\n> rm x\n> ```",
        "    x = 1\n    y = 2\n",
        "<pre>\nint main();\n</pre>",
        "🙂\n\n---\n```\nx\n```",
        "```\nunfinished",
    ],
)
async def test_an_answer_that_is_only_code_says_so(answer: str) -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, answer)
        assert it.speaker.finish(TURN)
        await it.hear(0.3)
        assert it.voices.said == ["코드로 답했어요."]
        assert "코드로" not in it.speaker.stop()


@pytest.mark.parametrize("answer", ["네.\n```\nx\n```", "```\nx\n```\n끝이에요.", "🙂", "---"])
async def test_an_answer_with_words_or_without_code_does_not_say_that_it_is_code(answer: str) -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, answer)
        it.speaker.finish(TURN)
        await it.hear(2)
        assert "코드로 답했어요." not in it.voices.said


async def test_a_stopped_answer_ends_the_request_of_a_voice_on_a_server() -> None:
    async with room() as it:
        ended: list[str] = []
        it.voices.abandon = lambda: ended.append("ended")  # type: ignore[method-assign]
        it.speaker.stop()
        assert ended == []
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "긴 이야기입니다. ")
        it.speaker.stop()
        assert ended == ["ended"]


async def test_written_text_is_traced_and_spoken_text_is_said() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "**중요한** 이야기입니다.")
        it.speaker.finish(TURN)
        await it.hear(2)
        assert it.voices.said == ["중요한 이야기입니다."]
        assert it.sentences() == ["**중요한** 이야기입니다."]


async def test_a_sentence_that_cannot_be_said_is_told_once_and_the_next_is_said() -> None:
    async with room("둘은", "셋은") as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다. 넷은 어떻습니까?")
        assert it.speaker.finish(TURN)
        await it.hear(6)
        assert it.voices.said == ["하나는 이렇습니다.", "넷은 어떻습니까?"]
        assert len(it.unavailable) == 1
        assert it.events == [ev.FirstAudioReady(turn=TURN), ev.SpeechFinished(turn=TURN)]


async def test_when_nothing_can_be_said_speech_is_finished_all_the_same() -> None:
    async with room("이렇") as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇습니다. ")
        it.speaker.finish(TURN)
        await it.hear(0.2)
        assert it.events == [ev.SpeechFinished(turn=TURN)]


async def test_each_sentence_is_spoken_in_its_own_language_at_the_wanted_speed() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "이건 한국어입니다. This one is English. 3.5!")
        it.speaker.finish(TURN)
        await it.hear(4)
        assert [voice.language for voice in it.voices.voices] == ["ko", "en", "ko"]
        assert {voice.speed for voice in it.voices.voices} == {1.25}


async def test_a_prompt_is_said_after_the_answer_and_ends_it() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇습니다. 둘")
        it.speaker.say(TURN, "대화를 종료할까요?")
        await it.hear(4)
        assert it.voices.said == ["하나는 이렇습니다.", "둘", "대화를 종료할까요?"]
        assert it.events[-1] == ev.SpeechFinished(turn=TURN)


async def test_a_prompt_needs_no_turn_before_it() -> None:
    async with room() as it:
        it.speaker.say(NEXT, "대화를 종료할까요?")
        await it.hear(2)
        assert it.events == [ev.FirstAudioReady(turn=NEXT), ev.SpeechFinished(turn=NEXT)]


async def test_a_prompt_without_words_is_finished_at_once() -> None:
    async with room() as it:
        it.speaker.say(NEXT, "…")
        await asyncio.sleep(0)
        assert it.events == [ev.SpeechFinished(turn=NEXT)]


async def test_little_more_is_made_than_can_be_heard_soon() -> None:
    sentence = "이것은 아주 길고 또 길어서 끝날 줄을 모르는 문장 가운데 하나입니다. "
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, sentence * 20)
        it.speaker.finish(TURN)
        await it.hear(0.1)
        made_s = len("".join(it.voices.said)) * 0.06
        assert LOOKAHEAD_S <= made_s < LOOKAHEAD_S + 2 * len(sentence) * 0.06
        await it.hear(20 * len(sentence) * 0.06 + 1)
        assert "".join(it.voices.said).replace(" ", "") == (sentence * 20).replace(" ", "")
        assert it.events[-1] == ev.SpeechFinished(turn=TURN)


async def test_the_voice_is_lowered_and_raised() -> None:
    async with room() as it:
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, "하나는 이렇고 둘은 저렇고 셋은 그렇습니다. ")
        loud = np.abs((await it.hear(0.3)).astype(np.int32)).max()
        it.speaker.duck()
        await it.hear(0.1)
        low = np.abs((await it.hear(0.2)).astype(np.int32)).max()
        it.speaker.restore()
        await it.hear(0.2)
        again = np.abs((await it.hear(0.2)).astype(np.int32)).max()
        assert 0 < low < loud / 3
        assert again > 0.9 * loud
