"""Smart Turn v3: the probability, from the last seconds of sound, that the speaker has finished.

The model (https://github.com/pipecat-ai/smart-turn, BSD-2-Clause) is a Whisper encoder with one output. Its input is
the log-mel spectrogram of exactly 8 s: the newest sound at the end, silence before it. The samples are scaled to zero
mean and unit variance, as Whisper's feature extractor does.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import to_samples
from assistant.core.errors import EngineError
from assistant.speech.endpoint.log_mel import log_mel
from assistant.speech.onnx import open_session

MODEL: Final = "smart-turn-v3"
FILE: Final = "smart-turn-v3.2-cpu.onnx"
WINDOW_S: Final = 8.0
_VARIANCE_FLOOR: Final = 1e-7


class SmartTurn:
    """The loaded model.

    Args:
        directory: the directory of the model file.
        threads: threads for one inference; two threads halve the time.

    Raises:
        ModelFileError: the file is missing or damaged.
    """

    def __init__(self, directory: Path, threads: int = 1) -> None:
        self._session: Any = open_session(directory / FILE, model=MODEL, threads=threads)

    def probability(self, pcm: NDArray[np.int16]) -> float:
        """Probability from 0 to 1 that the speaker has finished; see ``TurnEndDetector``.

        Raises:
            EngineError: the model failed.
        """
        window = np.zeros(to_samples(WINDOW_S), dtype=np.float32)
        newest = pcm[-window.size :]
        if newest.size:
            window[-newest.size :] = newest
        window /= 32768
        window -= window.mean()
        window /= np.sqrt(window.var() + np.float32(_VARIANCE_FLOOR))
        try:
            output = self._session.run(None, {"input_features": log_mel(window)[None]})[0]
        except Exception as error:
            raise EngineError(MODEL, f"inference failed: {error}", cause=error) from error
        return float(output[0, 0])


def create(path_of: Callable[[str], Path], threads: int) -> SmartTurn:
    """Load the model. The arguments match the ``create`` of recognisers and synthesisers."""
    return SmartTurn(path_of(MODEL), threads)
