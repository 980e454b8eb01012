"""Beside an echo only other voices are left, also in a room, and only while the echo path is known."""

from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cues import read_cues
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.echo.correlation import EARLY_MS
from assistant.audio.echo.presence import Echo
from assistant.audio.resampling import resample
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE
from assistant.core.machine.effects import Cue
from tests.unit.audio.sounds import Samples, energy_db, frames, in_room, noise, recording, whole

pytestmark = pytest.mark.long

ANSWER = np.concatenate([recording("en_read_sentence"), recording("en_coffee_order")])
LOUD = ANSWER[9_600:73_600]
"""Four seconds that begin with the first word."""
WORDS = recording("ko_lights_blue")[16_000:40_000]


def echo_of(played: Samples, *, gain_db: float = -6, delay_ms: int = 60) -> Samples:
    return whole(in_room(played, delay_ms=delay_ms, gain_db=gain_db) + noise(-75, len(played) / 16_000)[: len(played)])


def separated(heard: Samples, played: Samples) -> list[bytes | None]:
    """What is heard beside the echo, frame by frame; ``None`` while it is not trusted."""
    canceller, found = EchoCanceller(), []
    for one, other in zip(frames(heard), frames(played), strict=True):
        canceller.process(one, other)
        sound = canceller.separated
        found.append(sound.pcm if sound is not None and sound.trusted else None)
    return found


def speech_frames(sound: list[bytes | None]) -> int:
    voice = VoiceActivity()
    return sum(voice.feed(frame).speech for frame in sound if frame is not None)


@pytest.mark.parametrize(("gain_db", "delay_ms"), [(-6, 20), (-6, 60), (-12, 150), (-20, 230)])
def test_the_answer_itself_is_not_left(gain_db: float, delay_ms: int) -> None:
    found = separated(echo_of(ANSWER, gain_db=gain_db, delay_ms=delay_ms), ANSWER)

    assert speech_frames(found) == 0
    assert sum(frame is not None for frame in found) > 200


@pytest.mark.parametrize("gain_db", [-6, -12, -20])
def test_a_voice_over_the_answer_is_left(gain_db: float) -> None:
    played = ANSWER[:72_000]
    heard = echo_of(played, gain_db=gain_db).astype(np.float64)
    heard[48_000:] += 0.3 * WORDS

    found = separated(whole(heard), played)[300 : 300 + len(WORDS) // 160]

    assert speech_frames(found) > 60


def test_nothing_is_separated_without_an_echo() -> None:
    assert set(separated(noise(-75, len(ANSWER) / 16_000)[: len(ANSWER)], ANSWER)) == {None}


def test_a_changed_delay_is_noticed_and_learned() -> None:
    change = 16_000 * 5
    heard = echo_of(ANSWER)
    heard[change:] = echo_of(ANSWER, delay_ms=120)[change:]

    found = separated(heard, ANSWER)

    assert None in found[500:560]
    last = [frame for frame in found[-300:] if frame is not None]
    assert len(last) > 150
    assert energy_db(np.frombuffer(b"".join(last), np.int16)) < energy_db(heard[-48_000:]) - 20


SOON = 50
"""Frames of an answer in which the echo of a first sound cannot be recognised yet."""
PAUSE = np.zeros(32_000, np.int16)


def test_the_next_answers_delay_is_measured_before_its_echo_is_separated() -> None:
    played = np.concatenate([LOUD, PAUSE, LOUD])

    found = separated(echo_of(played), played)

    first, second = found[:400], found[600:]
    assert any(frame is not None for frame in first)
    assert set(second[: EARLY_MS // 10 - 1]) == {None}
    assert any(frame is not None for frame in second[:35])


def test_another_delay_than_that_of_the_answer_before_needs_more_sound() -> None:
    played = np.concatenate([LOUD, PAUSE, LOUD])
    heard = np.concatenate([echo_of(played)[:96_000], echo_of(played, delay_ms=150)[96_000:]])

    found = separated(heard, played)

    assert set(found[600:650]) == {None}


def cues() -> Samples:
    """The sounds before the first answer, each with the silence behind it."""
    sounds = read_cues(Path(__file__).parents[4] / "assistant" / "resources" / "sounds")
    spoken = [resample(sounds[cue], PLAYBACK_RATE, SAMPLE_RATE) for cue in (Cue.AWAKE, Cue.HEARD)]
    return np.concatenate([sound for cue in spoken for sound in (cue, np.zeros(-len(cue) % 160 + 16_000, np.int16))])


def presence_after_cues(gain_db: float | None) -> Echo:
    """What is known about the echo before the first answer; ``None`` for headphones."""
    canceller, played = EchoCanceller(), cues()
    heard = noise(-75, len(played) / 16_000)[: len(played)] if gain_db is None else echo_of(played, gain_db=gain_db)
    for one, other in zip(frames(heard), frames(played), strict=True):
        canceller.process(one, other)
    return canceller.presence


@pytest.mark.parametrize(
    ("gain_db", "presence"),
    [(0, Echo.RECOGNISED), (-12, Echo.RECOGNISED), (-20, Echo.RECOGNISED), (None, Echo.ABSENT)],
)
def test_the_cues_show_whether_there_is_an_echo_before_the_first_answer(gain_db: float | None, presence: Echo) -> None:
    assert presence_after_cues(gain_db) is presence


def test_the_cues_teach_the_echo_before_the_first_answer() -> None:
    played = np.concatenate([cues(), LOUD[:32_000]])

    taught = separated(echo_of(played, gain_db=-20), played)[len(cues()) // 160 :]
    untaught = separated(echo_of(LOUD[:32_000], gain_db=-20), LOUD[:32_000])

    assert any(frame is not None for frame in taught[:SOON])
    assert speech_frames(taught) == 0
    assert set(untaught[:SOON]) == {None}


def test_clocks_that_differ_are_known_from_the_cues() -> None:
    played = np.concatenate([cues(), LOUD[:32_000]])
    late = np.arange(len(played)) * (1 - 2e-4)
    heard = np.interp(late, np.arange(len(played)), echo_of(played, gain_db=-12).astype(np.float64))
    begins = len(cues()) + 3_200
    heard[begins : begins + 8_000] += 0.2 * WORDS[:8_000]
    canceller, drifts = EchoCanceller(), []

    for one, other in zip(frames(whole(heard)), frames(played), strict=True):
        canceller.process(one, other)
        drifts.append(canceller.drift)

    assert drifts[len(cues()) // 160] == pytest.approx(2e-4, abs=5e-5)
    found = separated(whole(heard), played)[begins // 160 :]
    assert speech_frames(found[:70]) > 40
    assert sum(frame is None for frame in found) < 40
