"""Writes small ONNX models, byte by byte: the few messages of ``onnx.proto`` that such a model needs.

The package ``onnx`` would do it too, but weighs 17 MB and is needed for nothing else.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FLOAT, INT64 = 1, 7
"""Element types of ``TensorProto.DataType``."""
_INT, _INTS = 2, 7
_IR_VERSION, _OPSET = 8, 13
_KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}


def node(operator: str, inputs: Sequence[str], output: str, **attributes: int | Sequence[int]) -> bytes:
    """One operation of a graph."""
    parts = [*(_text(1, each) for each in inputs), _text(2, output), _text(4, operator)]
    return b"".join([*parts, *(_bytes(5, _attribute(name, value)) for name, value in attributes.items())])


def write_model(
    path: Path,
    nodes: Iterable[bytes],
    *,
    inputs: dict[str, tuple[int, Sequence[int | str]]],
    output: tuple[str, Sequence[int | str]],
    constants: dict[str, NDArray[np.float32] | NDArray[np.int64]] | None = None,
) -> None:
    """Write a model with one output of floats.

    Args:
        path: the file.
        nodes: the operations in their order.
        inputs: element type and shape of each input; a text in a shape is a length that varies.
        output: name and shape of the output.
        constants: values that the operations use by name.
    """
    graph = b"".join(
        [
            *(_bytes(1, each) for each in nodes),
            _text(2, "graph"),
            *(_bytes(5, _tensor(name, value)) for name, value in (constants or {}).items()),
            *(_bytes(11, _value(name, kind, shape)) for name, (kind, shape) in inputs.items()),
            _bytes(12, _value(output[0], FLOAT, output[1])),
        ]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_number(1, _IR_VERSION) + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, _OPSET)))


def _attribute(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INT)
    return _text(1, name) + b"".join(_number(8, each) for each in value) + _number(20, _INTS)


def _tensor(name: str, value: NDArray[np.float32] | NDArray[np.int64]) -> bytes:
    shape = b"".join(_number(1, length) for length in value.shape)
    return shape + _number(2, _KINDS[value.dtype]) + _text(8, name) + _bytes(9, value.tobytes())


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    lengths = b"".join(
        _bytes(1, _number(1, length) if isinstance(length, int) else _text(2, length)) for length in shape
    )
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, lengths)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _varint(value: int) -> bytes:
    value %= 1 << 64
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
