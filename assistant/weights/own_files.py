"""Models that the user has put into the models folder.

Language models are GGUF files, loose or in a folder for each model. A Whisper checkpoint is a ``.pt`` file in a folder.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from assistant.core.gguf_names import SUFFIX, GgufModel, gguf_models
from assistant.weights.manifest import Manifest, Model, WeightFile

CHECKPOINT_SUFFIX = ".pt"

_log = logging.getLogger(__name__)


def own_models(folder: Path, known: Manifest) -> Manifest:
    """The user's own models in ``folder``.

    A model in a folder has the folder's name. A loose model has the name of its file without the suffix; it is left out
    if another model has this name. Empty and unreadable files are left out.

    Args:
        folder: the models folder; it may be missing.
        known: the models of the manifest, whose names are taken.
    """
    try:
        places = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError:
        # An unreadable folder counts as empty. Later uses of the folder report the error.
        return {}
    models: dict[str, Model] = {}
    for place in places:
        if place.name not in known and (model := _in_folder(place)) is not None:
            models[model.name] = model
    for found in gguf_models(place.name for place in places if _is_loose(place)):
        if found.name in known or found.name in models:
            _log.warning("%s is left out: another model is named %s", folder / found.files[0], found.name)
        elif (loose := _model(found.name, folder, found, loose=True)) is not None:
            models[loose.name] = loose
    return models


def _is_loose(place: Path) -> bool:
    try:
        return place.suffix == SUFFIX and place.is_file()
    except OSError:
        return False


def _in_folder(folder: Path) -> Model | None:
    """The model in a folder, or ``None`` unless the folder has the files of exactly one."""
    try:
        found = gguf_models(each.name for each in folder.glob(f"*{SUFFIX}"))
    except OSError:
        return None
    if not found:
        return _checkpoint(folder)
    return _model(folder.name, folder, found[0], loose=False) if len(found) == 1 else None


def _checkpoint(folder: Path) -> Model | None:
    """The speech recogniser in a folder, or ``None`` unless the folder has exactly one checkpoint."""
    try:
        files = list(folder.glob(f"*{CHECKPOINT_SUFFIX}"))
    except OSError:
        return None
    return _own(folder.name, folder, [files[0].name], purpose="stt", loose=False) if len(files) == 1 else None


def _model(name: str, folder: Path, found: GgufModel, *, loose: bool) -> Model | None:
    return _own(name, folder, found.files, purpose="llm", loose=loose)


def _own(name: str, folder: Path, names: Sequence[str], *, purpose: Literal["stt", "llm"], loose: bool) -> Model | None:
    """The model of these files; ``None`` if all of them are empty or unreadable."""
    sizes = {each: own_file_size(folder / each) or 0 for each in names}
    files = tuple(WeightFile(name=each, size=size, sha256="", parts=(), url="") for each, size in sizes.items())
    if not any(each.size for each in files):
        return None
    return Model(
        name=name,
        title=names[0],
        purpose=purpose,
        licence="",
        languages=(),
        home="",
        files=files,
        own=True,
        loose=loose,
    )


def own_file_size(file: Path) -> int | None:
    """Bytes of a file; ``None`` if it is missing or unreadable."""
    try:
        return file.stat().st_size
    except OSError:
        return None
