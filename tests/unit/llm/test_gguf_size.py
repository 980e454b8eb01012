"""How many parameters a model has, by its file."""

import os
import struct
from pathlib import Path

import pytest

from assistant.llm.gguf_size import parameters_in_file
from tests.unit.llm.embedded.test_gguf import Pair, text, value

ARCHITECTURE: Pair = ("general.architecture", "llama")
VOCABULARY: Pair = ("tokenizer.ggml.tokens", ["a", "나", "<s>"])
TYPES: Pair = ("tokenizer.ggml.token_type", [1, 1, 3])


def write(folder: Path, pairs: tuple[Pair, ...], tensors: tuple[tuple[int, ...], ...] = ()) -> Path:
    body = b"".join(text(key) + value(each) for key, each in pairs)
    for number, shape in enumerate(tensors):
        sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        body += text(f"blk.{number}.weight") + sizes + struct.pack("<IQ", 12, 0)
    file = folder / "some.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(pairs)) + body)
    return file


@pytest.mark.parametrize(
    ("label", "parameters"), [("1.5B", 1.5e9), ("135M", 135e6), ("8x7B", 56e9), ("30B-A3B", 30e9), ("Q4", None)]
)
def test_the_label_tells_it(tmp_path: Path, label: str, parameters: float | None) -> None:
    file = write(tmp_path, (ARCHITECTURE, ("general.size_label", label), ("llama.block_count", 2), VOCABULARY))
    assert parameters_in_file(file) == parameters


def test_a_count_is_more_exact_than_a_label(tmp_path: Path) -> None:
    count: Pair = ("general.parameter_count", 1_543_714_304)
    assert parameters_in_file(write(tmp_path, (("general.size_label", "2B"), count))) == 1_543_714_304


def test_without_either_the_tensors_are_added_up(tmp_path: Path) -> None:
    file = write(tmp_path, (ARCHITECTURE, VOCABULARY, TYPES, ("llama.block_count", 2)), ((64, 32), (10,), (2, 3, 4)))
    assert parameters_in_file(file) == 64 * 32 + 10 + 24


def test_the_tensors_of_all_files_of_a_split_model_are_added_up(tmp_path: Path) -> None:
    first = write(tmp_path, (ARCHITECTURE,), ((64, 32),)).rename(tmp_path / "some-00001-of-00002.gguf")
    write(tmp_path, (("split.no", 1),), ((10,),)).rename(tmp_path / "some-00002-of-00002.gguf")
    assert parameters_in_file(first) == 64 * 32 + 10


def test_a_file_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    first = write(tmp_path, (("general.size_label", "1B"),))
    assert parameters_in_file(first) == 1e9
    changed = first.stat().st_mtime_ns + 1_000_000_000
    write(tmp_path, (("general.size_label", "7B"),))
    os.utime(first, ns=(changed, changed))
    assert parameters_in_file(first) == 7e9


@pytest.mark.parametrize("content", [b"", b"GGUF", b"weights", b"GGUF" + struct.pack("<IQQ", 3, 5, 5)])
def test_what_cannot_be_read_tells_nothing(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(content)
    assert parameters_in_file(file) is None
    assert parameters_in_file(tmp_path / "gone.gguf") is None


def test_a_cut_off_list_of_tensors_tells_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, (ARCHITECTURE,), ((64, 32), (10,)))
    file.write_bytes(file.read_bytes()[:-20])
    assert parameters_in_file(file) is None
