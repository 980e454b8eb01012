"""Supertonic on small models of the same form, also when they come from a server."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.tts.supertonic import ENGINE, VOICES, Supertonic
from assistant.speech.tts.synthesizer import Voice
from assistant.weights.manifest import load_manifest
from assistant.weights.store import ModelStore
from tests.fakes.voices.supertonic import RATE, SECONDS_A_CHARACTER, write_supertonic
from tests.fakes.weights.weights_server import WeightsServer, weights_server

USUAL_SPEED = 1.05


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_supertonic(tmp_path_factory.mktemp("supertonic-3"))


@pytest.fixture(scope="module")
def supertonic(folder: Path) -> Supertonic:
    return Supertonic(folder, 1)


@pytest.fixture
def server() -> Iterator[WeightsServer]:
    with weights_server() as running:
        yield running


def lengths(supertonic: Supertonic, text: str, language: str = "ko", speed: float = 1.0) -> list[float]:
    """Seconds of each piece."""
    said = supertonic.synthesize(text, Voice(language=language, speed=speed))
    return [round(len(piece) / supertonic.sample_rate, 2) for piece in said]


@pytest.mark.parametrize(
    ("text", "language", "characters"),
    [
        ("Yes.", "en", 4),
        ("Yes", "en", 4),  # a full stop is added
        ("Is it?", "en", 6),
        ("네.", "ko", 3),  # an initial consonant, a vowel, a full stop
        ("강.", "ko", 4),  # a final consonant as well
        ("안녕,", "ko", 7),
        ("a  b", "en", 4),
    ],
)
def test_the_model_gets_each_letter_between_the_marks_of_its_language(
    supertonic: Supertonic, text: str, language: str, characters: int
) -> None:
    marks = len("<ko></ko>")
    expected = (characters + marks) * SECONDS_A_CHARACTER / USUAL_SPEED
    assert lengths(supertonic, text, language) == [pytest.approx(expected, abs=0.01)]


@pytest.mark.parametrize("text", ["", " ", "…", "😊", "\ud800", "🙂 🎉"])
def test_a_text_without_a_letter_of_the_model_is_silent(supertonic: Supertonic, text: str) -> None:
    assert lengths(supertonic, text) == []


def test_sentences_and_parts_of_long_ones_are_pieces_with_pauses_between(supertonic: Supertonic) -> None:
    assert len(lengths(supertonic, "네. 그래요. 좋아요.")) == 5
    assert len(lengths(supertonic, "가나다라 마바사아, " * 40)) > 3


def test_the_same_text_sounds_the_same(supertonic: Supertonic) -> None:
    first, second = (np.concatenate([*supertonic.synthesize("네.", Voice(language="ko"))]) for _ in range(2))
    assert np.array_equal(first, second)


def test_speed_shortens_the_sound(supertonic: Supertonic) -> None:
    (usual,), (fast,) = lengths(supertonic, "안녕하세요."), lengths(supertonic, "안녕하세요.", speed=2.0)
    assert fast == pytest.approx(usual / 2, abs=0.01)


def test_its_voices_speak_both_languages() -> None:
    assert {(each.name, each.language) for each in ENGINE.voices} == {
        (name, language) for name in VOICES for language in ("ko", "en")
    }


@pytest.mark.parametrize(("language", "name"), [("xx", ""), ("ko", "nobody"), ("de", "F1")])
def test_what_it_cannot_speak_is_refused(supertonic: Supertonic, language: str, name: str) -> None:
    with pytest.raises(EngineError):
        list(supertonic.synthesize("네.", Voice(language=language, name=name)))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("onnx/tts.json", b"{}"),
        ("onnx/tts.json", b"no json"),
        ("onnx/tts.json", json.dumps({"ae": {"sample_rate": RATE}, "ttl": {}}).encode()),
        ("onnx/unicode_indexer.json", b"[]"),
        ("onnx/unicode_indexer.json", b"{}"),
        ("onnx/vocoder.onnx", b"no model"),
        ("onnx/text_encoder.onnx", b""),
        ("voice_styles/F3.json", b'{"style_ttl": {}}'),
        ("voice_styles/M1.json", b'{"style_ttl": {"dims": [2], "data": [1]}, "style_dp": {"dims": [1], "data": [1]}}'),
        ("onnx/duration_predictor.onnx", None),
        ("onnx/unicode_indexer.json", None),
        ("voice_styles/F1.json", None),
    ],
)
def test_a_damaged_or_missing_file_is_named(tmp_path: Path, name: str, content: bytes | None) -> None:
    file = write_supertonic(tmp_path) / name
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(ModelFileError, match=Path(name).name):
        Supertonic(tmp_path, 1)


def store_of(home: Path, folder: Path, server: WeightsServer) -> ModelStore:
    """A store of the files that Sori's manifest names, which a server on loopback has."""
    rows = ['[models.supertonic-3]\ntitle = "t"\npurpose = "tts"\nlicence = "x"\nlanguages = ["ko"]\nhome = "x"\n']
    for file in load_manifest()["supertonic-3"].files:
        content = (folder / file.name).read_bytes()
        server.files[file.name] = content
        rows.append(
            f'[[models.supertonic-3.files]]\nname = "{file.name}"\nsize = {len(content)}\n'
            f'sha256 = "{hashlib.sha256(content).hexdigest()}"\nurl = "{server.url(file.name)}"\n'
        )
    (home / "manifest.toml").write_text("[packages]\n" + "".join(rows))
    known = load_manifest(home / "manifest.toml")
    return ModelStore(home / "models", record=lambda *_: None, manifest=known, pause=lambda _: None)


def test_it_speaks_with_the_files_that_the_manifest_names(tmp_path: Path, folder: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, folder, server)
    store.ensure(["supertonic-3"])
    loaded = ENGINE.create(store.path, 1)
    assert sum(map(len, loaded.synthesize("안녕하세요.", Voice(language="ko")))) > 0


def test_a_file_with_another_sum_is_never_used(tmp_path: Path, folder: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, folder, server)
    whole = server.files["onnx/vocoder.onnx"]
    server.files["onnx/vocoder.onnx"] = whole[:-1] + bytes([whole[-1] ^ 1])
    with pytest.raises(ModelFileError, match="checksum"):
        store.ensure(["supertonic-3"])
    with pytest.raises(ModelFileError):
        ENGINE.create(store.path, 1)
