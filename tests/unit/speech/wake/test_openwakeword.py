from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import ModelFileError
from assistant.speech.wake.detector import WakeOptions
from assistant.speech.wake.openwakeword import HOP_SAMPLES, OpenWakeWord
from tests.fakes.sound.human_speech import recording, silence

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def directory(model_path: Callable[[str], Path]) -> Path:
    return model_path("openwakeword")


def scores(detector: OpenWakeWord, sound: np.ndarray[tuple[int], np.dtype[np.int16]]) -> list[float]:
    found = []
    for at in range(0, len(sound) - HOP_SAMPLES + 1, HOP_SAMPLES):
        detector.feed(sound[at : at + HOP_SAMPLES])
        found.append(detector.last_score)
    return found


# Computed with the openwakeword package 0.6.0 (onnx) on 3 s of silence, the recording, and 1 s of silence.
EXPECTED = {
    ("alexa", "alexa/0.flac"): (54, [0.999617, 0.99924, 0.999791, 0.999956, 0.999675, 0.984867, 0.583919]),
    ("alexa", "alexa/15.flac"): (53, [8.5e-05, 0.003606, 0.00559, 0.015447, 0.001927, 0.000777, 0.000114]),
    ("alexa", "alexa/36.flac"): (51, [0.732688, 0.771527, 0.770865, 0.816563, 0.038722, 0.017344, 0.001173]),
    ("alexa", "en_coffee_order.wav"): (52, [0.000206, 8e-05, 8.7e-05, 0.000413, 0.000353, 1.9e-05, 1e-06]),
    ("hey_jarvis", "en_coffee_order.wav"): (49, [0.001713, 0.003945, 0.010012, 0.006515, 0.001594]),
}


@pytest.mark.parametrize(("word", "name"), EXPECTED)
def test_scores_equal_those_of_the_original(directory: Path, word: str, name: str) -> None:
    start, expected = EXPECTED[word, name]
    sound = np.concatenate((silence(3), recording(name), silence(1)))
    found = scores(OpenWakeWord(directory, WakeOptions(word=word)), sound)
    assert found[start : start + len(expected)] == pytest.approx(expected, abs=2e-5)


def test_the_first_frames_mean_nothing(directory: Path) -> None:
    assert scores(OpenWakeWord(directory, WakeOptions()), recording("en_coffee_order.wav"))[:5] == [0.0] * 5


def test_gating_by_voice_changes_no_score(directory: Path) -> None:
    sound = np.concatenate((silence(4), recording("alexa/0.flac"), silence(4), recording("alexa/36.flac")))
    whole = scores(OpenWakeWord(directory, WakeOptions(word="alexa")), sound)
    gated = OpenWakeWord(directory, WakeOptions(word="alexa"))
    compared = voiced = 0
    for hop in range(len(sound) // HOP_SAMPLES):
        piece = sound[hop * HOP_SAMPLES : (hop + 1) * HOP_SAMPLES]
        active = bool(np.abs(piece.astype(int)).max() > 1_500)
        gated.feed(piece, active=active)
        voiced = voiced + 1 if active else 0
        if voiced >= 3:
            assert gated.last_score == pytest.approx(whole[hop], abs=1e-6)
            compared += 1
    assert 10 < compared < len(sound) // HOP_SAMPLES // 2


@pytest.mark.parametrize(
    ("sensitivity", "least", "hits"),
    [(0.9, 0.2, [(0.772, False)]), (0.75, 0.2, [(0.772, True)]), (0.9, 1.0, []), (0.9, 0.85, [])],
)
def test_a_score_below_the_threshold_is_an_unsure_hit_once_it_falls(
    directory: Path, sensitivity: float, least: float, hits: list[tuple[float, bool]]
) -> None:
    detector = OpenWakeWord(directory, WakeOptions(word="alexa", sensitivity=sensitivity, least=least))
    sound = np.concatenate((silence(3), recording("alexa/36.flac"), silence(1)))
    pieces = [sound[at : at + HOP_SAMPLES] for at in range(0, len(sound) - HOP_SAMPLES + 1, HOP_SAMPLES)]
    found = [hit for hit in map(detector.feed, pieces) if hit is not None]
    assert [(round(hit.score, 3), hit.sure) for hit in found] == hits


class _ModelRanError(Exception):
    pass


@pytest.fixture
def forbidden(directory: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWakeWord:
    """A detector whose models must not run."""
    detector = OpenWakeWord(directory, WakeOptions())

    def run(*_: object) -> None:
        raise _ModelRanError

    for name in ("_mel", "_embedding", "_word"):
        monkeypatch.setattr(detector, name, type("Session", (), {"run": staticmethod(run)})())
    return detector


def test_in_silence_no_model_runs(forbidden: OpenWakeWord) -> None:
    assert forbidden.feed(silence(60), active=False) is None


def test_a_noise_like_a_voice_runs_no_model(forbidden: OpenWakeWord) -> None:
    for _ in range(5):
        assert forbidden.feed(silence(0.2), active=True) is None
        assert forbidden.feed(silence(0.4), active=False) is None
    with pytest.raises(_ModelRanError):
        forbidden.feed(silence(0.24), active=True)


def test_what_is_kept_in_silence_does_not_grow(directory: Path) -> None:
    detector = OpenWakeWord(directory, WakeOptions())
    for _ in range(20):
        detector.feed(silence(10), active=False)
    assert sum(map(len, detector._pending)) <= detector.preroll_samples
    assert detector.preroll_samples >= 24_000


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    for name in ("melspectrogram.onnx", "embedding_model.onnx", "hey_jarvis_v0.1.onnx"):
        (tmp_path / name).write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match="melspectrogram"):
        OpenWakeWord(tmp_path, WakeOptions())


def test_the_newest_version_of_a_word_is_used(tmp_path: Path) -> None:
    from assistant.speech.wake.openwakeword import _file_of

    for name in ("hey_sori_v0.9.onnx", "hey_sori_v0.10.onnx", "hey_sori_x_v1.0.onnx"):
        (tmp_path / name).touch()
    assert _file_of(tmp_path, "hey_sori").name == "hey_sori_v0.10.onnx"


@pytest.mark.models
def test_a_model_of_something_else_is_no_wake_word(model_path: Callable[[str], Path], tmp_path: Path) -> None:
    whole = model_path("openwakeword")
    for name in ("melspectrogram.onnx", "embedding_model.onnx"):
        (tmp_path / name).symlink_to(whole / name)
    (tmp_path / "other.onnx").symlink_to(whole / "melspectrogram.onnx")
    with pytest.raises(ModelFileError, match=r"other\.onnx is no model of a wake word"):
        OpenWakeWord(tmp_path, WakeOptions(word="other"))
    (tmp_path / "hey_sori.onnx").write_bytes(b"no model")
    with pytest.raises(ModelFileError, match=r"hey_sori\.onnx"):
        OpenWakeWord(tmp_path, WakeOptions(word="hey_sori"))
