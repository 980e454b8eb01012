import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.llm.embedded.gguf import GgufFacts, free_memory, gguf_facts, largest_context
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL

Pair = tuple[str, object]


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(given_value: object) -> bytes:
    match given_value:
        case bool():
            return struct.pack("<I?", 7, given_value)
        case int():
            return struct.pack("<II", 4, given_value)
        case float():
            return struct.pack("<If", 6, given_value)
        case str():
            return struct.pack("<I", 8) + text(given_value)
        case list():
            items = b"".join(value(each)[4:] for each in given_value)
            return struct.pack("<IIQ", 9, struct.unpack("<I", value(given_value[0])[:4])[0], len(given_value)) + items
        case _:
            raise TypeError(given_value)


def head(*pairs: Pair, version: int = 3) -> bytes:
    body = b"".join(text(key) + value(each) for key, each in pairs)
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs)) + body


PLAIN: tuple[Pair, ...] = (
    ("general.architecture", "llama"),
    ("general.tags", ["text", "한국어"]),
    ("general.quantized", True),
    ("llama.rope.freq_base", 10000.0),
    ("llama.block_count", 30),
    ("llama.context_length", 8192),
    ("llama.embedding_length", 576),
    ("llama.attention.head_count", 9),
    ("llama.attention.head_count_kv", 3),
)


def facts_of(folder: Path, content: bytes) -> GgufFacts | None:
    file = folder / "some.gguf"
    file.write_bytes(content)
    return gguf_facts(file)


def test_the_head_tells_context_and_what_a_token_takes(tmp_path: Path) -> None:
    content = head(*PLAIN)
    # 30 layers, keys and values of 3 heads of 64 numbers, 2 bytes each.
    assert facts_of(tmp_path, content) == GgufFacts(
        context_tokens=8192, cache_bytes_per_token=30 * 3 * (64 + 64) * 2, size=len(content)
    )


def test_heads_may_differ_between_layers_and_keys_from_values(tmp_path: Path) -> None:
    pairs = dict(PLAIN) | {
        "llama.block_count": 2,
        "llama.attention.head_count_kv": [4, 2],
        "llama.attention.key_length": 96,
        "llama.attention.value_length": 32,
    }
    facts = facts_of(tmp_path, head(*pairs.items()))
    assert facts is not None
    assert facts.cache_bytes_per_token == (4 + 2) * (96 + 32) * 2


@pytest.mark.parametrize("key", ["attention.sliding_window", "attention.kv_lora_rank", "ssm.state_size"])
def test_what_a_token_takes_is_not_guessed_for_other_kinds_of_memory(tmp_path: Path, key: str) -> None:
    facts = facts_of(tmp_path, head(*PLAIN, (f"llama.{key}", 512)))
    assert facts is not None
    assert (facts.context_tokens, facts.cache_bytes_per_token) == (8192, None)


def test_the_tokenizer_is_not_read(tmp_path: Path) -> None:
    content = head(*PLAIN, ("tokenizer.ggml.tokens", ["a"]))
    facts = facts_of(tmp_path, content[:-1])
    assert facts is not None
    assert facts.context_tokens == 8192


@pytest.mark.parametrize("content", [b"", b"GGUF", b"PK\x03\x04" * 10, head(*PLAIN, version=9), head(*PLAIN)[:-3]])
def test_what_is_not_whole_gguf_tells_nothing(tmp_path: Path, content: bytes) -> None:
    assert facts_of(tmp_path, content) is None


@given(st.binary(max_size=200), st.integers(min_value=0, max_value=len(head(*PLAIN))))
def test_no_file_makes_it_stumble(tmp_path_factory: pytest.TempPathFactory, noise: bytes, kept: int) -> None:
    facts_of(tmp_path_factory.mktemp("noise"), head(*PLAIN)[:kept] + noise)


@pytest.mark.models
def test_a_real_file_is_read(model_path: Callable[[str], Path]) -> None:
    (file,) = model_path(PLACEHOLDER_MODEL).glob("*.gguf")
    assert gguf_facts(file) == GgufFacts(context_tokens=8192, cache_bytes_per_token=23040, size=file.stat().st_size)


def test_the_largest_context_is_what_is_left_beside_the_model() -> None:
    facts = GgufFacts(context_tokens=8192, cache_bytes_per_token=1000, size=5_000_000)
    assert largest_context(facts, free=7_600_000, beside=1_000_000) == 1536
    assert largest_context(facts, free=100, beside=1_000_000) == 0


MEMORY = "MemTotal: 8000 kB\nMemAvailable: 4000 kB\n"


def reader(**files: str) -> Callable[[str], str]:
    def read(path: str) -> str:
        name = path.rpartition("/")[2].replace(".", "_")
        if name not in files:
            raise FileNotFoundError(path)
        return files[name]

    return read


def test_free_memory_is_what_the_system_calls_available() -> None:
    assert free_memory(reader(meminfo=MEMORY)) == 4000 * 1024
    assert free_memory(reader(meminfo=MEMORY, memory_max="max\n", memory_current="1")) == 4000 * 1024


def test_a_containers_limit_counts_where_it_is_nearer() -> None:
    limited = reader(
        meminfo=MEMORY, memory_max="3000000\n", memory_current="2500000\n", memory_stat="anon 5\ninactive_file 200000\n"
    )
    assert free_memory(limited) == 700_000


def test_a_system_that_does_not_tell_is_not_guessed_at() -> None:
    assert free_memory(reader()) is None
    assert free_memory(reader(meminfo="MemTotal: 5 kB\n")) is None
