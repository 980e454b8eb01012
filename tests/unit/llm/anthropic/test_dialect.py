from typing import Any

import pytest

from assistant.llm.anthropic.dialect import (
    Dialect,
    after_refusal,
    dialect_of,
    max_tokens_in,
    max_tokens_told,
    told,
)

ADAPTIVE = Dialect(thinking="adaptive")
BUDGET = Dialect(thinking="budget")
THINKS: dict[str, Any] = {"thinking": {}, "temperature": 1}


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-3-7-sonnet-20250219", "budget"),
        ("claude-opus-4-20250514", "budget"),
        ("claude-opus-4-0", "budget"),
        ("claude-opus-4-1-20250805", "budget"),
        ("claude-sonnet-4-5", "budget"),
        ("claude-haiku-4-5-20251001", "budget"),
        ("anthropic.claude-opus-4-1-20250805-v1:0", "budget"),
        ("claude-opus-4-6", "adaptive"),
        ("claude-opus-4-8", "adaptive"),
        ("claude-sonnet-5", "adaptive"),
        ("claude-haiku-5-5", "adaptive"),
        ("claude-fable-5-2", "adaptive"),
        ("claude-mythos-preview", "adaptive"),
        ("qwen3-8b", "budget"),
    ],
)
def test_the_newest_models_think_adaptively(model: str, thinking: str) -> None:
    assert dialect_of(model, official=False).thinking == thinking


def test_the_newest_version_of_the_api_is_sent_no_temperature() -> None:
    assert not dialect_of("claude-opus-4-5", official=True).temperature
    assert not dialect_of("some-model-to-come", official=True).temperature
    assert not dialect_of("claude-opus-4-5", official=False).temperature
    assert dialect_of("qwen3-8b", official=False).temperature


def test_what_the_models_endpoint_says_overrides_the_name() -> None:
    no, yes = {"supported": False}, {"supported": True}
    types = {"adaptive": no, "enabled": yes}
    info = {"capabilities": {"thinking": {"supported": True, "types": types}, "effort": {"supported": False}}}
    assert told(ADAPTIVE, info) == Dialect(thinking="budget", effort=False)
    assert told(BUDGET, {"capabilities": {"thinking": {"types": {"adaptive": yes, "enabled": yes}}}}) == ADAPTIVE


@pytest.mark.parametrize("info", [{}, {"capabilities": None}, {"capabilities": {"thinking": "yes"}}])
def test_what_the_models_endpoint_leaves_unsaid_stays(info: dict[str, Any]) -> None:
    assert told(ADAPTIVE, info) == ADAPTIVE


@pytest.mark.parametrize(
    ("words", "longest"),
    [
        ("max_tokens: 999999999 > 64000, which is the maximum allowed number of output tokens for claude", 64000),
        ("max_tokens is too large; the maximum is 8192", 8192),
        ("max_tokens is too large", None),
        ("max_tokens: 1 > 0, which", None),
        ("max_tokens 5 > 999999999, no", None),
    ],
)
def test_the_maximum_is_read_from_the_refusal(words: str, longest: int | None) -> None:
    assert max_tokens_in(words) == longest


@pytest.mark.parametrize(("info", "longest"), [({"max_tokens": 128}, 128), ({"max_tokens": None}, None), ({}, None)])
def test_the_maximum_is_read_from_the_models_endpoint(info: dict[str, Any], longest: int | None) -> None:
    assert max_tokens_told(info) == longest


@pytest.mark.parametrize(
    ("dialect", "words", "then"),
    [
        (BUDGET, "`temperature` is not supported", Dialect(thinking="budget", temperature=False)),
        (ADAPTIVE, "adaptive thinking is not supported on this model", "budget"),
        (
            BUDGET,
            '"thinking.type.enabled" is not supported. Use "thinking.type.adaptive" and "output_config.effort".',
            "adaptive",
        ),
        (ADAPTIVE, "This model does not support the effort parameter.", Dialect(thinking="adaptive", effort=False)),
        (
            ADAPTIVE,
            "thinking.adaptive.display: Extra inputs are not permitted",
            Dialect(thinking="adaptive", display=False),
        ),
        (ADAPTIVE, "system.0.cache_control: Extra inputs", Dialect(thinking="adaptive", caching=False)),
        (BUDGET, "messages: too many images", None),
        (BUDGET, "`max_tokens` must be greater than `thinking.budget_tokens`", None),
    ],
)
def test_what_a_server_refuses_is_said_another_way(dialect: Dialect, words: str, then: Any) -> None:
    other = after_refusal(dialect, words, THINKS, {})
    assert (other.thinking if other and isinstance(then, str) else other) == then


def test_when_both_ways_of_thinking_are_refused_it_is_an_error() -> None:
    other = after_refusal(ADAPTIVE, "thinking is not supported", THINKS, {})
    assert other is not None
    assert after_refusal(other, "thinking is not supported", THINKS, {}) is None


def test_what_the_user_set_in_extra_is_never_changed() -> None:
    assert after_refusal(BUDGET, "thinking is wrong", THINKS, {"thinking": {}}) is None
    assert after_refusal(BUDGET, "no temperature", THINKS, {"temperature": 1, "thinking": {}}) is None
