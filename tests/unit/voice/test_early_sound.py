"""Sound that is synthesised before it is certain that it will be spoken."""

import asyncio
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError
from assistant.speech.tts.synthesizer import Voice
from tests.fakes.sound.scene import ToneSynthesizers
from tests.unit.voice.test_speaker import NEXT, TURN, Stage, stage

ANSWER = "It is ten. Good night."


class Attentive(ToneSynthesizers):
    """Also keeps how each text was to be spoken."""

    def __init__(self) -> None:
        super().__init__()
        self.voices: list[Voice] = []

    def synthesize(self, text: str, voice: Voice) -> Iterator[tuple[NDArray[np.int16], int]]:
        self.voices.append(voice)
        yield from super().synthesize(text, voice)


async def prepared(it: Stage, text: str = ANSWER) -> None:
    it.speaker.prepare(TURN, text)
    await asyncio.sleep(0)
    await it.work.wait_until_idle()


async def test_prepared_sound_is_silent_until_its_turn_speaks_and_is_made_once() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        await prepared(it)
        for _ in range(5):
            await it.frame()
        assert voices.said == ["It is ten."]
        assert not np.concatenate(it.played).any()
        it.speaker.say(TURN, ANSWER)
        await asyncio.sleep(0)
        await it.work.wait_until_idle()
        await it.until_silent(TURN)
    assert voices.said == ["It is ten.", "Good night."]
    assert np.count_nonzero(np.concatenate(it.played)) > 0.9 * 48_000 * 0.06 * len("".join(voices.said))


async def test_only_the_first_sentence_is_prepared() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        await prepared(it, "One thing. Another thing. A third one. ")
        assert voices.said == ["One thing."]


async def test_another_first_sentence_is_not_replaced_by_the_prepared_one() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        await prepared(it)
        it.speaker.say(TURN, "It is eleven.")
        await it.until_silent(TURN)
    assert voices.said == ["It is ten.", "It is eleven."]
    assert it.playback.heard_s(1) > 0.7


async def test_a_turn_does_not_say_what_was_prepared_for_another() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        await prepared(it)
        it.speaker.say(NEXT, ANSWER)
        await it.until_silent(NEXT)
    assert voices.said == ["It is ten.", "It is ten.", "Good night."]


async def test_dropped_sound_is_never_heard() -> None:
    voices = ToneSynthesizers()
    async with stage(voices) as it:
        await prepared(it)
        it.speaker.drop_prepared()
        it.speaker.say(TURN, ANSWER)
        await it.until_silent(TURN)
    assert voices.said == ["It is ten.", "It is ten.", "Good night."]


async def test_a_failure_while_preparing_is_told_when_the_sentence_is_due() -> None:
    voices = ToneSynthesizers(failure=EngineError("tone", "no sound"))
    async with stage(voices) as it:
        await prepared(it)
        assert it.unavailable == []
        it.speaker.say(TURN, ANSWER)
        await it.until_silent(TURN)
    assert [error.detail for error in it.unavailable] == ["tone: no sound"]


async def test_a_sentence_is_awaited_while_little_sound_is_ahead_of_it() -> None:
    voices = Attentive()
    async with stage(voices) as it:
        it.speaker.say(TURN, f"Yes. {'No, ' * 15}and no. That is all.")
        await it.until_silent(TURN)
    assert [voice.awaited for voice in voices.voices] == [True, True, False]


async def test_a_hurried_beginning_is_prepared_and_said_once() -> None:
    voices = ToneSynthesizers()
    text = "The sky appears blue because of light."
    async with stage(voices) as it:
        await prepared(it, text[:15])
        for _ in range(50):
            await it.frame()
        await prepared(it, text[15:])
        assert voices.said == ["The sky appears blue"]
        it.speaker.begin(TURN)
        it.speaker.feed(TURN, text)
        it.speaker.finish(TURN)
        await it.until_silent(TURN)
    assert voices.said == ["The sky appears blue", "because of light."]
