import asyncio
import selectors
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cards.card import HeardFrame, SoundCard
from assistant.audio.cards.files import FileCard
from assistant.audio.playback import Playback
from assistant.core.errors import AudioDeviceError
from tests.unit.audio.sounds import SPEECH, Samples, energy_db, recording, tone

SPOKEN = SPEECH / "ko_lights_blue.wav"


async def at_once() -> None:
    """No work is in progress."""


def no_more() -> bool:
    return False


def file_card(
    playback: Playback,
    *,
    source: Path | None = SPOKEN,
    output: Path | None = None,
    echo_gain_db: float | None = None,
    echo_delay_ms: int = 0,
    tail: Callable[[], bool] = no_more,
) -> FileCard:
    return FileCard(
        source,
        output,
        playback,
        pace="fast",
        echo_gain_db=echo_gain_db,
        echo_delay_ms=echo_delay_ms,
        wait_until_idle=at_once,
        tail=tail,
    )


async def heard(card: SoundCard) -> list[HeardFrame]:
    await card.open()
    try:
        return [frame async for frame in card.frames()]
    finally:
        await card.close()


def sound(frames: list[HeardFrame]) -> Samples:
    return np.frombuffer(b"".join(each.heard.pcm for each in frames), np.int16)


def read(path: Path) -> Samples:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


async def test_the_recording_is_heard_frame_by_frame_to_its_last_sample() -> None:
    frames = await heard(file_card(Playback()))

    original = recording("ko_lights_blue")
    assert np.array_equal(sound(frames)[: len(original)], original)
    assert not sound(frames)[len(original) :].any()
    assert [each.heard.index for each in frames] == list(range(0, len(original), 160))
    assert {len(each.heard.pcm) for each in frames} == {len(each.played) for each in frames} == {320}


async def test_what_is_played_lands_in_the_output_at_the_very_sample(tmp_path: Path) -> None:
    playback, spoken = Playback(), tone(440, 0.5, 48_000)
    card = file_card(playback, output=tmp_path / "out.wav")
    await card.open()
    async for frame in card.frames():
        if frame.heard.index == 99 * 160:
            playback.enqueue(1, spoken, 48_000, last=True)
    await card.close()

    played = read(tmp_path / "out.wav")
    assert len(played) == 3 * 160 * -(-len(recording("ko_lights_blue")) // 160)
    assert not played[:48_000].any()
    assert np.array_equal(played[48_000 : 48_000 + len(spoken)], spoken)


async def test_silence_is_heard_after_the_recording_until_there_is_no_more_to_come(tmp_path: Path) -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 6, 48_000), 48_000, last=True)
    card = file_card(playback, output=tmp_path / "out.wav", tail=lambda: playback.pending_s > 0)

    frames = await heard(card)

    assert len(frames) == 600
    assert not sound(frames)[len(recording("ko_lights_blue")) :].any()
    assert len(read(tmp_path / "out.wav")) == 6 * 48_000


async def test_without_a_recording_there_is_silence_for_as_long_as_something_is_to_come() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 1, 48_000), 48_000, last=True)
    card = file_card(playback, source=None, tail=lambda: playback.pending_s > 0)

    frames = await heard(card)

    assert len(frames) == 100
    assert not sound(frames).any()
    assert card.microphone == card.speaker == ""


async def test_the_echo_is_heard_as_late_and_as_low_as_asked() -> None:
    playback = Playback()
    playback.enqueue(1, recording("en_read_sentence"), 16_000, last=True)
    card = file_card(playback, source=None, echo_gain_db=-12, echo_delay_ms=63, tail=lambda: playback.pending_s > 0)

    frames = await heard(card)

    played = np.frombuffer(b"".join(each.played for each in frames), np.int16)
    late = 63 * 16
    expected = played[:-late] * 10 ** (-12 / 20)
    assert card.delay_ms == 63
    assert not sound(frames)[:late].any()
    assert np.abs(sound(frames)[late:] - expected).max() <= 1


async def test_the_echo_is_mixed_into_what_is_said() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 1, 48_000), 48_000, last=True)

    frames = await heard(file_card(playback, echo_gain_db=-6))

    original = recording("ko_lights_blue")
    echo = sound(frames)[:16_000].astype(int) - original[:16_000]
    assert energy_db(echo.astype(np.float64)) == pytest.approx(energy_db(tone(440, 1, 16_000)) - 6, abs=0.1)


async def test_without_echo_nothing_of_what_is_played_is_heard() -> None:
    playback = Playback()
    playback.enqueue(1, tone(440, 1, 48_000), 48_000, last=True)

    frames = await heard(file_card(playback))

    assert np.array_equal(sound(frames)[:16_000], recording("ko_lights_blue")[:16_000])


async def test_fast_pace_waits_before_each_tick_until_everybody_is_done() -> None:
    playback, waits, pulled = Playback(), 0, []

    async def settle() -> None:
        nonlocal waits
        waits += 1
        pulled.append(playback.blocks)

    card = FileCard(
        SPOKEN,
        None,
        playback,
        pace="fast",
        echo_gain_db=None,
        echo_delay_ms=0,
        wait_until_idle=settle,
        tail=no_more,
    )
    frames = await heard(card)

    assert waits == len(frames) + 1
    assert pulled == list(range(waits))


class _Jump(selectors.DefaultSelector):
    """Advance the clock instead of waiting."""

    now = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on that clock."""

    def __init__(self, clock: _Jump) -> None:
        self._clock = clock
        super().__init__(clock)

    def time(self) -> float:
        return self._clock.now


def test_real_time_pace_keeps_step_with_the_clock_and_catches_up_without_drift() -> None:
    selector = _Jump()

    async def session() -> list[float]:
        card = FileCard(
            SPOKEN,
            None,
            Playback(),
            pace="realtime",
            echo_gain_db=None,
            echo_delay_ms=0,
            wait_until_idle=at_once,
            tail=no_more,
        )
        await card.open()
        began, times = selector.now, []
        async for frame in card.frames():
            times.append(selector.now - began)
            if frame.heard.index == 100 * 160:
                selector.now += 0.5
        return times

    with asyncio.Runner(loop_factory=lambda: _VirtualLoop(selector)) as runner:
        times = runner.run(session())

    due = [(number + 1) / 100 for number in range(len(times))]
    late = [time - when for time, when in zip(times, due, strict=True)]
    assert max(late[:101]) < 0.002
    assert late[101] == pytest.approx(0.49, abs=0.002)
    assert max(late[160:]) < 0.002
    assert min(late) > -0.002


def test_closing_ends_the_frames_and_leaves_a_whole_output(tmp_path: Path) -> None:
    async def session() -> int:
        card, count = file_card(Playback(), output=tmp_path / "out.wav"), 0
        await card.open()
        async for _ in card.frames():
            count += 1
            if count == 10:
                await card.close()
                await card.close()
        return count

    assert asyncio.run(session()) == 10
    assert len(read(tmp_path / "out.wav")) == 10 * 480


async def test_an_output_cut_off_in_the_middle_is_a_whole_wav(tmp_path: Path) -> None:
    card = file_card(Playback(), output=tmp_path / "out.wav")
    await card.open()
    seen = [len(read(tmp_path / "out.wav")) async for _ in card.frames()]
    await card.close()

    assert max(480 * (number + 1) - length for number, length in enumerate(seen)) <= 24_000


async def test_a_missing_recording_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(AudioDeviceError) as caught:
        await file_card(Playback(), source=tmp_path / "none.wav").open()

    assert caught.value.message_key == "error.audio.recording_missing"


async def test_an_output_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(AudioDeviceError) as caught:
        await file_card(Playback(), output=tmp_path / "none" / "out.wav").open()

    assert caught.value.message_key == "error.audio.output_unwritable"


async def test_the_recording_is_never_replaced_by_the_output(tmp_path: Path) -> None:
    path = tmp_path / "both.wav"
    path.write_bytes(SPOKEN.read_bytes())

    with pytest.raises(AudioDeviceError) as caught:
        await file_card(Playback(), source=path, output=tmp_path / "." / "both.wav").open()

    assert caught.value.message_key == "error.audio.output_is_input"
    assert path.read_bytes() == SPOKEN.read_bytes()


def test_an_echo_from_the_future_is_refused() -> None:
    with pytest.raises(ValueError, match="delay of the echo"):
        file_card(Playback(), echo_gain_db=-12, echo_delay_ms=-1)
