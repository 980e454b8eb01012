"""Language models that the user has put into the folder of models, one folder each with one GGUF file in it."""

from pathlib import Path

from assistant.weights.manifest import Manifest, Model, WeightFile


def own_models(folder: Path, known: Manifest) -> Manifest:
    """The models in ``folder`` that nobody but the user knows, by the names of their folders.

    Args:
        folder: where the models are; it may be missing.
        known: the models of the manifest, whose names are taken.
    """
    try:
        places = sorted(each for each in folder.iterdir() if each.name not in known and not each.name.startswith("."))
    except OSError:
        # What cannot be read has no models; whatever else is wanted of it says why.
        return {}
    return {each.name: model for each in places if (model := _model(each)) is not None}


def _model(folder: Path) -> Model | None:
    """The model in a folder; ``None`` where there is not exactly one that can be read."""
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
