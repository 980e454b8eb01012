"""``sori models recommend``: measures the recogniser here, and says which size, device and compute type to use."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from assistant.core.audio import SAMPLE_RATE
from assistant.core.display.table import aligned
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.recognition.choice import keep_measurements, kept_measurements, recognition_threads
from assistant.host.places import RESOURCES, Places
from assistant.speech.stt.recommendation import SIZES, MeasuredRecognizer, recommended
from assistant.weights.store import ModelStore

_RECORDING = RESOURCES / "recordings" / "ko_hotel_question.wav"
_SENTENCE_S = 5.0


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace, store: ModelStore) -> int:
    """Measure, store and print; returns the exit status.

    Raises:
        EngineError, ModelFileError: no model is here, or one cannot be run.
        StorageError: the measurements cannot be written.
    """
    from assistant.audio.cards.recordings import read_recording
    from assistant.engine.recognition.measuring import measure

    if not _here(store.folder):
        store.path(SIZES["base"])  # raises the error with the remedy
    sound = read_recording(_RECORDING)
    threads = recognition_threads(settings)
    print(texts("models.measuring", seconds=f"{sound.size / SAMPLE_RATE:.1f}", threads=threads), file=sys.stderr)
    measured = list(measure(store.folder, sound, threads))
    keep_measurements(places.home, threads, measured)
    if arguments.json:
        best = recommended(measured, tuple(SIZES))
        print(json.dumps([{**asdict(each), "recommended": each == best} for each in measured], indent=1))
        return 0
    for line in recommendation_lines(measured, store.folder, texts):
        print(line)
    return 0


def kept_lines(places: Places, settings: Settings, folder: Path, texts: Texts) -> Iterable[str]:
    """The recommendation from earlier measurements, or how to measure."""
    measured = kept_measurements(places.home, recognition_threads(settings))
    return recommendation_lines(measured, folder, texts) if measured else [texts("models.not_measured")]


def recommendation_lines(measured: Sequence[MeasuredRecognizer], folder: Path, texts: Texts) -> list[str]:
    """The table of measurements, the recommendation, and the sizes that are not here."""
    best = recommended(measured, tuple(SIZES))
    if best is None:
        return [texts("models.not_measured")]
    heads = [texts(f"models.recognizer.{name}") for name in ("size", "device", "compute_type", "factor", "sentence")]
    rows = [
        [
            each.size + (" *" if each == best else ""),
            each.device,
            each.compute_type,
            f"{each.real_time_factor:.2f}",
            texts("models.seconds", seconds=f"{each.real_time_factor * _SENTENCE_S:.1f}"),
        ]
        for each in measured
    ]
    lines = aligned([heads, *rows], right=(3, 4))
    lines.append(texts("models.recommended", size=best.size, device=best.device, compute_type=best.compute_type))
    absent = [model for size, model in SIZES.items() if model not in _here(folder)]
    return [*lines, *(texts("models.not_here_to_measure", model=model) for model in absent)]


def _here(folder: Path) -> list[str]:
    return [model for model in SIZES.values() if (folder / model / "model.bin").is_file()]
