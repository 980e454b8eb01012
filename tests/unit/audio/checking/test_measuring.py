"""Levels and echo of a card, measured on sound whose echo is known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.audio.checking.measuring import SOUND_DB, EchoProbe, Measurement, levels_of, make_sound, measure
from assistant.audio.level import level_db
from assistant.audio.playback import Playback
from assistant.core.audio import Frame
from tests.fakes.sound.echo_card import EchoCard
from tests.unit.audio.sounds import tone

Samples = NDArray[np.int16]


def noise(level: float, seconds: float = 4.0) -> Samples:
    made = np.random.default_rng(3).standard_normal(round(seconds * 16_000)) * 32_768 * 10 ** (level / 20)
    return made.astype(np.int16)


async def measured(
    room: Samples, *, gain_db: float = -200, delay_frames: int = 0, speaker: str = "speaker"
) -> Measurement:
    playback, levels, sounds = Playback(), list[float](), list[str]()
    card = EchoCard(playback, room, gain_db=gain_db, delay_frames=delay_frames, speaker=speaker)
    result = await measure(
        card.frames(),
        playback.cue if speaker else None,
        listen_s=1,
        on_level=levels.append,
        on_sound=lambda: sounds.append("sound"),
    )
    assert len(result.voice) == 32_000, "one second at 16 kHz"
    assert len(levels) == 10
    assert sounds == (["sound"] if speaker else [])
    return result


@pytest.mark.parametrize(("gain_db", "delay_frames"), [(-6, 3), (-30, 12), (0, 25)])
async def test_delay_and_strength_of_an_echo_are_found_in_a_noisy_room(gain_db: float, delay_frames: int) -> None:
    result = await measured(noise(-60), gain_db=gain_db, delay_frames=delay_frames)
    assert result.echo is not None
    assert result.echo.delay_ms == pytest.approx(delay_frames * 10, abs=2)
    assert result.echo.gain_db == pytest.approx(gain_db, abs=1.5)
    assert result.played
    assert not result.silent


async def test_an_echo_that_comes_before_its_reference_is_found_as_well() -> None:
    playback, probe = Playback(), EchoProbe()
    playback.enqueue(1, make_sound(), 48_000, last=True)
    sound = [playback.pull().reference.tobytes() for _ in range(260)]
    for number, heard in enumerate(sound):
        played = sound[number - 6] if number >= 6 else bytes(320)
        probe.feed(HeardFrame(heard=Frame(index=number * 160, pcm=heard), played=played))
    echo = probe.result()
    assert echo is not None
    assert echo.delay_ms == pytest.approx(-60, abs=2)
    assert echo.gain_db == pytest.approx(0, abs=0.5)


async def test_a_speaker_that_is_not_heard_gives_no_echo_whatever_the_room_sounds_like() -> None:
    assert (await measured(noise(-30))).echo is None
    assert (await measured(tone(440, 1, 16_000))).echo is None


async def test_a_microphone_of_zeros_is_silent_and_one_without_a_speaker_is_measured_alone() -> None:
    assert (await measured(np.zeros(0, np.int16))).silent
    alone = await measured(noise(-50), speaker="")
    assert (alone.played, alone.echo, alone.silent) == (False, None, False)


def test_voice_and_noise_are_the_loud_and_the_quiet_moments() -> None:
    sound = np.concatenate([noise(-60, 2), noise(-25, 1), np.full(1_600, 32_767, np.int16)])
    frames = [sound[at : at + 160].tobytes() for at in range(0, len(sound), 160)]
    levels = levels_of(frames)
    assert levels.quiet_db == pytest.approx(-60, abs=1)
    assert levels.loud_db == pytest.approx(-25, abs=1)
    assert levels.clipped == pytest.approx(1_600 / len(sound), abs=0.001)
    assert levels_of([]).loud_db < -90


def test_the_test_sound_is_as_loud_as_it_should_be_and_begins_softly() -> None:
    sound = make_sound()
    assert level_db(sound.tobytes()) == pytest.approx(SOUND_DB, abs=0.5)
    assert abs(int(sound[0])) < 50
    assert EchoProbe().result() is None
