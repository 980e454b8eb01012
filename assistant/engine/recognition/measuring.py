"""Measures how fast the recogniser transcribes a recording, for each model size and compute type that is here."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE
from assistant.speech.stt.faster_whisper import FasterWhisper, usable_compute_types
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.stt.recommendation import SIZES, MeasuredRecognizer

COMPUTE_TYPES: Final = {"cpu": ("int8", "float32"), "cuda": ("float16", "int8_float16")}
"""Types to measure. The others differ from these in rounding, not in speed, or are slower on every machine."""
_TIMES: Final = 2
"""Measured transcriptions of each variant; the fastest one counts, because other programs disturb the others."""


class Load(Protocol):
    """Loads a recogniser from a folder."""

    def __call__(self, directory: Path, threads: int, *, device: str, compute_type: str) -> Recognizer:
        """Load it."""
        ...


def measure(
    folder: Path,
    sound: NDArray[np.int16],
    threads: int,
    *,
    load: Load = FasterWhisper,
    usable: Callable[[str], frozenset[str]] = usable_compute_types,
    now: Callable[[], float] = time.perf_counter,
) -> Iterator[MeasuredRecognizer]:
    """Measure each variant whose model is in ``folder`` and that this machine can run.

    Args:
        folder: the models folder.
        sound: speech at 16 kHz.
        threads: threads for one inference.
        load: loads a recogniser.
        usable: returns the compute types of a device.
        now: a clock in seconds.

    Raises:
        EngineError, ModelFileError: a model cannot be loaded or run.
    """
    for size, model in SIZES.items():
        if not (folder / model / "model.bin").is_file():
            continue
        for device, types in COMPUTE_TYPES.items():
            for compute_type in (each for each in types if each in usable(device)):
                recognizer = load(folder / model, threads, device=device, compute_type=compute_type)
                try:
                    seconds = _fastest(recognizer, sound, now)
                finally:
                    recognizer.close()
                factor = seconds / (sound.size / SAMPLE_RATE)
                yield MeasuredRecognizer(
                    size=size, device=device, compute_type=compute_type, real_time_factor=round(factor, 4)
                )


def _fastest(recognizer: Recognizer, sound: NDArray[np.int16], now: Callable[[], float]) -> float:
    """Seconds of the fastest transcription after one that is not measured: a first inference sets up the library."""
    recognizer.transcribe(sound, language=None)
    times = []
    for _ in range(_TIMES):
        began = now()
        recognizer.transcribe(sound, language=None)
        times.append(now() - began)
    return min(times)
