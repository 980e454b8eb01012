import numpy as np
from faster_whisper.feature_extractor import FeatureExtractor

from assistant.speech.endpoint.log_mel import _filters, log_mel


def test_the_spectrogram_equals_whispers() -> None:
    sound = np.random.default_rng(7).normal(0, 0.1, 32_000).astype(np.float32)
    np.testing.assert_allclose(log_mel(sound), FeatureExtractor()(sound, padding=0), atol=1e-3)


def test_the_bands_equal_whispers() -> None:
    np.testing.assert_allclose(_filters(), FeatureExtractor.get_mel_filters(16_000, 400, 80), atol=1e-7)


def test_silence_gives_finite_numbers_of_the_right_shape() -> None:
    silent = log_mel(np.zeros(128_000, dtype=np.float32))
    assert silent.shape == (80, 800)
    assert np.isfinite(silent).all()
