"""Small models of Supertonic's files, names and shapes, whose voice is a noise as long as the text."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assistant.speech.tts.supertonic import VOICES
from tests.fakes.voices.onnx_file import FLOAT, INT64, node, write_model

RATE = 44_100
DEPTH = 144
"""Features of a step, and samples of a chunk: the vocoder only lays the features end to end."""
SECONDS_A_CHARACTER = 0.065
_TEXT: dict[str, tuple[int, Sequence[int | str]]] = {
    "text_ids": (INT64, [1, "length"]),
    "text_mask": (FLOAT, [1, 1, "length"]),
}
_STYLES: dict[str, Sequence[int]] = {"style_ttl": [1, 50, 256], "style_dp": [1, 8, 16]}
_NO_LETTERS = {0, *range(0x1F600, 0x1F650), 0x200F}


def write_supertonic(directory: Path) -> Path:
    """Write the model; returns its directory."""
    folder = directory / "onnx"
    write_model(
        folder / "duration_predictor.onnx",
        [
            node("ReduceSum", ["text_mask"], "characters", keepdims=0),
            node("Mul", ["characters", "pace"], "seconds"),
            node("Reshape", ["seconds", "one"], "duration"),
        ],
        inputs={**_TEXT, "style_dp": (FLOAT, _STYLES["style_dp"])},
        output=("duration", [1]),
        constants={"pace": np.array(SECONDS_A_CHARACTER, np.float32), "one": np.array([1], np.int64)},
    )
    write_model(
        folder / "text_encoder.onnx",
        [node("Cast", ["text_ids"], "numbers", to=FLOAT), node("Mul", ["numbers", "text_mask"], "text_emb")],
        inputs={**_TEXT, "style_ttl": (FLOAT, _STYLES["style_ttl"])},
        output=("text_emb", [1, 1, "length"]),
    )
    write_model(
        folder / "vector_estimator.onnx",
        [node("Mul", ["noisy_latent", "latent_mask"], "denoised_latent")],
        inputs={
            "noisy_latent": (FLOAT, [1, DEPTH, "steps"]),
            "text_emb": (FLOAT, [1, 1, "length"]),
            "style_ttl": (FLOAT, _STYLES["style_ttl"]),
            "text_mask": (FLOAT, [1, 1, "length"]),
            "latent_mask": (FLOAT, [1, 1, "steps"]),
            "current_step": (FLOAT, [1]),
            "total_step": (FLOAT, [1]),
        },
        output=("denoised_latent", [1, DEPTH, "steps"]),
    )
    write_model(
        folder / "vocoder.onnx",
        [
            node("Transpose", ["latent"], "in_order", perm=[0, 2, 1]),
            node("Reshape", ["in_order", "flat"], "loud"),
            node("Mul", ["loud", "level"], "wav_tts"),
        ],
        inputs={"latent": (FLOAT, [1, DEPTH, "steps"])},
        output=("wav_tts", [1, "samples"]),
        constants={"flat": np.array([1, -1], np.int64), "level": np.array(0.1, np.float32)},
    )
    config = {"ae": {"sample_rate": RATE, "base_chunk_size": 24}, "ttl": {"chunk_compress_factor": 6, "latent_dim": 24}}
    (folder / "tts.json").write_text(json.dumps(config))
    numbers = [-1 if code in _NO_LETTERS or 0xD800 <= code < 0xE000 else code for code in range(0x10000)]
    (folder / "unicode_indexer.json").write_text(json.dumps(numbers))
    (directory / "voice_styles").mkdir()
    for place, name in enumerate(VOICES):
        style = {key: {"dims": dims, "data": np.full(dims, place / 10).tolist()} for key, dims in _STYLES.items()}
        (directory / "voice_styles" / f"{name}.json").write_text(json.dumps(style))
    return directory
