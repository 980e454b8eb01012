"""The passages of one project by their vectors: the newest ones in memory, all others in sealed files.

The newest vectors are compared one by one, by a product of NumPy. When there are many, they are sealed: usearch makes a
graph of them (HNSW), and its file is mapped into memory, so a search reads the pages that it needs. Sealed files never
change. Two of one size are made into one, because a search takes about as long in each file, whatever its size. The
rows hold all vectors, so a lost file costs only time.
"""

import logging
import threading
from collections.abc import Callable, Collection, Sequence
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from assistant.knowledge.meaning.embedder import Vectors

_log = logging.getLogger(__name__)

Ids = NDArray[np.int64]
FetchVectors = Callable[[Sequence[int]], tuple[Ids, Vectors]]

SEALED_AT: Final = 16_384
"""Vectors that are compared one by one: 25 MB, which NumPy reads in 5 ms."""
_LARGEST: Final = 1 << 17
"""Vectors of the largest file, which takes 125 MB of memory while it is made."""
_ONE_SIZE: Final = 1.5
"""Two files are of one size if the larger one has less than this many times the vectors of the smaller one."""
_MOST_DEAD: Final = 0.3
"""Share of forgotten passages at which a file is thrown away; what lives of it is sealed again."""
_CONNECTIONS: Final = 16
_EXPANSION_ADD: Final = 128
_EXPANSION_SEARCH: Final = 256
"""Vectors that a search looks at in a small file. A large one needs more of them to find the nearest as surely."""
_EXPANSION_SHARE: Final = 128
"""A search looks at one in this many vectors of a large file."""
_SPARE: Final = 20
_PART: Final = 1_024
"""Vectors that are fetched at once."""


class _Sealed:
    """One sealed file and the ids in it."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.path = path
        self._index = _empty(dimensions)
        self._index.view(str(path))
        self.ids: Ids = np.sort(np.asarray(self._index.keys, dtype=np.int64))
        # It has a setter, which its declared types leave out.
        self._index.expansion_search = max(_EXPANSION_SEARCH, len(self.ids) // _EXPANSION_SHARE)  # type: ignore[misc]

    def search(self, vector: Vectors, limit: int) -> tuple[Ids, Vectors]:
        """The nearest ids, and the products of their vectors and this one."""
        found = self._index.search(vector, limit)
        return found.keys.astype(np.int64), 1 - found.distances

    def products(self, ids: Ids, vector: Vectors) -> tuple[Ids, Vectors]:
        """Those of these ids that the file has, and the products of their vectors and this one."""
        here = ids[self.ids[np.searchsorted(self.ids, ids).clip(max=len(self.ids) - 1)] == ids]
        vectors = np.asarray(self._index.get(here), np.float32) if len(here) else np.empty((0, len(vector)), np.float32)
        return here, vectors @ vector


class VectorFiles:
    """Adds, removes and finds passages by their vectors.

    One thread may add and remove, one may seal, and others may search, all at once.

    Args:
        folder: the folder of the project's files.
        dimensions: numbers of a vector.
        ids: ids of all passages with a vector.
        fetch: gives the vectors of passages, of those that are still there.
        goes_on: tells whether sealing, which takes minutes for a large file, is still wanted.
    """

    def __init__(
        self, folder: Path, dimensions: int, ids: Ids, fetch: FetchVectors, goes_on: Callable[[], bool] = lambda: True
    ) -> None:
        self._folder, self.dimensions, self._fetch, self._goes_on = folder, dimensions, fetch, goes_on
        self._gone = set[int]()
        self._changing = threading.Lock()
        """Held while what is in memory is replaced."""
        self._sealed = self._opened(ids)
        self._newest: tuple[Ids, Vectors] = np.empty(0, np.int64), np.empty((0, dimensions), np.float32)
        covered = [each.ids for each in self._sealed]
        left = np.setdiff1d(ids, np.concatenate(covered)) if covered else ids
        for start in range(0, len(left), _PART):
            self.add(*self._fetch(left[start : start + _PART].tolist()))
            self.seal()

    @property
    def is_full(self) -> bool:
        """Whether there is something to seal."""
        return len(self._newest[0]) >= SEALED_AT

    def add(self, ids: Ids, vectors: Vectors) -> None:
        """Add passages; those that are there already are left alone."""
        with self._changing:
            known, others = self._newest
            fresh = ~np.isin(ids, known)
            self._newest = np.concatenate([known, ids[fresh]]), np.concatenate([others, vectors[fresh]])

    def remove(self, ids: Collection[int]) -> None:
        """Forget passages."""
        with self._changing:
            self._gone.update(ids)
        self._leave_out(np.asarray(list(ids), np.int64))

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        """Ids of the nearest passages, with the products of their vectors and this one, the nearest first."""
        # In this order, because what is sealed meanwhile is then in both.
        (ids, vectors), sealed = self._newest, self._sealed
        products = vectors @ vector
        nearest = np.argpartition(-products, limit)[:limit] if len(products) > limit else np.arange(len(products))
        # More than the limit, because some of what is found may be gone.
        found = _by_id((ids[nearest], products[nearest]), *(each.search(vector, limit + _SPARE) for each in sealed))
        return sorted(
            ((id_, product) for id_, product in found.items() if id_ not in self._gone), key=lambda hit: -hit[1]
        )[:limit]

    def products(self, ids: Collection[int], vector: Vectors) -> dict[int, float]:
        """The products of the vectors of these passages and this one, of those that have a vector."""
        wanted = np.fromiter(ids, np.int64, len(ids))
        (known, vectors), sealed = self._newest, self._sealed
        here = np.isin(known, wanted)
        return _by_id((known[here], vectors[here] @ vector), *(each.products(wanted, vector) for each in sealed))

    def seal(self) -> None:
        """Seal the newest vectors if there are many, and merge files of one size."""
        if self.is_full and self._seal(self._newest[0], ()):
            while merged := self._alike():
                with self._changing:
                    gone = list(self._gone)
                ids = np.concatenate([each.ids for each in merged])
                if not self._seal(ids[~np.isin(ids, gone)], merged):
                    return

    def _opened(self, ids: Ids) -> list[_Sealed]:
        opened = list[_Sealed]()
        for path in sorted(self._folder.glob("*.usearch")):
            try:
                sealed = _Sealed(path, self.dimensions)
            except (RuntimeError, ValueError, OSError) as error:
                _log.warning("The file of vectors %s is broken; it is made anew: %s", path.name, error)
                path.unlink(missing_ok=True)
                continue
            gone = np.setdiff1d(sealed.ids, ids)
            if len(gone) > _MOST_DEAD * len(sealed.ids):
                path.unlink(missing_ok=True)
                continue
            self._gone.update(gone.tolist())
            opened.append(sealed)
        return opened

    def _seal(self, ids: Ids, replaced: Collection[_Sealed]) -> bool:
        """Make a file of these passages, in the place of those that hold them; ``False`` if that is wanted no more."""
        index = _empty(self.dimensions)
        for start in range(0, len(ids), _PART):
            if not self._goes_on():
                return False
            index.add(*self._fetch(ids[start : start + _PART].tolist()), threads=1)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = next(path for at in count() if not (path := self._folder / f"{at:06}.usearch").exists())
        unfinished = path.with_suffix(".unfinished")
        index.save(str(unfinished))
        unfinished.replace(path)
        self._sealed = [*(each for each in self._sealed if each not in replaced), _Sealed(path, self.dimensions)]
        for each in replaced:
            each.path.unlink(missing_ok=True)
        self._leave_out(ids)
        return True

    def _leave_out(self, gone: Ids) -> None:
        with self._changing:
            ids, vectors = self._newest
            kept = ~np.isin(ids, gone)
            self._newest = ids[kept], vectors[kept]

    def _alike(self) -> Sequence[_Sealed]:
        """The two smallest files if they are of one size and may be one."""
        smallest = sorted(self._sealed, key=lambda each: len(each.ids))[:2]
        sizes = [len(each.ids) for each in smallest]
        return smallest if len(sizes) == 2 and sizes[1] < sizes[0] * _ONE_SIZE and sum(sizes) <= _LARGEST else ()


def _by_id(*parts: tuple[Ids, Vectors]) -> dict[int, float]:
    return {
        id_: product for ids, products in parts for id_, product in zip(ids.tolist(), products.tolist(), strict=True)
    }


def _empty(dimensions: int) -> Index:
    return Index(
        ndim=dimensions,
        metric="ip",
        dtype="f16",
        connectivity=_CONNECTIONS,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )
