import asyncio
import sys
from collections.abc import AsyncIterator, Callable

import numpy as np
import pytest

from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.device_list import Device, choose, list_devices
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.playback import Playback
from assistant.core.errors import AudioDeviceError
from tests.fakes.sound.portaudio import FakeDevice, FakePortAudio
from tests.unit.audio.sounds import Samples, energy_db, tone

Install = Callable[..., FakePortAudio]

HEADSET = FakeDevice("Headset", inputs=1, outputs=2)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Replace the real PortAudio by a fake with these devices."""

    def put(*devices: FakeDevice) -> FakePortAudio:
        portaudio = FakePortAudio(list(devices))
        monkeypatch.setitem(sys.modules, "sounddevice", portaudio.module())
        return portaudio

    return put


async def take(frames: AsyncIterator[HeardFrame], count: int) -> list[HeardFrame]:
    return [await anext(frames) for _ in range(count)]


def sound(frames: list[HeardFrame]) -> Samples:
    return np.frombuffer(b"".join(each.heard.pcm for each in frames), np.int16)


async def test_what_the_microphone_delivers_in_any_blocks_comes_as_frames_of_10_ms(install: Install) -> None:
    portaudio, heard = install(HEADSET), tone(440, 0.2, 16_000)
    card = DeviceCard(Playback())
    await card.open()
    microphone = portaudio.streams[0]
    for start in range(0, len(heard), 70):
        microphone.hear(heard[start : start + 70])

    frames = await take(card.frames(), 20)
    await card.close()

    assert (card.microphone, card.speaker) == ("", "")
    assert np.array_equal(sound(frames), heard)
    assert [each.heard.index for each in frames] == list(range(0, 3_200, 160))
    assert {len(each.played) for each in frames} == {320}


@pytest.mark.parametrize(
    ("rates", "channels"), [((48_000,), (1,)), ((44_100,), (2,)), ((48_000,), (2,)), ((8_000, 96_000), (1, 2))]
)
async def test_a_microphone_that_refuses_16_khz_mono_is_used_at_what_it_takes(
    install: Install, rates: tuple[int, ...], channels: tuple[int, ...]
) -> None:
    portaudio = install(FakeDevice("USB", inputs=2, rates=rates, channels=channels))
    card = DeviceCard(Playback())
    await card.open()
    microphone = portaudio.streams[0]
    heard = tone(440, 1, microphone.rate)
    for start in range(0, len(heard), microphone.rate // 100):
        microphone.hear(heard[start : start + microphone.rate // 100])

    frames = sound(await take(card.frames(), 90))
    await card.close()

    assert microphone.rate in rates
    assert np.abs(frames[2_000:13_000].astype(int) - tone(440, 1, 16_000)[2_000:13_000]).max() < 60


@pytest.mark.parametrize(("rates", "channels"), [((48_000,), (1,)), ((48_000,), (2,)), ((44_100,), (2,))])
async def test_a_speaker_is_used_at_what_it_takes(
    install: Install, rates: tuple[int, ...], channels: tuple[int, ...]
) -> None:
    portaudio, playback = install(FakeDevice("TV", outputs=2, rates=rates, channels=channels)), Playback()
    playback.enqueue(1, tone(440, 1, 48_000), 48_000, last=True)
    card = DeviceCard(playback)
    await card.open()
    speaker = portaudio.streams[0]

    played = np.concatenate([speaker.play(speaker.rate // 100) for _ in range(90)])
    await card.close()

    wanted = tone(440, 1, rates[0])
    start = int(np.flatnonzero(np.abs(played[:, 0]) > 1_000)[0]) - int(np.flatnonzero(np.abs(wanted) > 1_000)[0])
    assert played.shape[1] == channels[0]
    assert all(np.array_equal(played[:, 0], played[:, each]) for each in range(channels[0]))
    middle = slice(8_000, 30_000)
    assert np.abs(played[start:, 0][middle].astype(int) - wanted[middle]).max() < 60


async def test_each_frame_carries_what_was_played_meanwhile(install: Install) -> None:
    portaudio, playback = install(HEADSET), Playback()
    playback.enqueue(1, tone(440, 0.5, 48_000), 48_000, last=True)
    card = DeviceCard(playback)
    await card.open()
    microphone, speaker = portaudio.streams
    frames = card.frames()
    played = []
    for _ in range(30):
        speaker.play(480)
        microphone.hear(np.ones(160, np.int16))
        played.append((await anext(frames)).played)
    await card.close()

    references = np.frombuffer(b"".join(played), np.int16)
    assert energy_db(references) == pytest.approx(energy_db(tone(440, 0.3, 16_000)), abs=0.1)
    assert card.delay_ms == 0


async def test_the_delay_is_what_the_streams_say(install: Install) -> None:
    install(HEADSET)
    card = DeviceCard(Playback())
    await card.open()

    assert card.delay_ms == 100
    await card.close()


async def test_without_a_speaker_speech_still_comes_to_its_end(install: Install) -> None:
    portaudio, playback = install(FakeDevice("Microphone", inputs=1)), Playback()
    playback.enqueue(1, tone(440, 0.1, 48_000), 48_000, last=True)
    card = DeviceCard(playback)
    await card.open()
    portaudio.streams[0].hear(np.ones(3_200, np.int16))

    frames = await take(card.frames(), 20)

    assert card.speaker_reason == "error.audio.speaker_missing"
    assert card.microphone_reason == ""
    assert [mark.kind for mark in playback.take_marks()] == ["started", "ended"]
    assert not any(any(each.played) for each in frames)
    await card.close()


async def test_a_microphone_wakes_the_program_fifty_times_a_second_and_loses_nothing(
    install: Install,
) -> None:
    portaudio, heard = install(HEADSET), tone(440, 0.2, 16_000)
    card = DeviceCard(Playback())
    await card.open()
    microphone, speaker = portaudio.streams
    assert (microphone.rate / microphone.blocksize, speaker.rate / speaker.blocksize) == (50, 100)
    for start in range(0, len(heard), microphone.blocksize):
        microphone.hear(heard[start : start + microphone.blocksize])

    frames = await take(card.frames(), 20)
    await card.close()

    assert np.array_equal(sound(frames), heard)
    assert [each.heard.index for each in frames] == list(range(0, 3_200, 160))


async def test_without_a_microphone_frames_wait_until_the_card_is_closed(install: Install) -> None:
    portaudio = install(FakeDevice("Speaker", outputs=2))
    card = DeviceCard(Playback(), stalled_s=0.01)
    await card.open()

    async def listen() -> list[HeardFrame]:
        return [frame async for frame in card.frames()]

    listening = asyncio.create_task(listen())
    done, _ = await asyncio.wait([listening], timeout=0.1)
    assert not done
    assert card.microphone_reason == "error.audio.microphone_missing"
    assert portaudio.streams[0].play(480).shape == (480, 1)

    await card.close()
    assert await listening == []


async def test_a_busy_microphone_leaves_the_speaker_usable(install: Install) -> None:
    install(FakeDevice("Busy", inputs=1, busy=True), FakeDevice("Speaker", outputs=2))
    card = DeviceCard(Playback())
    await card.open()

    assert card.speaker == "Speaker"
    assert card.microphone == ""
    assert card.microphone_reason == "error.audio.microphone_refused"
    await card.close()


async def test_with_neither_direction_opening_is_an_error(install: Install) -> None:
    install()

    with pytest.raises(AudioDeviceError) as caught:
        await DeviceCard(Playback()).open()

    assert caught.value.message_key == "error.audio.microphone_missing"


async def test_without_portaudio_opening_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)

    with pytest.raises(AudioDeviceError) as caught:
        await DeviceCard(Playback()).open()

    assert caught.value.message_key == "error.audio.portaudio_missing"


def test_listing_devices_without_portaudio_is_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)

    with pytest.raises(AudioDeviceError) as caught:
        list_devices()

    assert caught.value.message_key == "error.audio.portaudio_missing"


def test_a_sound_system_that_does_not_start_is_not_called_missing(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(HEADSET)
    module = sys.modules["sounddevice"]

    def refuse() -> None:
        raise vars(module)["PortAudioError"]("PortAudio not initialized")

    monkeypatch.setitem(vars(module), "query_devices", refuse)
    with pytest.raises(AudioDeviceError) as caught:
        list_devices()

    assert caught.value.message_key == "error.audio.system_not_started"


async def test_a_microphone_that_goes_away_is_an_error_after_its_last_frame(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback())
    await card.open()
    portaudio.streams[0].hear(np.ones(160, np.int16))
    portaudio.streams[0].unplug()
    frames = card.frames()

    await anext(frames)
    with pytest.raises(AudioDeviceError) as caught:
        await anext(frames)

    assert caught.value.message_key == card.microphone_reason == "error.audio.microphone_lost"
    assert caught.value.device == "Headset"
    await card.close()


async def test_a_microphone_without_frames_is_an_error(install: Install) -> None:
    install(HEADSET)
    card = DeviceCard(Playback(), stalled_s=0.05)
    await card.open()

    with pytest.raises(AudioDeviceError) as caught:
        await anext(card.frames())

    assert caught.value.message_key == "error.audio.microphone_stalled"
    await card.close()


async def test_a_microphone_of_digital_silence_is_an_error_and_one_soft_sample_is_not(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback(), silent_s=1)
    await card.open()
    frames, soft = card.frames(), np.zeros(16_000 + 160, np.int16)
    soft[15_999] = 1
    portaudio.streams[0].hear(soft)
    await take(frames, 101)
    portaudio.streams[0].hear(np.zeros(16_000, np.int16))
    await take(frames, 100)

    with pytest.raises(AudioDeviceError) as caught:
        await anext(frames)

    assert caught.value.message_key == "error.audio.microphone_silent"
    await card.close()


async def test_a_speaker_that_goes_away_is_told_and_hearing_goes_on(install: Install) -> None:
    portaudio, playback, changed = install(HEADSET), Playback(), asyncio.Event()
    card = DeviceCard(playback, on_change=changed.set)
    await card.open()
    microphone, speaker = portaudio.streams
    speaker.unplug()
    await changed.wait()
    playback.enqueue(1, tone(440, 0.05, 48_000), 48_000, last=True)
    microphone.hear(np.ones(1_600, np.int16))

    await take(card.frames(), 10)

    assert card.speaker == ""
    assert card.speaker_reason == "error.audio.speaker_lost"
    assert [mark.kind for mark in playback.take_marks()] == ["started", "ended"]
    await card.close()
    assert speaker.closed


@pytest.mark.parametrize("inputs", [0, 1])
async def test_a_speaker_that_goes_away_is_an_error_where_no_microphone_is_heard(install: Install, inputs: int) -> None:
    """Its playback would stand still, and what is said would never end."""
    portaudio, changed = install(FakeDevice("Headset", inputs=inputs, outputs=1)), asyncio.Event()
    card = DeviceCard(Playback(), silent_microphone=SILENT if inputs else None, on_change=changed.set)
    await card.open()
    portaudio.streams[-1].unplug()
    await changed.wait()
    for stream in portaudio.streams[:inputs]:
        stream.hear(np.zeros(160, np.int16))

    with pytest.raises(AudioDeviceError) as caught:
        async with asyncio.timeout(60):
            await anext(card.frames())

    assert caught.value.message_key == card.speaker_reason == "error.audio.speaker_lost"
    await card.close()


async def test_sound_that_nobody_takes_is_dropped_and_time_jumps_over_it(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback())
    await card.open()
    for second in range(1, 9):
        portaudio.streams[0].hear(np.full(16_000, second, np.int16))

    frames = await take(card.frames(), 500)

    assert sound(frames)[0] == 4
    assert frames[0].heard.index == 3 * 16_000
    assert frames[1].heard.index == 3 * 16_000 + 160
    await card.close()


async def test_closing_twice_is_fine_and_closes_both_streams_without_an_error(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback())
    await card.open()
    listening = asyncio.create_task(take(card.frames(), 1))
    await asyncio.sleep(0)
    await card.close()
    await card.close()

    with pytest.raises(StopAsyncIteration):
        await listening
    assert all(stream.closed for stream in portaudio.streams)


async def test_a_second_close_at_once_returns_when_both_streams_are_closed(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback())
    await card.open()
    first = asyncio.create_task(card.close())
    await asyncio.sleep(0)

    await card.close()

    assert [stream.closed for stream in portaudio.streams] == [True, True]
    await first


async def test_opening_again_looks_for_devices_anew(install: Install) -> None:
    portaudio = install(FakeDevice("Old", inputs=1, outputs=1))
    card = DeviceCard(Playback(), input_device="New", output_device="New")
    await card.open()
    assert card.microphone == "Old"
    await card.close()
    portaudio.devices.append(FakeDevice("New", inputs=1, outputs=1))
    before = portaudio.restarts

    await card.open()

    assert portaudio.restarts == before + 1
    assert (card.microphone, card.speaker) == ("New", "New")
    await card.close()


def device(index: int, name: str, host: str, *, default: bool = False, inputs: int = 1) -> Device:
    return Device(
        index=index,
        name=name,
        host=host,
        inputs=inputs,
        outputs=0,
        rate=48_000,
        default_input=default,
        default_output=False,
    )


DEVICES = [
    device(0, "Microphone Array (Realtek(R) Au", "MME"),
    device(1, "Built-in", "WASAPI", default=True),
    device(2, "Microphone Array (Realtek(R) Audio)", "DirectSound"),
    device(3, "Microphone Array (Realtek(R) Audio)", "WASAPI"),
    device(4, "Speakers", "WASAPI", inputs=0),
]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("", 1),
        ("Microphone Array (Realtek(R) Audio)", 3),
        ("Microphone Array (Realtek(R) Au", 0),
        ("Microphone Array", 3),
        ("Unplugged", 1),
        ("Speakers", 1),
    ],
)
def test_a_device_is_chosen_by_name_then_sound_system_then_default(name: str, index: int) -> None:
    chosen = choose(DEVICES, name, "input")

    assert chosen is not None
    assert chosen.index == index


def test_without_a_default_any_able_device_will_do_and_none_when_there_is_none() -> None:
    assert choose([DEVICES[4], DEVICES[0]], "", "input") == DEVICES[0]
    assert choose([DEVICES[4]], "", "input") is None


def test_devices_are_listed_with_their_sound_system_and_defaults(install: Install) -> None:
    install(FakeDevice("A", inputs=1, host=1), FakeDevice("B", outputs=2, rates=(44_100,)))

    one, other = list_devices()

    assert (one.name, one.host, one.default_input, one.default_output) == ("A", "Second", True, False)
    assert (other.name, other.rate, other.default_output) == ("B", 44_100, True)


SILENT = AudioDeviceError("Headset", "it delivers nothing", message_key="audio.microphone_silent")


async def test_a_microphone_that_shall_be_left_alone_is_not_opened_and_the_speaker_works(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback(), unusable_microphone=SILENT)
    await card.open()
    open_streams = len(portaudio.streams)
    names, reason = (card.microphone, card.speaker), card.microphone_error
    await card.close()

    assert open_streams == 1
    assert names == ("", "Headset")
    assert reason is SILENT


async def test_a_microphone_that_was_silent_counts_as_missing_until_its_first_sound(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback(), silent_microphone=SILENT)
    await card.open()
    names, reason = (card.microphone, card.speaker), card.microphone_error
    frames = asyncio.ensure_future(anext(card.frames(), None))
    portaudio.streams[0].hear(np.zeros(1_600, np.int16))
    await asyncio.sleep(0.05)
    waits = not frames.done()
    soft = np.zeros(160, np.int16)
    soft[80] = 1
    for _ in range(24):
        portaudio.streams[0].hear(soft)
    first = await frames
    await card.close()

    assert names == ("", "Headset")
    assert reason is SILENT
    assert waits
    assert first is None
    assert all(stream.closed for stream in portaudio.streams)


async def test_a_silent_microphone_that_goes_away_is_an_error(install: Install) -> None:
    portaudio = install(HEADSET)
    card = DeviceCard(Playback(), silent_microphone=SILENT)
    await card.open()
    portaudio.streams[0].unplug()

    with pytest.raises(AudioDeviceError) as caught:
        await anext(card.frames())

    assert caught.value.message_key == "error.audio.microphone_lost"
    await card.close()


@pytest.mark.parametrize("inputs", [0, 1])
async def test_a_speaker_that_asks_for_no_sound_is_an_error(install: Install, inputs: int) -> None:
    portaudio = install(FakeDevice("Headset", inputs=inputs, outputs=2))
    card = DeviceCard(Playback(), speaker_stalled_s=0.0)
    await card.open()
    for stream in portaudio.streams[:inputs]:
        stream.hear(np.ones(160, np.int16))
    portaudio.streams[-1].play(480)

    with pytest.raises(AudioDeviceError) as caught:
        await anext(card.frames())

    assert caught.value.message_key == card.speaker_reason == "error.audio.speaker_stalled"
    await card.close()


async def test_a_speaker_that_shall_be_left_alone_is_not_opened_and_the_microphone_works(install: Install) -> None:
    install(HEADSET)
    stalled = AudioDeviceError("Headset", "it asks for no sound", message_key="audio.speaker_stalled")
    card = DeviceCard(Playback(), unusable_speaker=stalled)
    await card.open()
    names, reason = (card.microphone, card.speaker), card.speaker_error
    await card.close()

    assert names == ("Headset", "")
    assert reason is stalled


class Rest:
    """A card that hears while nobody speaks, and how many frames came with each block of 10 ms."""

    def __init__(self, portaudio: FakePortAudio, card: DeviceCard) -> None:
        self.frames: list[HeardFrame] = []
        self._microphone, self._card = portaudio.streams[0], card
        self._hearing = asyncio.ensure_future(self._hear())

    async def _hear(self) -> None:
        async for frame in self._card.frames():
            self.frames.append(frame)

    async def hear(self, pcm: Samples) -> list[int]:
        """Deliver sound in blocks of 10 ms; return the number of frames that came with each."""
        came = []
        for start in range(0, len(pcm), 160):
            before = len(self.frames)
            self._microphone.hear(pcm[start : start + 160])
            for _ in range(5):
                await asyncio.sleep(0)
            came.append(len(self.frames) - before)
        return came

    async def close(self) -> None:
        await self._card.close()
        await self._hearing


async def test_while_nobody_speaks_silence_comes_in_four_parts_a_second_and_the_first_sound_at_once(
    install: Install,
) -> None:
    portaudio = install(FakeDevice("Microphone", inputs=1))
    card = DeviceCard(Playback(), attentive=lambda: False)
    await card.open()
    rest, faint = Rest(portaudio, card), np.resize(np.array([1, -1, 2], np.int16), 15_520)

    first, second = await rest.hear(faint[:160]), await rest.hear(faint[160:])
    part, sound_ = await rest.hear(faint[:480]), await rest.hear(tone(440, 0.01, 16_000))
    await rest.close()

    assert first == [1]
    assert second == 4 * [*(23 * [0]), 24]
    assert (part, sound_) == ([0, 0, 0], [4])
    assert np.array_equal(sound(rest.frames), np.concatenate((faint, faint[:480], tone(440, 0.01, 16_000))))
    assert [each.heard.index for each in rest.frames] == list(range(0, len(rest.frames) * 160, 160))


async def test_when_somebody_speaks_each_block_comes_at_once_however_soft(install: Install) -> None:
    portaudio, attentive = install(FakeDevice("Microphone", inputs=1)), True
    card = DeviceCard(Playback(), attentive=lambda: attentive)
    await card.open()
    rest = Rest(portaudio, card)

    talking = await rest.hear(np.ones(1_600, np.int16))
    attentive = False
    resting = await rest.hear(np.ones(4_000, np.int16))
    await rest.close()

    assert talking == 10 * [1]
    assert resting == [1, *23 * [0], 24]


async def test_sound_that_waited_carries_what_was_played_when_it_was_heard(install: Install) -> None:
    async def played(attentive: bool) -> list[bytes]:
        portaudio, playback = install(HEADSET), Playback()
        playback.enqueue(1, tone(440, 0.3, 48_000), 48_000, last=True)
        card = DeviceCard(playback, attentive=lambda: attentive)
        await card.open()
        rest, speaker = Rest(portaudio, card), portaudio.streams[1]
        for tick in range(49):
            await rest.hear(np.ones(160, np.int16))
            if tick % 3 == 2:  # the speaker works in bursts
                speaker.play(1_440)
        await rest.close()
        return [each.played for each in rest.frames]

    at_once, later = await played(True), await played(False)

    assert any(any(each) for each in at_once)
    assert later == at_once
