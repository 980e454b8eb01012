"""The passages of one project by their vectors: the newest ones in memory, all others in sealed files.

The newest vectors are compared one by one, by a product of NumPy. When there are many, they are sealed: usearch makes a
graph of them (HNSW), and its file is mapped into memory, so a search reads the pages that it needs. Sealed files never
change. Several small ones are made into a large one. The rows hold all vectors, so a lost file costs only time.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
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
_MERGED: Final = 8
"""Files of one size that are made into one."""
_LARGEST: Final = 1 << 20
"""Vectors of the largest file."""
_MOST_DEAD: Final = 0.3
"""Share of forgotten passages at which a file is thrown away; what lives of it is sealed again."""
_CONNECTIONS: Final = 16
_EXPANSION_ADD: Final = 128
_EXPANSION_SEARCH: Final = 128
_SPARE: Final = 20
_PART: Final = 4_096
"""Vectors that are fetched at once."""


class _Sealed:
    """One sealed file and the ids in it."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.path = path
        self._index = _empty(dimensions)
        self._index.view(str(path))
        self.ids: Ids = np.sort(np.asarray(self._index.keys, dtype=np.int64))

    def search(self, vector: Vectors, limit: int) -> Iterable[tuple[int, float]]:
        found = self._index.search(vector, limit)
        return ((int(key), 1 - float(distance)) for key, distance in zip(found.keys, found.distances, strict=True))


class VectorFiles:
    """Adds, removes and finds passages by their vectors.

    One thread at a time may change them; another may search meanwhile.

    Args:
        folder: the folder of the project's files.
        dimensions: numbers of a vector.
        ids: ids of all passages with a vector.
        fetch: gives the vectors of passages, of those that are still there.
    """

    def __init__(self, folder: Path, dimensions: int, ids: Ids, fetch: FetchVectors) -> None:
        self._folder, self.dimensions, self._fetch = folder, dimensions, fetch
        self._gone = set[int]()
        self._sealed = self._opened(ids)
        self._newest: tuple[Ids, Vectors] = np.empty(0, np.int64), np.empty((0, dimensions), np.float32)
        covered = [each.ids for each in self._sealed]
        self._add_all(np.setdiff1d(ids, np.concatenate(covered)) if covered else ids)

    def add(self, ids: Ids, vectors: Vectors) -> None:
        """Add passages; those that are there already are left alone."""
        known, others = self._newest
        fresh = ~np.isin(ids, known)
        self._newest = np.concatenate([known, ids[fresh]]), np.concatenate([others, vectors[fresh]])
        if len(self._newest[0]) >= SEALED_AT:
            self._seal(self._newest[0], [])

    def remove(self, ids: Collection[int]) -> None:
        """Forget passages."""
        self._gone.update(ids)
        self._leave_out(np.asarray(list(ids), np.int64))

    def search(self, vector: Vectors, limit: int) -> list[tuple[int, float]]:
        """Ids of the nearest passages, with the products of their vectors and this one, the nearest first."""
        (ids, vectors), sealed = self._newest, self._sealed
        products = vectors @ vector
        nearest = np.argpartition(-products, limit)[:limit] if len(products) > limit else np.arange(len(products))
        found = {int(ids[at]): float(products[at]) for at in nearest}
        for each in sealed:  # More than the limit, because some of what is found may be gone.
            hits = each.search(vector, limit + _SPARE)
            found.update((id_, product) for id_, product in hits if id_ not in self._gone)
        return sorted(found.items(), key=lambda hit: -hit[1])[:limit]

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

    def _add_all(self, ids: Ids) -> None:
        for start in range(0, len(ids), _PART):
            self.add(*self._fetch(ids[start : start + _PART].tolist()))

    def _seal(self, ids: Ids, replaced: Sequence[_Sealed]) -> None:
        """Make a file of these passages, in the place of the files that hold them until now."""
        index = _empty(self.dimensions)
        for start in range(0, len(ids), _PART):
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
        self._merge(len(ids))

    def _leave_out(self, gone: Ids) -> None:
        ids, vectors = self._newest
        kept = ~np.isin(ids, gone)
        self._newest = ids[kept], vectors[kept]

    def _merge(self, size: int) -> None:
        alike = [each for each in self._sealed if size / 2 < len(each.ids) < size * 2]
        if len(alike) >= _MERGED and size * _MERGED <= _LARGEST:
            ids = np.concatenate([each.ids for each in alike])
            self._seal(ids[~np.isin(ids, list(self._gone))], alike)


def _empty(dimensions: int) -> Index:
    return Index(
        ndim=dimensions,
        metric="ip",
        dtype="f16",
        connectivity=_CONNECTIONS,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )
