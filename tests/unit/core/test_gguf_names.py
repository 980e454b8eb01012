"""Which files make one GGUF model."""

import pytest

from assistant.core.gguf_names import GgufModel, gguf_model, gguf_models

SPLIT = ("big-00001-of-00003.gguf", "big-00002-of-00003.gguf", "big-00003-of-00003.gguf")


@pytest.mark.parametrize("file", SPLIT)
def test_every_part_names_the_whole_split_model(file: str) -> None:
    assert gguf_model(file) == GgufModel("big", SPLIT)


@pytest.mark.parametrize("name", ["small", "v2-00000-of-00003", "v2-00004-of-00003", "v2-1-of-3"])
def test_any_other_file_is_a_model_by_itself(name: str) -> None:
    assert gguf_model(f"{name}.gguf") == GgufModel(name, (f"{name}.gguf",))


def test_a_split_model_counts_once_also_if_parts_are_missing() -> None:
    assert [each.name for each in gguf_models(["small.gguf", *SPLIT[1:]])] == ["big", "small"]


@pytest.mark.parametrize("file", ["mmproj-f16.gguf", "gemma-3-4b-mmproj.gguf", "MMPROJ.gguf", "x.mmproj-q8_0.gguf"])
def test_a_projector_is_no_model(file: str) -> None:
    assert gguf_models([file, "small.gguf"]) == [gguf_model("small.gguf")]


def test_a_name_that_only_contains_the_word_is_a_model() -> None:
    assert len(gguf_models(["commmprojects.gguf"])) == 1
