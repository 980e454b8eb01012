"""Reads facts of a model from its GGUF file without loading it.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Only the key-value pairs at the head are read, up to
the tokenizer's, which are long. Of these, only the architecture's are kept.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from assistant.core.gguf_names import gguf_model

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_LONGEST_TEXT = 1 << 20
_LONGEST_LIST = 1 << 16
_HALF = 2
"""Bytes of a number in llama.cpp's key-value cache, which is f16 by default."""

STRING, ARRAY = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufFacts:
    """Facts of a model from its file.

    Attributes:
        context_tokens: context size that the model was trained for, ``None`` when the file does not say.
        cache_bytes_per_token: bytes of key-value cache per token of context; ``None`` where layers and heads do not
            determine it, as with sliding windows.
        size: bytes of all files of the model.
    """

    context_tokens: int | None
    cache_bytes_per_token: int | None
    size: int


def gguf_facts(file: Path) -> GgufFacts | None:
    """The facts in the file, or ``None`` if it is not GGUF or is truncated: llama.cpp explains that better."""
    try:
        with file.open("rb") as stream:
            facts = _architecture(stream)
        size = gguf_bytes(file)
    except (OSError, ValueError, struct.error):
        return None
    return GgufFacts(
        context_tokens=_positive(facts.get("context_length")), cache_bytes_per_token=_cache_bytes(facts), size=size
    )


def gguf_bytes(file: Path) -> int:
    """Bytes of all files of the model whose first file is ``file``.

    Raises:
        OSError: a file is missing.
    """
    return sum(file.with_name(each).stat().st_size for each in gguf_model(file.name).files)


def _architecture(stream: BinaryIO) -> dict[str, Any]:
    """The key-value pairs of the model's architecture, without the architecture's name as prefix.

    Raises:
        ValueError: the file is not GGUF.
        struct.error: the file is truncated.
    """
    _, pairs = read_start(stream)
    name, facts = "", dict[str, Any]()
    for _ in range(pairs):
        key = read_text(stream)
        if key.startswith("tokenizer."):
            break
        value = read_value(stream, read_number(stream, "I"))
        if key == "general.architecture":
            name = str(value)
        elif name and key.startswith(f"{name}."):
            facts[key.removeprefix(f"{name}.")] = value
    return facts


def read_start(stream: BinaryIO) -> tuple[int, int]:
    """The numbers of tensors and of key-value pairs.

    Raises:
        ValueError: the file is not GGUF.
        struct.error: the file is truncated.
    """
    if stream.read(4) != _MAGIC or read_number(stream, "I") not in _VERSIONS:
        raise ValueError("the file is not GGUF, or of an unknown version")
    return read_number(stream, "Q"), read_number(stream, "Q")


def read_value(stream: BinaryIO, kind: int) -> Any:
    """A value of this type. It must not be a vocabulary.

    Raises:
        ValueError: the value is too long for a head, or the type is unknown.
        struct.error: the file is truncated.
    """
    if kind == STRING:
        return read_text(stream)
    if kind == ARRAY:
        inner, count = read_number(stream, "I"), read_number(stream, "Q")
        if count > _LONGEST_LIST:
            raise ValueError(f"the GGUF header has a list of {count} values, more than {_LONGEST_LIST}")
        return [read_value(stream, inner) for _ in range(count)]
    if kind not in NUMBERS:
        raise ValueError(f"the GGUF header has a value of unknown type {kind}")
    return read_number(stream, NUMBERS[kind])


def read_text(stream: BinaryIO) -> str:
    """A length-prefixed text.

    Raises:
        ValueError: the text is too long for a head.
        struct.error: the file is truncated.
    """
    length = read_number(stream, "Q")
    if length > _LONGEST_TEXT:
        raise ValueError(f"the GGUF header has a text of {length} bytes, more than {_LONGEST_TEXT}")
    return stream.read(length).decode("utf-8", errors="replace")


def read_number(stream: BinaryIO, letter: str) -> Any:
    """A little-endian number of the ``struct`` type ``letter``.

    Raises:
        struct.error: the file is truncated.
    """
    form = struct.Struct(f"<{letter}")
    return form.unpack(stream.read(form.size))[0]


def _cache_bytes(facts: dict[str, Any]) -> int | None:
    """Bytes of keys and values of one token over all layers, or ``None`` if unknown."""
    if any("sliding_window" in key or "kv_lora_rank" in key or key.startswith("ssm.") for key in facts):
        return None
    layers, width, heads = (
        _positive(facts.get(key)) for key in ("block_count", "embedding_length", "attention.head_count")
    )
    if layers is None or width is None or heads is None:
        return None
    shared = facts.get("attention.head_count_kv", heads)
    key_value_heads = shared if isinstance(shared, list) else [shared] * layers
    length = [_positive(facts.get(f"attention.{each}_length")) or width // heads for each in ("key", "value")]
    try:
        return int(sum(key_value_heads)) * sum(length) * _HALF
    except TypeError:
        return None


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def largest_context(facts: GgufFacts, free: int, beside: int, step: int = 256) -> int:
    """Tokens of context that fit into ``free`` bytes beside the model and ``beside`` bytes; a multiple of ``step``.

    Raises:
        ValueError: the cache size per token is unknown.
    """
    if facts.cache_bytes_per_token is None:
        raise ValueError("the cache size of a token is unknown for this model")
    room = max(0, free - facts.size - beside) // facts.cache_bytes_per_token
    return room // step * step


def free_memory(read: Callable[[str], str] = lambda path: Path(path).read_text(encoding="ascii")) -> int | None:
    """Bytes that a new process can use without swapping, or ``None`` where the system does not say.

    Args:
        read: reads a file of the kernel.
    """
    try:
        lines = dict(line.split(":", 1) for line in read("/proc/meminfo").splitlines() if ":" in line)
        free = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
    try:
        # A container has its own limit. The memory of its inactive file cache can be reclaimed.
        limit, used = int(read("/sys/fs/cgroup/memory.max")), int(read("/sys/fs/cgroup/memory.current"))
        told = dict(line.split() for line in read("/sys/fs/cgroup/memory.stat").splitlines())
        free = min(free, limit - used + int(told.get("inactive_file", 0)))
    except (OSError, ValueError):
        pass
    return max(0, free)
