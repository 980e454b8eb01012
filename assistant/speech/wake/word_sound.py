"""The sound of a spoken word as a sequence of numbers, by the front end of openWakeWord's models.

The front end was trained on speech of many people for any wake word: 96 numbers describe 760 ms of sound. A word that
one person says twice gives similar sequences, whatever a recogniser writes.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.speech.onnx import open_session
from assistant.speech.wake.likeness import Steps, normalised

MODEL: Final = "openwakeword"
_ROWS: Final = 76
"""Rows of 10 ms behind one step."""
_ROWS_A_STEP: Final = 8
_BANDS: Final = 32
_NUMBERS: Final = 96
_QUIET_SHARE: Final = 0.35
"""Share of the range between the quietest and the loudest rows that still belongs to the word."""
_QUIET_PERCENTILE: Final = 5
_BEFORE: Final = 40
"""Copies of the first row before a sound. Without them no step would end in a short word at its beginning."""
_FROM_START: Final = 20
_AFTER_END: Final = 30
"""Rows after the beginning and after the end of a word at which the steps that describe it end."""


class WordSound:
    """Describes sounds. One thread uses an instance. A sound of 1.9 s takes 20 ms.

    Args:
        directory: the directory of openWakeWord's model files.

    Raises:
        ModelFileError: a file is missing or damaged.
    """

    def __init__(self, directory: Path) -> None:
        self._mel: Any = open_session(directory / "melspectrogram.onnx", model=MODEL)
        self._embedding: Any = open_session(directory / "embedding_model.onnx", model=MODEL)

    def whole(self, pcm: NDArray[np.int16]) -> Steps:
        """The steps of a whole sound at 16 kHz, one for 80 ms."""
        return self._steps(self._rows(pcm))

    def word(self, pcm: NDArray[np.int16]) -> Steps:
        """The steps of the word in a sound that holds one word and silence."""
        rows = self._rows(pcm)
        steps = self._steps(rows)
        loudness = rows.mean(axis=1)
        loudest, quiet = float(loudness.max()), float(np.percentile(loudness, _QUIET_PERCENTILE))
        voiced = np.flatnonzero(loudness > loudest - _QUIET_SHARE * (loudest - quiet))
        first, last = (int(voiced[0]), int(voiced[-1]) + 1) if voiced.size else (0, len(rows))
        ends = np.arange(len(steps)) * _ROWS_A_STEP + _ROWS
        inside = steps[(ends >= first + _FROM_START) & (ends <= last + _AFTER_END)]
        return inside if len(inside) else steps[-1:]

    def _rows(self, pcm: NDArray[np.int16]) -> NDArray[np.float32]:
        output = self._mel.run(None, {"input": pcm.astype(np.float32)[None, :]})[0]
        rows: NDArray[np.float32] = output.reshape(-1, _BANDS) / np.float32(10) + np.float32(2)
        rows = np.concatenate((np.repeat(rows[:1], _BEFORE, axis=0), rows))
        missing = _ROWS - len(rows)
        return np.concatenate((rows, np.repeat(rows[-1:], missing, axis=0))) if missing > 0 else rows

    def _steps(self, rows: NDArray[np.float32]) -> Steps:
        starts = range(0, len(rows) - _ROWS + 1, _ROWS_A_STEP)
        windows = np.stack([rows[start : start + _ROWS] for start in starts])[..., None]
        return normalised(self._embedding.run(None, {"input_1": windows})[0].reshape(-1, _NUMBERS))


def create(path_of: Callable[[str], Path]) -> WordSound:
    """Load the models.

    Args:
        path_of: gives the folder of a model.

    Raises:
        ModelFileError: a file is missing or damaged.
    """
    return WordSound(path_of(MODEL))
