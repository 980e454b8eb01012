import tomllib
from dataclasses import fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from assistant.core.settings import ModelFacts, Provider
from assistant.llm.facts.model_facts import KnownModel, known_model

TABLE: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[4] / "assistant" / "resources" / "models.toml").read_text(encoding="utf-8")
)
ANTHROPIC = Provider(name="claude", kind="anthropic")
OPENAI = Provider(name="mine", kind="openai")
LOCAL = Provider(name="ollama", kind="local", base_url="http://127.0.0.1:11434/v1")


def test_a_model_that_nobody_knows_is_let_through_to_its_server() -> None:
    known = known_model(OPENAI, "some-new-model")
    assert known == KnownModel()
    assert (known.tools, known.images, known.known) == (True, True, False)
    assert (known.context_tokens, known.price_input) == (None, None)


def test_a_family_tells_what_its_nearest_pattern_leaves_open() -> None:
    known = known_model(ANTHROPIC, "claude-haiku-4-5")
    assert known.known
    assert known.reasoning
    assert (known.context_tokens, known.max_output_tokens) == (200_000, 64_000)
    assert (known.price_input, known.price_cached, known.price_output) == (1.0, 0.1, 5.0)


@pytest.mark.parametrize("name", ["claude-haiku-4-5-20251001", "Claude-Haiku-4-5", "claude-haiku-4-5@20251001"])
def test_a_snapshot_is_the_model_that_it_is_of(name: str) -> None:
    assert known_model(ANTHROPIC, name) == known_model(ANTHROPIC, "claude-haiku-4-5")


def test_a_vendors_price_holds_at_the_vendors_address_alone() -> None:
    elsewhere = Provider(name="mine", kind="openai", base_url="https://models.example.com/v1")
    known = known_model(elsewhere, "anthropic/claude-opus-5")
    assert known.context_tokens == 1_000_000
    assert known.price_input is None
    at_home = Provider(name="mine", kind="anthropic", base_url="https://api.anthropic.com/v1")
    assert known_model(at_home, "claude-opus-5").price_input == 5.0
    copied = Provider(name="mine", kind="anthropic", base_url="http://127.0.0.1:9/v1")
    assert known_model(copied, "claude-opus-5").price_input is None


def test_what_runs_on_the_users_machine_costs_nothing_and_is_not_known_by_that() -> None:
    known = known_model(Provider(name="embedded", kind="local"), "somebodys-own-model")
    assert (known.price_input, known.price_output, known.known) == (0.0, 0.0, False)


def test_the_users_facts_win_one_by_one_and_those_for_the_provider_over_those_for_all() -> None:
    overrides = (
        ModelFacts(model="claude-opus-5", provider="claude", price_input=1.5),
        ModelFacts(model="Claude-Opus-5", tools=False, price_input=9.0),
        ModelFacts(model="claude-opus-5", provider="another", context_tokens=1),
    )
    known = known_model(ANTHROPIC, "claude-opus-5", overrides)
    assert (known.price_input, known.tools) == (1.5, False)
    assert (known.price_output, known.context_tokens) == (25.0, 1_000_000)


def test_a_fact_of_the_users_makes_a_model_known() -> None:
    known = known_model(LOCAL, "my-own:7b", (ModelFacts(model="my-own:7b", images=False),))
    assert known.known
    assert not known.images


@pytest.mark.parametrize("entry", TABLE["models"], ids=lambda entry: entry["names"][0])
def test_every_entry_of_the_table_can_be_found_and_says_nothing_that_is_not_read(entry: dict[str, Any]) -> None:
    read = {each.name for each in fields(KnownModel)} - {"known"}
    assert set(entry) - {"names", "vendor"} <= read
    assert set(entry) - {"names", "vendor"}
    kind = entry.get("vendor", "openai")
    for pattern in entry["names"]:
        assert pattern == pattern.lower()
        name = pattern.replace("*", "").replace("?", "x") or "any"
        assert fnmatchcase(name, pattern)
        known = known_model(Provider(name="x", kind=kind), name)
        assert known.known or pattern == "*"


def test_no_price_stands_without_its_vendor() -> None:
    for entry in TABLE["models"]:
        if any(key.startswith("price_") for key in entry):
            assert entry.get("vendor") in {*TABLE["hosts"], "local"}


def test_what_claude_keeps_in_its_cache_costs_a_quarter_more() -> None:
    assert known_model(ANTHROPIC, "claude-opus-5").cache_write_factor == 1.25
    assert known_model(OPENAI, "gpt-5").cache_write_factor == 1.0
