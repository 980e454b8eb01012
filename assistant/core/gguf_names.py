"""File names of GGUF models. llama.cpp splits a large model into files such as ``NAME-00001-of-00003.gguf``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

SUFFIX = ".gguf"
_PROJECTOR = re.compile(r"(?:^|[-_.])mmproj(?:[-_.]|$)", re.IGNORECASE)
_PART = re.compile(r"(?P<name>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf")


@dataclass(frozen=True, slots=True)
class GgufModel:
    """A model in one or more files.

    Attributes:
        name: the file name without its suffix and its number.
        files: the names of all files in order. llama.cpp is given the first one and finds the others.
    """

    name: str
    files: tuple[str, ...]


def gguf_model(file: str) -> GgufModel:
    """The model that a file belongs to, by the file's name."""
    part = _PART.fullmatch(file)
    if part is None or not 0 < int(part["number"]) <= int(part["count"]):
        return GgufModel(file.removesuffix(SUFFIX), (file,))
    name, count = part["name"], int(part["count"])
    return GgufModel(name, tuple(f"{name}-{each:05}-of-{count:05}{SUFFIX}" for each in range(1, count + 1)))


def is_projector(file: str) -> bool:
    """Whether a file is only the part of a model that sees images. llama.cpp names it ``mmproj``."""
    return _PROJECTOR.search(file) is not None


def gguf_models(files: Iterable[str]) -> list[GgufModel]:
    """The models of these files. A split model counts once, also if some of its files are missing.

    Projectors are left out, because nobody can chat with one.
    """
    return list(dict.fromkeys(gguf_model(file) for file in sorted(files) if not is_projector(file)))
