import pytest

from assistant.core.settings import ModelFacts, Provider
from assistant.llm.facts.model_facts import known_model
from assistant.llm.facts.model_size import is_small, parameters_in

LOCAL = Provider(name="mine", kind="local")


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("qwen2.5-coder-1.5b", 1.5),
        ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", 1.5),
        ("qwen3:0.6b", 0.6),
        ("smollm2-135m", 0.135),
        ("Llama-3.2-3B-Instruct", 3.0),
        ("exaone-3.5-2.4b-instruct", 2.4),
        ("qwen3-30b-a3b", 30.0),
        ("gpt-5", None),
        ("gemma-3n-e4b", None),
        ("claude-opus-4-5", None),
        ("some-model", None),
    ],
)
def test_a_model_has_the_size_that_its_name_tells(name: str, billions: float | None) -> None:
    assert parameters_in(name) == (None if billions is None else pytest.approx(billions * 1e9))


def test_small_is_below_four_billion_parameters_and_what_tells_nothing_is_not() -> None:
    assert [is_small(name) for name in ("a-1.5b", "a-3.8b", "a-4b", "a-70b", "gpt-5")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_models_file_tells_its_size_better_than_its_name() -> None:
    assert known_model(LOCAL, "mine", parameters=1.5e9).small
    assert not known_model(LOCAL, "mine-3b", parameters=7e9).small
    assert not known_model(LOCAL, "mine", (ModelFacts(model="mine", small=False),), parameters=1.5e9).small


def test_what_the_user_says_of_a_model_is_above_its_name() -> None:
    assert known_model(LOCAL, "qwen3-1.7b").small
    assert not known_model(LOCAL, "qwen3-1.7b", (ModelFacts(model="qwen3-1.7b", small=False),)).small
    assert known_model(LOCAL, "mine", (ModelFacts(model="mine", small=True),)).small
