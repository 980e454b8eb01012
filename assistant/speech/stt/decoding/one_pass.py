"""A CTranslate2 Whisper model that reads known words in one pass and then writes the rest.

CTranslate2 reads the prompt of a generation in one pass. Words after the prompt are forced one by one, which takes as
long as writing them. The prompt ends at the first token whose number is lower than that of ``<|startoftranscript|>``,
and the numbers of all words are lower. Therefore the numbers of the start token and of token 0 are exchanged in the
weights and in the vocabulary while the model is loaded. All words then belong to the prompt.

The prompt of the first sound in a batch decides whether timestamps are written: they are, unless it ends with
``<|notimestamps|>``. A prompt with words does not, so a silent sound whose prompt ends with it is the first of the
batch. It ends after one or two tokens. ``docs/decisions/speech-recognition.md`` has the measurements.
"""

import json
import mmap
import shutil
import struct
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

START: Final = "<|startoftranscript|>"
_FORMAT: Final = 6
"""The version of CTranslate2's file format that is understood here."""
_EMBEDDINGS: Final = "decoder/embeddings/weight"
"""The rows are the tokens, for reading and for writing."""
_PROJECTION: Final = "decoder/projection/weight"


class UnknownLayoutError(Exception):
    """The model's file is not laid out as expected, so it must be loaded as it is."""


@dataclass(frozen=True, slots=True)
class TokenSwap:
    """The exchange of two token numbers; it is its own inverse.

    Attributes:
        one: the first number.
        other: the second number.
    """

    one: int
    other: int

    def __call__(self, tokens: Sequence[int]) -> list[int]:
        """The tokens with both numbers exchanged."""
        known = {self.one: self.other, self.other: self.one}
        return [known.get(token, token) for token in tokens]


@contextmanager
def exchanged_copy(directory: Path) -> Iterator[tuple[Path, TokenSwap]]:
    """A copy of a converted model in which token 0 and the start token are exchanged, and the exchange.

    The library keeps files that it is given in memory, so it is given a folder, which is needed only while it loads.

    Raises:
        UnknownLayoutError: the files have another layout than that of the multilingual models, or there is no room for
            the copy.
    """
    with tempfile.TemporaryDirectory(prefix="sori-") as folder:
        copy = Path(folder)
        try:
            exchange = _copy_exchanged(directory, copy)
        except (OSError, ValueError, KeyError, struct.error, IndexError) as error:
            raise UnknownLayoutError(str(error)) from error
        yield copy, exchange


def _copy_exchanged(directory: Path, copy: Path) -> TokenSwap:
    names = (directory / "vocabulary.txt").read_text("utf-8").split("\n")
    exchange = TokenSwap(0, names.index(START))
    for each in directory.glob("*.json"):
        shutil.copyfile(each, copy / each.name)
    if (tokenizer := copy / "tokenizer.json").exists():
        tokenizer.write_bytes(with_first_merge(tokenizer.read_bytes()))
    names[exchange.one], names[exchange.other] = names[exchange.other], names[exchange.one]
    (copy / "vocabulary.txt").write_text("\n".join(names), "utf-8")
    shutil.copyfile(directory / "model.bin", copy / "model.bin")
    with (copy / "model.bin").open("r+b") as file, mmap.mmap(file.fileno(), 0) as weights:
        _exchange_rows(weights, exchange)
    return exchange


def with_first_merge(tokenizer: bytes) -> bytes:
    """The tokenizer with the merge of a space and a t, which some converted files have lost.

    Without it " the" becomes two tokens that the model never writes, and every known word that begins with a t looks
    improbable.
    """
    content = json.loads(tokenizer)
    merges = content["model"]["merges"]
    first = "Ġ t" if merges and isinstance(merges[0], str) else ["Ġ", "t"]
    if first in merges:
        return tokenizer
    merges.insert(0, first)
    return json.dumps(content).encode()


def with_idle_sound(encoded: Any) -> Any:
    """The encoder's output of a sound, behind that of a silent one."""
    import ctranslate2

    sound = np.array(encoded)
    return ctranslate2.StorageView.from_array(np.concatenate((np.zeros_like(sound), sound)))


@dataclass(frozen=True, slots=True)
class _Variable:
    name: str
    rows: int
    start: int
    size: int


def _exchange_rows(weights: mmap.mmap, exchange: TokenSwap) -> None:
    variables = {each.name: each for each in _variables(weights)}
    embeddings = variables.get(_EMBEDDINGS)
    if embeddings is None or _PROJECTION in variables or embeddings.rows <= exchange.other:
        raise UnknownLayoutError("the tokens have no rows of their own")
    size = embeddings.size // embeddings.rows
    one, other = (embeddings.start + token * size for token in (exchange.one, exchange.other))
    row = weights[one : one + size]
    weights[one : one + size] = weights[other : other + size]
    weights[other : other + size] = row


def _variables(weights: mmap.mmap) -> Iterator[_Variable]:
    """The variables of a model in CTranslate2's format."""
    version, place = struct.unpack_from("<I", weights)[0], 4
    if version != _FORMAT:
        raise UnknownLayoutError(f"file format {version}")
    _model, place = _string(weights, place)
    _revision, count = struct.unpack_from("<II", weights, place)
    place += 8
    for _ in range(count):
        name, place = _string(weights, place)
        rank = weights[place]
        shape = struct.unpack_from(f"<{rank}I", weights, place + 1)
        (size,) = struct.unpack_from("<I", weights, place + 2 + 4 * rank)
        place += 6 + 4 * rank
        yield _Variable(name, shape[0] if shape else 1, place, size)
        place += size


def _string(weights: mmap.mmap, place: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<H", weights, place)
    return weights[place + 2 : place + 1 + length].decode(), place + 2 + length
