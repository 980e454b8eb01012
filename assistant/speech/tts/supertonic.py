"""Supertonic 3: a neural synthesiser for Korean, English and other languages, whose weights come from its maker.

Four ONNX models run one after the other: one predicts the duration of a text, one encodes its characters, one turns
noise into speech features in a few steps, one makes the sound. Text needs no pronunciation: characters are the symbols.
File names, shapes and the order of the calls follow the maker's ``supertonic`` package 1.3.1 (MIT); see
docs/decisions/speech-synthesis.md.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.onnx import open_session
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice

ID: Final = "supertonic"
MODEL: Final = "supertonic-3"
LANGUAGES: Final = ("ko", "en")
VOICES: Final = ("F1", "F2", "F3", "F4", "F5", "M1", "M2", "M3", "M4", "M5")
"""Each speaks every language. ``voice_styles/NAME.json`` holds its style."""
STEPS: Final = 5
"""Steps from noise to speech features. The maker's programs use 5 to 8; each takes most of the time of a text."""
_USUAL_SPEED: Final = 1.05
"""The maker's default, at which the voices sound natural."""
_LONGEST: Final = {"ko": 120, "en": 300}
"""Most characters of one inference, as the maker limits them."""
_SENTENCE: Final = re.compile(r".+?(?:[.!?…]+(?=\s|$)|$)", re.DOTALL)
_PAUSE_S: Final = 0.25
"""Silence between two sentences of one text."""


@dataclass(frozen=True, slots=True)
class _Style:
    """A voice: what the text encoder and the estimator, and what the duration predictor get."""

    text: NDArray[np.float32]
    duration: NDArray[np.float32]


class Supertonic:
    """The loaded models.

    Args:
        directory: holds ``onnx/`` and ``voice_styles/``, as the maker publishes them.
        threads: threads for one inference.

    Raises:
        ModelFileError: a file is missing or damaged.
    """

    def __init__(self, directory: Path, threads: int) -> None:
        folder = directory / "onnx"
        config = _read(folder / "tts.json", dict)
        try:
            self._rate = int(config["ae"]["sample_rate"])
            factor = int(config["ttl"]["chunk_compress_factor"])
            self._chunk = int(config["ae"]["base_chunk_size"]) * factor
            self._depth = int(config["ttl"]["latent_dim"]) * factor
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFileError(f"{folder}/tts.json lacks {error}", model=directory.name, cause=error) from error
        self._numbers = _read(folder / "unicode_indexer.json", list)
        self._styles = {name: _style(directory / "voice_styles" / f"{name}.json") for name in VOICES}
        self._open = True
        self._duration, self._text, self._estimator, self._vocoder = (
            open_session(folder / f"{name}.onnx", model=directory.name, threads=threads)
            for name in ("duration_predictor", "text_encoder", "vector_estimator", "vocoder")
        )

    @property
    def sample_rate(self) -> int:
        """Samples per second, as the model's configuration says: 44,100."""
        return self._rate

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Speech, sentence by sentence; see ``Synthesizer.synthesize``.

        Raises:
            EngineError: the language or the voice is unknown, or synthesis failed.
        """
        if not self._open:
            raise EngineError(ID, "the engine is closed")
        if voice.language not in LANGUAGES:
            raise EngineError(ID, f"no voice speaks {voice.language}")
        style = self._styles.get(voice.name or VOICES[0])
        if style is None:
            raise EngineError(ID, f"there is no voice {voice.name!r}")
        return self._pieces(text, voice, style)

    def close(self) -> None:
        """Free the models."""
        self._open = False
        self._duration = self._text = self._estimator = self._vocoder = None

    def _pieces(self, text: str, voice: Voice, style: _Style) -> Iterator[NDArray[np.int16]]:
        first = True
        for part in _parts(text, _LONGEST[voice.language]):
            numbers = self._numbers_of(part, voice.language)
            if numbers is None:
                continue
            if not first:
                yield np.zeros(round(_PAUSE_S * self._rate), np.int16)
            first = False
            try:
                yield self._infer(numbers, style, voice.speed * _USUAL_SPEED)
            except Exception as error:
                raise EngineError(ID, f"synthesis failed: {error}", cause=error) from error

    def _numbers_of(self, text: str, language: str) -> NDArray[np.int64] | None:
        """The model's numbers of the characters, 1 × length; ``None`` without a letter that it knows."""
        plain = " ".join(normalize("NFKD", text).split())
        plain += "" if plain.endswith((".", "!", "?", "…", ",")) else "."
        known = [self._number(letter) for letter in plain]
        if not any(number >= 0 and letter.isalnum() for number, letter in zip(known, plain, strict=True)):
            return None
        tagged = [*map(self._number, f"<{language}>"), *known, *map(self._number, f"</{language}>")]
        return np.array([[number for number in tagged if number >= 0]], np.int64)

    def _number(self, letter: str) -> int:
        code = ord(letter)
        return int(self._numbers[code]) if code < len(self._numbers) else -1

    def _infer(self, numbers: NDArray[np.int64], style: _Style, speed: float) -> NDArray[np.int16]:
        said = {"text_ids": numbers, "text_mask": np.ones((1, 1, numbers.shape[1]), np.float32)}
        duration_s = float(self._duration.run(None, {**said, "style_dp": style.duration})[0].reshape(-1)[0]) / speed
        samples = max(1, int(duration_s * self._rate))
        encoded = self._text.run(None, {**said, "style_ttl": style.text})[0]
        length = -(-samples // self._chunk)
        # The same text sounds the same each time, so the noise is always the same.
        features = np.random.default_rng(0).standard_normal((1, self._depth, length)).astype(np.float32)
        common = {
            "text_emb": encoded,
            "style_ttl": style.text,
            "text_mask": said["text_mask"],
            "latent_mask": np.ones((1, 1, length), np.float32),
            "total_step": np.array([STEPS], np.float32),
        }
        for step in range(STEPS):
            features = self._estimator.run(
                None, {**common, "noisy_latent": features, "current_step": np.array([step], np.float32)}
            )[0]
        sound = self._vocoder.run(None, {"latent": features})[0].reshape(-1)[:samples]
        pcm: NDArray[np.int16] = (np.clip(sound, -1, 1) * 32_767).astype(np.int16)
        return pcm


def _parts(text: str, longest: int) -> Iterator[str]:
    """Sentences, and the parts of sentences that are too long for one inference."""
    for found in _SENTENCE.finditer(text):
        rest = found.group().strip()
        while len(rest) > longest:
            end = max(rest.rfind(",", 0, longest), 0) or max(rest.rfind(" ", 0, longest), 0) or longest
            yield rest[:end].strip()
            rest = rest[end:].strip(" ,")
        yield rest


def _read(path: Path, kind: type) -> Any:
    """The content of a JSON file.

    Raises:
        ModelFileError: the file is missing, is not JSON, or holds another kind of value.
    """
    model = path.parent.parent.name
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        detail = f"{path} is missing; fetch it with: sori models pull {MODEL}"
        raise ModelFileError(detail, model=model, cause=error) from error
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: {error}", model=model, cause=error) from error
    if not isinstance(content, kind) or not content:
        raise ModelFileError(f"{path} holds no {kind.__name__}", model=model)
    return content


def _style(path: Path) -> _Style:
    content = _read(path, dict)
    try:
        text, duration = (
            np.array(content[name]["data"], np.float32).reshape(content[name]["dims"])
            for name in ("style_ttl", "style_dp")
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"{path} is no style: {error}", model=path.parent.parent.name, cause=error) from error
    return _Style(text=text, duration=duration)


def _create(path_of: Callable[[str], Path], threads: int) -> Supertonic:
    return Supertonic(path_of(MODEL), threads)


ENGINE: Final = SynthesizerEngine(
    id=ID,
    languages=frozenset(LANGUAGES),
    models=(MODEL,),
    neural=True,
    rank=2,
    demanding=True,
    on_request=True,
    licence="OpenRAIL-M",
    voices=tuple(NamedVoice(name=name, language=language) for language in LANGUAGES for name in VOICES),
    create=_create,
)
