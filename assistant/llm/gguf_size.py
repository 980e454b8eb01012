"""Reads the number of parameters from a GGUF file without loading the model.

The metadata come first: ``general.parameter_count``, then ``general.size_label``, such as "1.5B" or "8x7B". Older and
homemade files have neither. For those the elements of all tensors in all files are added up; their shapes follow the
metadata.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import math
import os
import re
import struct
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from assistant.core.gguf_names import gguf_model
from assistant.llm.embedded.gguf import ARRAY, NUMBERS, STRING, read_number, read_start, read_text, read_value

_LABEL = re.compile(r"(?:(\d+)x)?(\d+(?:\.\d+)?)([KMBTQ])", re.IGNORECASE)
_THOUSANDS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12, "q": 1e15}
_MOST_DIMENSIONS = 8


def parameters_in_file(file: Path) -> float | None:
    """The model's parameters, or ``None`` for a missing file, a truncated head, or another format."""
    try:
        return _counted(file, file.stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=32)
def _counted(file: Path, _changed_ns: int) -> float | None:
    try:
        with file.open("rb") as stream:
            told = _told(stream)
        if told is not None:
            return told
        return sum(_elements(file.with_name(each)) for each in gguf_model(file.name).files) or None
    except (OSError, ValueError, struct.error):
        return None


def _told(stream: BinaryIO) -> float | None:
    """The number in the metadata, if there is one."""
    _, pairs = read_start(stream)
    label = None
    for _ in range(pairs):
        key, kind = read_text(stream), read_number(stream, "I")
        if key == "general.parameter_count":
            return float(read_value(stream, kind)) or None
        if key == "general.size_label":
            label = _of_label(str(read_value(stream, kind)))
        elif key.startswith("general."):
            read_value(stream, kind)
        elif label is not None:
            return label
        else:
            _skip(stream, kind)
    return label


def _of_label(label: str) -> float | None:
    found = _LABEL.search(label)
    if found is None:
        return None
    experts, number, unit = found.groups()
    return int(experts or 1) * float(number) * _THOUSANDS[unit.lower()]


def _elements(file: Path) -> int:
    """Elements of all tensors in one file."""
    total = 0
    with file.open("rb") as stream:
        tensors, pairs = read_start(stream)
        for _ in range(pairs):
            read_text(stream)
            _skip(stream, read_number(stream, "I"))
        for _ in range(tensors):
            read_text(stream)
            dimensions = read_number(stream, "I")
            if dimensions > _MOST_DIMENSIONS:
                raise ValueError(
                    f"the GGUF header has a tensor of {dimensions} dimensions, more than {_MOST_DIMENSIONS}"
                )
            total += math.prod(read_number(stream, "Q") for _ in range(dimensions))
            # Skip the tensor's type and offset.
            stream.seek(12, os.SEEK_CUR)
    return total


def _skip(stream: BinaryIO, kind: int) -> None:
    """Skip a value, which may be a vocabulary of a hundred thousand words."""
    if kind == STRING:
        stream.seek(read_number(stream, "Q"), os.SEEK_CUR)
    elif kind == ARRAY:
        inner, count = read_number(stream, "I"), read_number(stream, "Q")
        if inner in NUMBERS:
            stream.seek(count * struct.calcsize(NUMBERS[inner]), os.SEEK_CUR)
            return
        for _ in range(count):
            _skip(stream, inner)
    elif kind in NUMBERS:
        stream.seek(struct.calcsize(NUMBERS[kind]), os.SEEK_CUR)
    else:
        raise ValueError(f"the GGUF header has a value of unknown type {kind}")
