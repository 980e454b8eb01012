"""What a model's file says of the model, read without loading it.

The format is GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Only the key-value pairs at its head are
read, and of those only the architecture's; the tokenizer's, which are long, come after them.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_LONGEST_TEXT = 1 << 20
_LONGEST_LIST = 1 << 16
_HALF = 2
"""Bytes of a number in llama.cpp's cache of keys and values, which is f16 unless it is told otherwise."""

STRING, ARRAY = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufFacts:
    """What is known of a model from its file.

    Attributes:
        context_tokens: most tokens that it was trained for, ``None`` when the file does not say.
        cache_bytes_per_token: memory that a token of context takes; ``None`` where that is not plainly the product of
            layers and heads, as with sliding windows.
        size: bytes of the file.
    """

    context_tokens: int | None
    cache_bytes_per_token: int | None
    size: int


def gguf_facts(file: Path) -> GgufFacts | None:
    """What the file says; ``None`` for one that is no GGUF file, or cut off: llama.cpp says more clearly why."""
    try:
        with file.open("rb") as stream:
            facts = _architecture(stream)
        size = file.stat().st_size
    except (OSError, ValueError, struct.error):
        return None
    return GgufFacts(
        context_tokens=_positive(facts.get("context_length")), cache_bytes_per_token=_cache_bytes(facts), size=size
    )


def _architecture(stream: BinaryIO) -> dict[str, Any]:
    """The pairs of the model's architecture, without its name before them.

    Raises:
        ValueError: it is not GGUF.
        struct.error: it ends in the middle.
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
    """How many tensors and key-value pairs there are.

    Raises:
        ValueError: it is not GGUF.
        struct.error: it ends in the middle.
    """
    if stream.read(4) != _MAGIC or read_number(stream, "I") not in _VERSIONS:
        raise ValueError("not GGUF")
    return read_number(stream, "Q"), read_number(stream, "Q")


def read_value(stream: BinaryIO, kind: int) -> Any:
    """A value of this type, which is not a vocabulary.

    Raises:
        ValueError: it is too long for a head, or of no known type.
        struct.error: it ends in the middle.
    """
    if kind == STRING:
        return read_text(stream)
    if kind == ARRAY:
        inner, count = read_number(stream, "I"), read_number(stream, "Q")
        if count > _LONGEST_LIST:
            raise ValueError("a list too long for a head")
        return [read_value(stream, inner) for _ in range(count)]
    if kind not in NUMBERS:
        raise ValueError(f"no such type: {kind}")
    return read_number(stream, NUMBERS[kind])


def read_text(stream: BinaryIO) -> str:
    """A text with its length before it.

    Raises:
        ValueError: it is too long for a head.
        struct.error: it ends in the middle.
    """
    length = read_number(stream, "Q")
    if length > _LONGEST_TEXT:
        raise ValueError("a text too long for a head")
    return stream.read(length).decode("utf-8", errors="replace")


def read_number(stream: BinaryIO, letter: str) -> Any:
    """A number of the type that ``struct`` calls by this letter.

    Raises:
        struct.error: it ends in the middle.
    """
    form = struct.Struct(f"<{letter}")
    return form.unpack(stream.read(form.size))[0]


def _cache_bytes(facts: dict[str, Any]) -> int | None:
    """Bytes of keys and values of one token over all layers."""
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
    """Tokens of context that fit into ``free`` bytes with the model and ``beside`` bytes of other things; may be 0.

    Raises:
        ValueError: the file does not tell what a token takes.
    """
    if facts.cache_bytes_per_token is None:
        raise ValueError("what a token takes is not known")
    room = max(0, free - facts.size - beside) // facts.cache_bytes_per_token
    return room // step * step


def free_memory(read: Callable[[str], str] = lambda path: Path(path).read_text(encoding="ascii")) -> int | None:
    """Bytes that a new process may use without others being driven out, ``None`` where the system does not tell.

    Args:
        read: reads a file of the kernel's.
    """
    try:
        lines = dict(line.split(":", 1) for line in read("/proc/meminfo").splitlines() if ":" in line)
        free = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
    try:
        # In a container the limit is its own; what it has cached of files can be had back.
        limit, used = int(read("/sys/fs/cgroup/memory.max")), int(read("/sys/fs/cgroup/memory.current"))
        told = dict(line.split() for line in read("/sys/fs/cgroup/memory.stat").splitlines())
        free = min(free, limit - used + int(told.get("inactive_file", 0)))
    except (OSError, ValueError):
        pass
    return max(0, free)
