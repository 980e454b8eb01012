"""Beside an echo only other voices are left, also in a room, and only while the echo path is known."""

import numpy as np
import pytest

from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.vad import VoiceActivity
from tests.unit.audio.sounds import Samples, energy_db, frames, in_room, noise, recording, whole

pytestmark = pytest.mark.long

ANSWER = np.concatenate([recording("en_read_sentence"), recording("en_coffee_order")])
WORDS = recording("ko_lights_blue")[16_000:40_000]


def echo_of(played: Samples, *, gain_db: float = -6, delay_ms: int = 60) -> Samples:
    return whole(in_room(played, delay_ms=delay_ms, gain_db=gain_db) + noise(-75, len(played) / 16_000)[: len(played)])


def separated(heard: Samples, played: Samples) -> list[bytes | None]:
    canceller, found = EchoCanceller(), []
    for one, other in zip(frames(heard), frames(played), strict=True):
        canceller.process(one, other)
        found.append(canceller.separated)
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


def test_the_next_answers_delay_is_measured_before_its_echo_is_separated() -> None:
    played = np.concatenate([ANSWER[:64_000], np.zeros(32_000, np.int16), ANSWER[:64_000]])

    found = separated(echo_of(played), played)

    first, second = found[:400], found[600:]
    assert any(frame is not None for frame in first)
    assert set(second[:50]) == {None}
    assert any(frame is not None for frame in second)
