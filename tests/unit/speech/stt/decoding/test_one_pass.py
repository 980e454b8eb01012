import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.speech.stt.decoding import one_pass
from assistant.speech.stt.decoding.one_pass import (
    START,
    TokenSwap,
    UnknownLayoutError,
    exchanged_copy,
    with_first_merge,
)
from assistant.speech.stt.decoding.whisper_model import Whisper
from assistant.speech.stt.faster_whisper import SHORT_WINDOW, padded
from tests.fakes.sound.human_speech import THREADS, recording

NAMES = ["!", "a", "b", START]
ROWS = np.arange(8, dtype="<f4").reshape(4, 2)


def converted(folder: Path, *, version: int = 6, variables: dict[str, NDArray[np.generic]] | None = None) -> Path:
    """A folder with a model file in CTranslate2's layout."""
    content = struct.pack("<I", version) + text("WhisperSpec") + struct.pack("<I", 3)
    found = {"decoder/scale": np.ones(()), "decoder/embeddings/weight": ROWS} if variables is None else variables
    content += struct.pack("<I", len(found))
    for name, value in found.items():
        content += text(name) + struct.pack("B", value.ndim) + struct.pack(f"<{value.ndim}I", *value.shape)
        content += struct.pack("<BI", 0, value.nbytes) + value.tobytes()
    (folder / "model.bin").write_bytes(content + struct.pack("<I", 0))
    (folder / "vocabulary.txt").write_text("\n".join(NAMES), "utf-8")
    (folder / "config.json").write_text("{}")
    return folder


def text(value: str) -> bytes:
    return struct.pack("<H", len(value) + 1) + value.encode() + b"\0"


def test_token_0_and_the_start_token_are_exchanged_in_weights_and_vocabulary(tmp_path: Path) -> None:
    directory = converted(tmp_path)
    with exchanged_copy(directory) as (copy, exchange):
        assert exchange([3, 1, 0, 2]) == [0, 1, 3, 2]
        assert (copy / "vocabulary.txt").read_text("utf-8").split("\n") == [START, "a", "b", "!"]
        weights = (copy / "model.bin").read_bytes()
    assert ROWS[[3, 1, 2, 0]].tobytes() in weights
    assert len(weights) == (directory / "model.bin").stat().st_size
    assert not copy.exists()
    assert ROWS.tobytes() in (directory / "model.bin").read_bytes()


@pytest.mark.parametrize(
    "known",
    [
        {"version": 7},
        {"variables": {"decoder/scale": np.ones(())}},
        {"variables": {"decoder/embeddings/weight": ROWS, "decoder/projection/weight": ROWS}},
        {"variables": {"decoder/embeddings/weight": ROWS[:2]}},
    ],
)
def test_a_file_of_another_layout_is_refused(tmp_path: Path, known: dict[str, int]) -> None:
    directory = converted(tmp_path, **known)  # type: ignore[arg-type]
    with pytest.raises(UnknownLayoutError), exchanged_copy(directory):
        pass


def test_a_cut_off_file_is_refused(tmp_path: Path) -> None:
    whole = converted(tmp_path) / "model.bin"
    whole.write_bytes(whole.read_bytes()[:40])
    with pytest.raises(UnknownLayoutError), exchanged_copy(tmp_path):
        pass


def test_an_exchange_undoes_itself() -> None:
    exchange = TokenSwap(0, 7)
    assert exchange(exchange([0, 7, 3])) == [0, 7, 3]


@pytest.mark.parametrize(("lost", "whole"), [(["Ġ a"], ["Ġ t", "Ġ a"]), ([["Ġ", "a"]], [["Ġ", "t"], ["Ġ", "a"]])])
def test_a_lost_first_merge_is_put_back(lost: list[object], whole: list[object]) -> None:
    for merges in (lost, whole):
        tokenizer = json.dumps({"model": {"merges": merges}}).encode()
        assert json.loads(with_first_merge(tokenizer))["model"]["merges"] == whole


@pytest.fixture(scope="module")
def model(model_path: Callable[[str], Path]) -> Whisper:
    return Whisper(model_path("whisper-base"), THREADS, device="cpu", compute_type="int8")


@pytest.mark.models
def test_without_the_exchange_known_words_are_read_all_the_same(
    model: Whisper, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_pass, "_FORMAT", 0)
    plain = Whisper(model_path("whisper-base"), THREADS, device="cpu", compute_type="int8")
    features = model.features(padded(recording("en_read_sentence.wav"), SHORT_WINDOW))
    known = model.tokens_of("Mr. Quilter is the apostle of", "en")
    rest = plain.write(plain.encode(features), "en", known, room=40, beam=1)
    assert rest.tokens == model.write(model.encode(features), "en", known, room=40, beam=1).tokens


@pytest.mark.models
@pytest.mark.parametrize("name", ["ko_read_sentence.wav", "en_read_sentence.wav"])
def test_after_known_words_the_model_writes_what_it_would_have_written(model: Whisper, name: str) -> None:
    language = name[:2]
    encoded = model.encode(model.features(padded(recording(name), SHORT_WINDOW)))
    whole = model.write(encoded, language, (), room=60, beam=1).tokens
    for known in (1, len(whole) // 2, len(whole) - 1):
        rest = model.write(encoded, language, whole[:known], room=60, beam=1)
        assert rest.tokens == whole[known:]
        assert rest.ended


@pytest.mark.models
def test_known_words_have_the_probabilities_with_which_they_were_written(model: Whisper) -> None:
    encoded = model.encode(model.features(padded(recording("en_read_sentence.wav"), SHORT_WINDOW)))
    said = model.tokens_of("Mr. Quilter is the apostle of the middle classes", "en")
    other = model.tokens_of("Mr. Quilter is the apostle of the little classes", "en")
    assert min(model.probabilities(encoded, [said], "en")[0]) > 0.5
    assert min(model.probabilities(encoded, [other], "en")[0]) < 0.1


@pytest.mark.models
def test_words_have_the_tokens_that_the_model_writes(model: Whisper) -> None:
    """Some converted tokenizers split " the" in two."""
    assert len(model.tokens_of("the time to tell them that", "en")) == 6
