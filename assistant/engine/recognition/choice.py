"""Stores the measured speed of the recogniser, and takes the values of ``auto`` in ``[voice]`` from it (V-09)."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from assistant.core.settings import Settings
from assistant.host.places import models_folder
from assistant.host.processor import processor_name
from assistant.speech.stt.recommendation import SIZES, MeasuredRecognizer, recommended
from assistant.storage.atomic import write_text

_FILE: Final = "recognizer-pace.json"
AUTO: Final = "auto"


def recognition_threads(settings: Settings) -> int:
    """Number of threads for recognition: half of the cores.

    The beam search multiplies small matrices, and its threads wait for each other at each of them. The other cores are
    left to the language model, which reads ahead while the user speaks.
    """
    return settings.voice.threads or max(1, (os.cpu_count() or 2) // 2)


def kept_measurements(home: Path, threads: int) -> tuple[MeasuredRecognizer, ...]:
    """The measurements of this machine with this number of threads.

    Returns:
        Nothing if there are none, if the file is damaged, or if it comes from another processor.
    """
    try:
        kept = json.loads((home / _FILE).read_text(encoding="utf-8"))
        if kept["machine"] != _machine(threads):
            return ()
        return tuple(_measured(each) for each in kept["measured"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def keep_measurements(home: Path, threads: int, measured: Sequence[MeasuredRecognizer]) -> None:
    """Store the measurements in place of earlier ones.

    Raises:
        StorageError: the file cannot be written.
    """
    content = {"machine": _machine(threads), "measured": [asdict(each) for each in measured]}
    write_text(home / _FILE, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def with_measured_recognizer(settings: Settings, home: Path) -> Settings:
    """The settings with the recommended values in place of ``auto``; unchanged without measurements.

    A value that the user has chosen stays, and only measurements with it count. A size counts only if its model is
    here: ``auto`` never starts a download.
    """
    voice = settings.voice
    wanted = {"size": voice.stt_size, "device": voice.stt_device, "compute_type": voice.stt_compute_type}
    fitting = [
        each
        for each in kept_measurements(home, recognition_threads(settings))
        if all(value in (AUTO, getattr(each, name)) for name, value in wanted.items())
        and (models_folder(home) / SIZES.get(each.size, "") / "model.bin").is_file()
    ]
    best = recommended(fitting, tuple(SIZES))
    if best is None:
        return settings
    chosen: dict[str, Any] = {f"stt_{name}": getattr(best, name) for name in wanted}
    return replace(settings, voice=replace(voice, **chosen))


def _measured(entry: dict[str, Any]) -> MeasuredRecognizer:
    return MeasuredRecognizer(
        size=str(entry["size"]),
        device=str(entry["device"]),
        compute_type=str(entry["compute_type"]),
        real_time_factor=float(entry["real_time_factor"]),
    )


def _machine(threads: int) -> str:
    return f"{processor_name()} x{os.cpu_count() or 1} threads={threads}"
