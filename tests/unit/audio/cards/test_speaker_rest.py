"""A speaker that has nothing to play stops asking for sound, and is there again for the next sound."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pytest

from assistant.audio.cards.device_thread import ANSWER_LIMIT_S, DeviceThread
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.cards.speaker_rest import SpeakerRest
from assistant.audio.cards.stall import StallWatch
from assistant.audio.playback import Playback
from assistant.core.errors import AudioDeviceError
from assistant.tasks import TaskSupervisor
from tests.fakes.sound.portaudio import FakeDevice, FakePortAudio, FakeStream
from tests.unit.audio.sounds import tone

Result = TypeVar("Result")
FAINT = np.resize(np.array([1, -1, 2], np.int16), 160)


class Hall:
    """An open card in a room without voices, and its streams."""

    def __init__(self, portaudio: FakePortAudio, card: DeviceCard, playback: Playback, at: SimpleNamespace) -> None:
        self.card, self.playback, self.at = card, playback, at
        self.speaker: FakeStream = portaudio.streams[-1]
        self._microphone = portaudio.streams[0] if len(portaudio.streams) > 1 else None
        self.lost = 0
        self.hearing = asyncio.ensure_future(self._hear())

    async def _hear(self) -> None:
        async for _ in self.card.frames():
            pass

    async def until(self, done: Callable[[], bool]) -> None:
        """Let the microphone hear until something is so."""
        async with asyncio.timeout(60):
            while not done() and not self.hearing.done():
                if self._microphone is not None:
                    self._microphone.hear(FAINT)
                await asyncio.sleep(0.001)


@asynccontextmanager
async def hall(monkeypatch: pytest.MonkeyPatch, *, inputs: int = 1) -> AsyncIterator[Hall]:
    portaudio = FakePortAudio([FakeDevice("Headset", inputs=inputs, outputs=1)])
    monkeypatch.setitem(sys.modules, "sounddevice", portaudio.module())
    playback, at = Playback(), SimpleNamespace(attentive=False, changes=0)

    def changed() -> None:
        at.changes += 1

    card = DeviceCard(
        playback,
        attentive=lambda: at.attentive,
        on_change=changed,
        rest_after_s=0.0,
    )
    await card.open()
    it = Hall(portaudio, card, playback, at)
    try:
        yield it
    finally:
        await card.close()
        await asyncio.gather(it.hearing, return_exceptions=True)


@pytest.mark.parametrize("inputs", [0, 1])
async def test_a_speaker_without_sound_rests_and_its_next_sound_wakes_it(
    monkeypatch: pytest.MonkeyPatch, inputs: int
) -> None:
    async with hall(monkeypatch, inputs=inputs) as it:
        await it.until(lambda: not it.speaker.started)
        assert not it.speaker.closed
        assert (it.card.speaker, it.at.changes) == ("Headset", 0)  # it is not lost

        it.playback.enqueue(1, tone(440, 0.3, 48_000), 48_000, last=True)
        await it.until(lambda: it.speaker.started)

        assert it.speaker.play(480).any()


async def test_a_cue_that_nothing_announced_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hall(monkeypatch) as it:
        await it.until(lambda: not it.speaker.started)
        sound = tone(440, 0.02, 48_000)
        it.playback.cue(sound)
        await it.until(lambda: it.speaker.started)

        assert np.array_equal(it.speaker.play(len(sound))[:, 0], sound)


async def test_the_speaker_starts_when_somebody_speaks_long_before_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hall(monkeypatch) as it:
        await it.until(lambda: not it.speaker.started)
        it.at.attentive = True
        await it.until(lambda: it.speaker.started)
        assert it.speaker.started


async def test_a_speaker_with_sound_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hall(monkeypatch) as it:
        it.playback.enqueue(1, tone(440, 0.3, 48_000), 48_000)
        it.playback.pause()  # somebody speaks into it
        heard = 0

        def listened() -> bool:
            nonlocal heard
            heard += 1
            return heard > 100

        await it.until(listened)
        assert it.speaker.started


async def test_a_speaker_that_rests_is_not_taken_for_one_that_has_stalled(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hall(monkeypatch) as it:
        await it.until(lambda: not it.speaker.started)
        monkeypatch.setattr(it.card, "_speaker_watch", StallWatch(0.0))
        checks = iter(range(200))
        await it.until(lambda: next(checks) == 199)
        assert not it.hearing.done()


async def test_a_speaker_that_went_away_while_it_rested_is_an_error_when_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with hall(monkeypatch) as it:
        await it.until(lambda: not it.speaker.started)
        it.speaker.device.busy = True
        it.card.wake_speaker()
        await it.until(lambda: False)

        with pytest.raises(AudioDeviceError) as caught:
            await it.hearing
        assert caught.value.message_key == it.card.speaker_reason == "error.audio.speaker_lost"


async def test_a_speaker_that_goes_away_after_a_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hall(monkeypatch) as it:
        await it.until(lambda: not it.speaker.started)
        it.at.attentive = True
        await it.until(lambda: it.speaker.started)
        it.speaker.unplug()
        await it.until(lambda: it.at.changes == 1)
        assert it.card.speaker == ""


class AtOnce(DeviceThread):
    """Makes each call in the event loop, so that a move has ended when the loop has run its next step."""

    async def run(self, work: Callable[[], Result], *, limit_s: float = ANSWER_LIMIT_S) -> Result:
        return work()


async def test_a_speaker_that_was_used_stays_awake_longer_than_one_that_a_noise_woke() -> None:
    moves: list[str] = []
    speaker: Any = SimpleNamespace(
        name="Headset",
        rest=lambda: moves.append("rest"),
        wake=lambda: moves.append("wake"),
        rested=lambda: None,
    )
    playback, voice = Playback(), False
    rest = SpeakerRest(speaker, AtOnce(), TaskSupervisor(), playback, lambda: voice)

    async def moves_after(seconds: list[float]) -> list[str]:
        moves.clear()
        for now_s in seconds:
            rest.tend(now_s)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return list(moves)

    opened = await moves_after([0.0, 0.9, 1.1, 1.2])
    voice = True
    woken = await moves_after([2.0, 2.1])
    voice = False
    unused = await moves_after([2.2, 3.1, 3.3, 3.4])
    playback.cue(tone(440, 0.01, 48_000))
    sounded = await moves_after([4.0, 4.1])
    playback.pull()
    used = await moves_after([4.2, 14.1])
    over = await moves_after([14.3])

    assert (opened, woken, unused) == (["rest"], ["wake"], ["rest"])
    assert (sounded, used, over) == (["wake"], [], ["rest"])
