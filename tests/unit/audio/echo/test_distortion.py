"""The level of a loudspeaker's distortion is learned, and its sound is not taken for a voice."""

import numpy as np
import pytest

from assistant.audio.echo import echo_path
from assistant.audio.echo.distortion import LIMIT_DB, START_DB
from assistant.audio.echo.echo_path import EchoPath
from assistant.audio.vad import VoiceActivity
from tests.unit.audio.sounds import Samples, frames, in_room, noise, recording, whole

pytestmark = pytest.mark.long

ANSWER = np.concatenate([recording("en_read_sentence"), recording("en_coffee_order")])[:96_000]


def distorted(played: Samples, drive: float) -> Samples:
    loudest = float(np.abs(played.astype(np.float64)).max())
    return whole(loudest * np.tanh(drive * played / loudest) / np.tanh(drive))


def heard_from(emitted: Samples) -> Samples:
    return whole(in_room(emitted, delay_ms=60, gain_db=-6) + noise(-75, len(emitted) / 16_000)[: len(emitted)])


def fed(path: EchoPath, emitted: Samples) -> list[bytes]:
    return [path.feed(one, other) for one, other in zip(frames(heard_from(emitted)), frames(ANSWER), strict=True)]


def test_much_distortion_is_expected_before_any_evidence() -> None:
    path = EchoPath(60)

    assert START_DB > LIMIT_DB
    assert not path.explains


def test_a_linear_loudspeaker_is_soon_trusted() -> None:
    path = EchoPath(60)

    trusted = []
    for one, other in zip(frames(heard_from(ANSWER)), frames(ANSWER), strict=True):
        path.feed(one, other)
        trusted.append(not path._distortion.strong)

    assert sum(trusted[100:]) > 0.95 * len(trusted[100:])


def test_a_distorting_loudspeaker_has_a_higher_level_than_a_linear_one() -> None:
    linear, distorting = EchoPath(60), EchoPath(60)

    fed(linear, ANSWER)
    fed(distorting, distorted(ANSWER, 6))

    assert distorting._distortion.level_db.mean() > linear._distortion.level_db.mean() + 3


def test_the_rest_of_an_echo_is_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    voice = VoiceActivity()

    found = fed(EchoPath(60), distorted(ANSWER, 3))
    monkeypatch.setattr(echo_path, "VOICE_SHARE_DB", -100.0)
    without = fed(EchoPath(60), distorted(ANSWER, 3))

    assert sum(frame == bytes(320) for frame in found) > 0.5 * len(found)
    assert sum(frame == bytes(320) for frame in without) < sum(frame == bytes(320) for frame in found) / 2
    assert sum(voice.feed(frame).speech for frame in found[100:]) < 26
