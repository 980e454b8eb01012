"""Language models that the user has put into the folder of models, one folder each with one GGUF file in it."""

from pathlib import Path

from assistant.app.manifest import Manifest, Model, WeightFile


def own_models(folder: Path, known: Manifest) -> Manifest:
    """The models in ``folder`` that nobody but the user knows, by the names of their folders.

    Args:
        folder: where the models are; it may be missing.
        known: the models of the manifest, whose names are taken.
    """
    try:
        candidates = sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith("."))
        found = {each.name: sorted(each.glob("*.gguf")) for each in candidates if each.name not in known}
        return {name: _model(name, files[0]) for name, files in found.items() if len(files) == 1}
    except OSError:
        # What cannot be read has no models; whatever else is wanted of it says why.
        return {}


def _model(name: str, file: Path) -> Model:
    weights = WeightFile(name=file.name, size=file.stat().st_size, sha256="", parts=(), url="")
    return Model(
        name=name, title=file.name, purpose="llm", licence="", languages=(), home="", files=(weights,), own=True
    )
