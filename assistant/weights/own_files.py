"""Language models that the user has put into the models folder: one folder each, with one GGUF file."""

from pathlib import Path

from assistant.weights.manifest import Manifest, Model, WeightFile


def own_models(folder: Path, known: Manifest) -> Manifest:
    """The user's own models in ``folder``, by the names of their folders.

    Args:
        folder: the models folder; it may be missing.
        known: the models of the manifest, whose names are taken.
    """
    try:
        places = sorted(each for each in folder.iterdir() if each.name not in known and not each.name.startswith("."))
    except OSError:
        # An unreadable folder counts as empty. Later uses of the folder report the error.
        return {}
    return {each.name: model for each in places if (model := _model(each)) is not None}


def _model(folder: Path) -> Model | None:
    """The model in a folder, or ``None`` unless the folder has exactly one readable file."""
    try:
        files = list(folder.glob("*.gguf"))
        size = files[0].stat().st_size if len(files) == 1 else 0
    except OSError:
        return None
    if not size:
        return None
    (file,) = files
    weights = WeightFile(name=file.name, size=size, sha256="", parts=(), url="")
    return Model(
        name=folder.name, title=file.name, purpose="llm", licence="", languages=(), home="", files=(weights,), own=True
    )
