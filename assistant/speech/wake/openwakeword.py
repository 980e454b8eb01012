"""Wake words with openWakeWord's models, run on onnxruntime.

The chain follows openWakeWord (https://github.com/dscripka/openWakeWord, Apache-2.0) frame for frame. Every 80 ms it
computes a mel spectrogram of the newest 80 ms plus 30 ms of context, a 96-number embedding of the newest 76 spectrogram
rows (760 ms), and a score over the newest embeddings, 16 for most words. Scores equal those of the ``openwakeword``
package on the same samples. ``docs/decisions/wake-word.md`` explains why the package is not used.

While nobody speaks (``active=False``) samples are only buffered, and during the first moment of a voice, which is often
only a noise. Then the buffered samples run through the chain first. The buffer covers everything that a score depends
on, so gating changes no score.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.onnx import open_session
from assistant.speech.wake.detector import WakeEngine, WakeHit, WakeOptions

MODEL: Final = "openwakeword"
HOP_SAMPLES: Final = 1280
"""One step of the chain: 80 ms."""
_CONTEXT_SAMPLES: Final = 480
"""Context before a hop for its spectrogram. It completes the 8 rows of a hop with 3 rows of 10 ms."""
_MEL_ROWS: Final = 76
_MEL_BANDS: Final = 32
_ROWS_A_HOP: Final = 8
_EMBEDDING_SIZE: Final = 96
_DIMENSIONS: Final = 3
"""Dimensions of a word's input: batch, embeddings, numbers of an embedding."""
_WARM_UP_FRAMES: Final = 5
"""The first frames score zero, because the chain has too little sound for a valid score."""
_LINGER_HOPS: Final = 10
"""Hops scored after the voice ends. The score often peaks up to 0.4 s after the word."""
_LEAST_VOICE_SAMPLES: Final = to_samples(0.24)
"""Voice that begins the scoring. Noises that sound like a voice are mostly shorter. In 57 recordings of a word of three
syllables the voice lasts at least 0.5 s."""
_UNSURE_PAUSE_SAMPLES: Final = to_samples(0.5)
"""Sound after an unsure hit in which no other unsure one is reported."""
_PARTS: Final = frozenset({"melspectrogram", "embedding_model", "silero_vad"})


class OpenWakeWord:
    """Detects one wake word, frame by frame.

    Args:
        directory: the directory of the model files.
        options: the word and its detection thresholds.

    Raises:
        EngineError: the word does not exist.
        ModelFileError: a file is missing or damaged.
    """

    def __init__(self, directory: Path, options: WakeOptions) -> None:
        self._options = options
        self._mel = open_session(directory / "melspectrogram.onnx", model=MODEL)
        self._embedding = open_session(directory / "embedding_model.onnx", model=MODEL)
        file = _file_of(directory, options.word)
        self._word = open_session(file, model=MODEL)
        self._input = self._word.get_inputs()[0]
        shape = self._input.shape
        if len(shape) != _DIMENSIONS or not isinstance(shape[1], int) or shape[2] != _EMBEDDING_SIZE:
            detail = f"{file} is no model of a wake word: its input is {shape}, not [1, frames, {_EMBEDDING_SIZE}]"
            raise ModelFileError(detail, model=MODEL)
        if self._word.get_outputs()[0].shape != [1, 1]:
            raise EngineError(MODEL, f"the model {options.word} detects several words instead of one")
        self._frames: int = shape[1]
        self._initial_embeddings = self._embeddings_of_noise()
        self.reset()

    @property
    def name(self) -> str:
        """The wake word."""
        return self._options.word

    @property
    def preroll_samples(self) -> int:
        """Length of the buffered silence that is processed when a voice starts, in samples."""
        return self._preroll_hops * HOP_SAMPLES

    @property
    def last_score(self) -> float:
        """Score of the newest frame, from 0 to 1."""
        return self._score

    def reset(self) -> None:
        """Forget all samples and restart the sample count at zero."""
        self._partial: list[NDArray[np.int16]] = []
        self._partial_samples = 0
        self._context = np.empty(0, dtype=np.int16)
        self._rows = np.ones((_MEL_ROWS, _MEL_BANDS), dtype=np.float32)
        self._embeddings = self._initial_embeddings.copy()
        self._pending: deque[NDArray[np.int16]] = deque()
        self._dropped = False
        self._linger = 0
        self._voice_samples = 0
        self._hops = 0
        self._score = 0.0
        self._streak = 0
        self._quiet_until = 0
        self._highest = 0.0
        self._unsure_from = 0

    def feed(self, pcm: NDArray[np.int16], *, active: bool = True) -> WakeHit | None:
        """Take the next samples; see ``WakeDetector.feed``."""
        self._voice_samples = max(0, min(_LEAST_VOICE_SAMPLES, self._voice_samples + (1 if active else -1) * pcm.size))
        if active and (self._linger > 0 or self._voice_samples == _LEAST_VOICE_SAMPLES):
            self._linger = _LINGER_HOPS
        self._partial.append(pcm)
        self._partial_samples += pcm.size
        if self._partial_samples < HOP_SAMPLES:
            return None
        samples = np.concatenate(self._partial)
        whole = samples.size - samples.size % HOP_SAMPLES
        self._partial, self._partial_samples = [samples[whole:]], samples.size - whole
        hit: WakeHit | None = None
        for start in range(0, whole, HOP_SAMPLES):
            self._keep(samples[start : start + HOP_SAMPLES].copy())
            if self._linger > 0:
                hit = self._catch_up() or hit
            if not active:
                self._linger = max(0, self._linger - 1)
        return hit

    @property
    def _preroll_hops(self) -> int:
        return self._frames + _MEL_ROWS // _ROWS_A_HOP + 1

    def _keep(self, hop: NDArray[np.int16]) -> None:
        self._hops += 1
        self._pending.append(hop)
        while len(self._pending) > self._preroll_hops:
            self._context = self._pending.popleft()[-_CONTEXT_SAMPLES:]
            self._dropped = True
            self._streak = 0

    def _catch_up(self) -> WakeHit | None:
        """Run the chain over all buffered hops.

        After a gap, embeddings are skipped until the spectrogram rows behind them are complete. The score is skipped
        until all embeddings behind it are complete.
        """
        hit: WakeHit | None = None
        skipped = self._preroll_hops - self._frames if self._dropped else 0
        filled = self._frames if self._dropped else 0
        self._dropped = False
        while self._pending:
            end = (self._hops - len(self._pending) + 1) * HOP_SAMPLES
            self._hear(self._pending.popleft())
            if skipped > 0:
                skipped -= 1
                continue
            self._embed()
            filled -= 1
            if filled <= 0:
                hit = self._judge(end) or hit
        return hit

    def _hear(self, hop: NDArray[np.int16]) -> None:
        sound = np.concatenate((self._context, hop))
        self._context = hop[-_CONTEXT_SAMPLES:]
        rows = self._spectrogram(sound)
        self._rows = np.concatenate((self._rows, rows))[-_MEL_ROWS:]

    def _spectrogram(self, sound: NDArray[np.int16]) -> NDArray[np.float32]:
        output = self._mel.run(None, {"input": sound.astype(np.float32)[None, :]})[0]
        rows: NDArray[np.float32] = output.reshape(-1, _MEL_BANDS) / np.float32(10) + np.float32(2)
        return rows

    def _embed(self) -> None:
        window = self._rows[None, :, :, None]
        newest = self._embedding.run(None, {"input_1": window})[0].reshape(1, _EMBEDDING_SIZE)
        self._embeddings = np.concatenate((self._embeddings[1:], newest))

    def _judge(self, end: int) -> WakeHit | None:
        score = float(self._word.run(None, {self._input.name: self._embeddings[None]})[0][0, 0])
        self._score = score if end > _WARM_UP_FRAMES * HOP_SAMPLES else 0.0
        self._streak = self._streak + 1 if self._score >= self._options.sensitivity else 0
        if end < self._quiet_until:
            return None
        if self._streak < self._options.frames:
            return self._unsure(end)
        self._streak, self._highest = 0, 0.0
        self._quiet_until = end + to_samples(self._options.cooldown_s)
        return WakeHit(name=self.name, score=self._score, end=end)

    def _unsure(self, end: int) -> WakeHit | None:
        """A hit below the threshold, as soon as its score falls: until then it may still become a sure one."""
        highest = self._highest
        if self._score >= max(highest, self._options.least):
            self._highest = self._score
            return None
        self._highest = 0.0
        if not highest or end < self._unsure_from:
            return None
        self._unsure_from = end + _UNSURE_PAUSE_SAMPLES
        return WakeHit(name=self.name, score=highest, end=end, sure=False)

    def _embeddings_of_noise(self) -> NDArray[np.float32]:
        """Initial embeddings, computed from faint noise with a fixed seed."""
        length = SAMPLE_RATE * 4
        noise = np.random.default_rng(seed=1).integers(-1000, 1000, length).astype(np.int16)
        rows = self._spectrogram(noise)
        starts = range(0, rows.shape[0] - _MEL_ROWS + 1, _ROWS_A_HOP)
        windows = np.stack([rows[start : start + _MEL_ROWS] for start in starts][-self._frames :])
        embedded: Any = self._embedding.run(None, {"input_1": windows[..., None]})[0]
        embeddings: NDArray[np.float32] = embedded.reshape(-1, _EMBEDDING_SIZE)
        missing = self._frames - embeddings.shape[0]
        return np.concatenate((np.repeat(embeddings[:1], missing, axis=0), embeddings)) if missing else embeddings


def _file_of(directory: Path, word: str) -> Path:
    """Return the newest version of a word's model.

    Raises:
        EngineError: the directory holds no model for the word.
    """
    found = [path for path in directory.glob("*.onnx") if _word_of(path) == word]
    if not found:
        known = ", ".join(_words_in(path.name for path in directory.glob("*"))) or "none"
        raise EngineError(MODEL, f"{directory} has no model for the wake word {word!r}; it has: {known}")
    return max(found, key=_version_of)


def _version_of(path: Path) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", path.stem.rpartition("_v")[2]))


def _word_of(path: Path) -> str:
    return re.sub(r"_v[\d.]+$", "", path.stem)


def _words_in(files: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({_word_of(Path(name)) for name in files if name.endswith(".onnx")} - _PARTS))


def _create(path_of: Callable[[str], Path], options: WakeOptions) -> OpenWakeWord:
    return OpenWakeWord(path_of(MODEL), options)


ENGINE: Final = WakeEngine(id="openwakeword", models=(MODEL,), words=_words_in, create=_create)
