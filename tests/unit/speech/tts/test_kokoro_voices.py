from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import ModelFileError
from assistant.speech.tts.kokoro import ENGINE, MODEL
from assistant.speech.tts.kokoro_symbols import LONGEST
from assistant.speech.tts.kokoro_voices import EVERY, VOICES, styles_of
from assistant.weights.manifest import load_manifest

FILES = sorted({name for voice in EVERY.values() for name in voice.parts})


def written(directory: Path) -> Path:
    """A model directory in which every value of the n-th style file is n."""
    (directory / "voices").mkdir()
    for number, name in enumerate(FILES):
        np.full((LONGEST, 1, 256), number, np.float32).tofile(directory / "voices" / f"{name}.bin")
    return directory


def test_a_mixed_voice_is_the_weighted_sum_of_its_files(tmp_path: Path) -> None:
    styles = styles_of(written(tmp_path))
    for name, voice in EVERY.items():
        wanted = sum(weight * FILES.index(part) for part, weight in voice.parts.items())
        assert styles[name].shape == (LONGEST, 1, 256)
        np.testing.assert_allclose(styles[name], wanted, rtol=1e-6)


def test_a_voice_stays_among_those_the_model_has_learned() -> None:
    for voice in EVERY.values():
        assert sum(voice.parts.values()) == pytest.approx(1)
        assert min(voice.parts.values()) > 0


def test_further_voices_are_not_offered() -> None:
    assert {each.name for each in ENGINE.voices} == set(VOICES)
    assert {each.name for each in (*ENGINE.voices, *ENGINE.further_voices)} == set(EVERY)


def test_every_style_file_is_in_the_manifest_and_no_other() -> None:
    styles = [each.name for each in load_manifest()[MODEL].files if each.name.startswith("voices/")]
    assert sorted(styles) == [f"voices/{name}.bin" for name in FILES]


@pytest.mark.parametrize("content", [None, b"", b"abc", b"\0" * 1000])
def test_a_missing_or_damaged_style_is_named(tmp_path: Path, content: bytes | None) -> None:
    written(tmp_path)
    path = tmp_path / "voices" / f"{FILES[-1]}.bin"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFileError, match=FILES[-1]):
        styles_of(tmp_path)
