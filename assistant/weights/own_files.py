"""Language models that the user has put into the models folder: GGUF files, loose or in a folder for each model."""

import logging
from pathlib import Path

from assistant.core.gguf_names import SUFFIX, GgufModel, gguf_models
from assistant.weights.manifest import Manifest, Model, WeightFile

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
    return _model(folder.name, folder, found[0], loose=False) if len(found) == 1 else None


def _model(name: str, folder: Path, found: GgufModel, *, loose: bool) -> Model | None:
    sizes = {each: own_file_size(folder / each) or 0 for each in found.files}
    files = tuple(WeightFile(name=each, size=size, sha256="", parts=(), url="") for each, size in sizes.items())
    if not any(each.size for each in files):
        return None
    return Model(
        name=name,
        title=found.files[0],
        purpose="llm",
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
