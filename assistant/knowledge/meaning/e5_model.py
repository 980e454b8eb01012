"""multilingual-e5-small in NumPy: 384 numbers for a text of up to 512 tokens, in about a hundred languages.

It is a BERT encoder of 12 layers whose outputs are averaged (Wang et al. 2024, arXiv 2402.05672). NumPy's products
release the interpreter's lock, so other threads run on meanwhile.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from assistant.knowledge.meaning.packed_weights import PackedWeights, Pieces, unpacked

Numbers = NDArray[np.float32]

_SPACES = re.compile(r"  +")
_SPECIAL: Final = 2
"""Tokens around a text: its beginning and its end."""
_GELU: Final = np.float32(np.sqrt(2 / np.pi))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Norm:
    weight: Numbers
    bias: Numbers
    epsilon: float

    def __call__(self, numbers: Numbers) -> Numbers:
        numbers = numbers - numbers.mean(axis=-1, keepdims=True)
        numbers /= np.sqrt(np.square(numbers).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        return numbers * self.weight + self.bias


@dataclass(frozen=True, slots=True, kw_only=True)
class _Linear:
    weight: Numbers
    bias: Numbers

    def __call__(self, numbers: Numbers) -> Numbers:
        return numbers @ self.weight + self.bias


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    inputs: _Linear
    """Query, key and value side by side."""
    output: _Linear
    after_attention: _Norm
    inner: _Linear
    outer: _Linear
    after: _Norm
    heads: int

    def __call__(self, numbers: Numbers) -> Numbers:
        numbers = self.after_attention(numbers + self.output(self._attended(numbers)))
        return self.after(numbers + self.outer(_gelu(self.inner(numbers))))

    def _attended(self, numbers: Numbers) -> Numbers:
        tokens, width = numbers.shape
        parts = self.inputs(numbers).reshape(tokens, 3, self.heads, width // self.heads)
        queries, keys, values = parts.transpose(1, 2, 0, 3)
        weights: Numbers = queries @ keys.transpose(0, 2, 1) / np.float32(np.sqrt(width // self.heads))
        np.exp(weights - weights.max(axis=-1, keepdims=True), out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        attended: Numbers = (weights @ values).transpose(1, 0, 2).reshape(tokens, width)
        return attended


def _gelu(numbers: Numbers) -> Numbers:
    """The Gaussian error linear unit by its common approximation."""
    inner = np.tanh(_GELU * (numbers + np.float32(0.044715) * numbers * numbers * numbers))
    half: Numbers = np.float32(0.5) * numbers * (1 + inner)
    return half


class E5Model:
    """The model in memory. Several threads may use it at once.

    Args:
        path: its packed file.

    Raises:
        ModelFileError: the file is not of the form that ``PackedWeights`` reads.
    """

    def __init__(self, path: Path) -> None:
        weights = PackedWeights(path)
        sizes = self._sizes = weights.sizes
        pieces = weights.pieces
        self._replaced, self._begin, self._end = pieces.replaced, pieces.begin, pieces.end
        self._tokenizer = _tokenizer(pieces)
        self._words = weights.packed("emb.word", sizes.width)
        self._places = weights.floats("emb.pos").reshape(-1, sizes.width) + weights.floats("emb.type")[: sizes.width]
        self._norm = _norm(weights, "emb.ln")
        self._layers = [_layer(weights, f"l{number}") for number in range(sizes.layers)]

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return self._sizes.width

    def vector(self, text: str) -> Numbers:
        """The vector of a text that begins with ``query: `` or ``passage: ``; its length is 1.

        A text that is longer than the model reads at once is read in parts, whose vectors are averaged by their length.
        """
        tokens = self._tokens(text)
        most = self._sizes.positions - _SPECIAL
        parts = [tokens[at : at + most] for at in range(0, max(len(tokens), 1), most)]
        total = sum((self._mean(part) * max(len(part), 1) for part in parts), np.zeros(self.dimensions, np.float32))
        vector: Numbers = total / np.linalg.norm(total)
        return vector

    def _tokens(self, text: str) -> Sequence[int]:
        plain = _SPACES.sub(" ", text.translate(self._replaced))
        ids: Sequence[int] = self._tokenizer.encode(plain, add_special_tokens=False).ids
        return ids

    def _mean(self, tokens: Sequence[int]) -> Numbers:
        ids = [self._begin, *tokens, self._end]
        numbers = self._norm(unpacked(self._words[ids]) + self._places[: len(ids)])
        for layer in self._layers:
            numbers = layer(numbers)
        mean: Numbers = numbers.mean(axis=0)
        return mean


def _tokenizer(pieces: Pieces) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(pieces.scored, unk_id=pieces.unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    return tokenizer


def _norm(weights: PackedWeights, name: str) -> _Norm:
    return _Norm(weight=weights.floats(f"{name}.w"), bias=weights.floats(f"{name}.b"), epsilon=weights.sizes.epsilon)


def _linear(weights: PackedWeights, columns: int, *names: str) -> _Linear:
    rows = np.concatenate([unpacked(weights.packed(f"{name}.w", columns)) for name in names])
    bias = np.concatenate([weights.floats(f"{name}.b") for name in names])
    return _Linear(weight=np.ascontiguousarray(rows.T), bias=bias)


def _layer(weights: PackedWeights, name: str) -> _Layer:
    sizes = weights.sizes
    return _Layer(
        inputs=_linear(weights, sizes.width, f"{name}.q", f"{name}.k", f"{name}.v"),
        output=_linear(weights, sizes.width, f"{name}.ao"),
        after_attention=_norm(weights, f"{name}.aln"),
        inner=_linear(weights, sizes.width, f"{name}.fi"),
        outer=_linear(weights, sizes.inner, f"{name}.fo"),
        after=_norm(weights, f"{name}.oln"),
        heads=sizes.heads,
    )
