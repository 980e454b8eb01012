from dataclasses import replace
from typing import Any

import pytest

from assistant.agent.model_choice import (
    ModelChoice,
    alternatives,
    choose_for,
    choose_model,
    configured,
    facts_of,
    roles,
)
from assistant.core.errors import ErrorCode, ProviderError, SettingsError
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.llm.embedded.own_models import EMBEDDED_MODEL, PLACEHOLDER_MODEL

GLM = Provider(name="glm", kind="zai")
CLAUDE = Provider(name="claude", kind="anthropic")
SETTINGS = Settings(llm=LlmSettings(provider="glm"), providers=(GLM, CLAUDE))


def test_the_model_of_a_vendor_that_has_a_usual_one_is_known_by_name() -> None:
    choice = choose_model(SETTINGS)
    assert (choice.provider, choice.model, choice.reference) == (GLM, "glm-4.7", "glm/glm-4.7")
    assert facts_of(SETTINGS, choice).price_output is not None
    assert choice in configured(SETTINGS)


def test_without_any_provider_it_is_soris_own_model_and_no_stand_in() -> None:
    choice = choose_model(Settings())
    assert choice.reference == f"embedded/{EMBEDDED_MODEL}"
    assert not choice.placeholder


def test_a_small_machine_gets_the_stand_in() -> None:
    choice = choose_model(Settings(llm=LlmSettings(embedded_model=PLACEHOLDER_MODEL)))
    assert choice.placeholder


@pytest.mark.parametrize("reference", ["embedded", "embedded/qwen2.5-coder-1.5b"])
def test_soris_own_model_can_be_named_beside_a_provider(reference: str) -> None:
    assert choose_model(SETTINGS, reference).model == EMBEDDED_MODEL


@pytest.mark.parametrize(("model", "trained"), [("qwen3-4b", True), ("nobody-knows-this", False)])
def test_soris_own_server_takes_no_more_than_the_context_that_it_was_loaded_with(model: str, trained: bool) -> None:
    settings = Settings(llm=LlmSettings(model=model, context_tokens=6000))
    elsewhere = facts_of(SETTINGS, ModelChoice(provider=GLM, model=model))
    assert (elsewhere.context_tokens is not None) is trained
    assert facts_of(settings, choose_model(settings)).context_tokens == 6000


def test_a_reference_names_a_provider_and_a_model_or_a_model_of_the_usual_provider() -> None:
    assert choose_model(SETTINGS, "claude/claude-opus-5").reference == "claude/claude-opus-5"
    assert choose_model(SETTINGS, "org/some-model").reference == "glm/org/some-model"
    assert choose_model(SETTINGS, "claude").model == ""


def test_a_provider_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(SettingsError, match="glm, claude"):
        choose_model(Settings(llm=LlmSettings(provider="gone"), providers=SETTINGS.providers))


def given(**llm: Any) -> dict[str, Any]:
    """Who has which work, by reference."""
    settings = replace(SETTINGS, llm=LlmSettings(provider="claude", **llm))
    found = roles(settings)
    assert choose_for(settings, "안녕?").choices[0] == found.conversation
    assert choose_for(settings, "이 함수를 리팩터링해 줘").choices[0] == found.analysis
    return {
        "conversation": found.conversation.reference,
        "analysis": found.analysis.reference,
        "summaries": found.summaries.reference if found.summaries else None,
        "idle": found.idle,
    }


@pytest.mark.parametrize(
    ("llm", "conversation", "analysis", "summaries", "idle"),
    [
        ({}, "m", "m", None, ()),
        ({"light_model": "l"}, "l", "m", "l", ()),
        ({"strong_model": "s"}, "m", "s", None, ()),
        ({"light_model": "l", "strong_model": "s"}, "l", "s", "l", ("model",)),
        ({"light_model": "l", "strong_model": "s", "fallbacks": ("m",)}, "l", "s", "l", ()),
        ({"light_model": "m", "strong_model": "s"}, "m", "s", "m", ()),
        ({"light_model": "l", "strong_model": "s", "routing": "off"}, "m", "m", "l", ("strong_model",)),
        ({"light_model": "l", "strong_model": "s", "routing": "light"}, "l", "l", "l", ("model", "strong_model")),
        ({"light_model": "l", "strong_model": "s", "routing": "strong"}, "s", "s", "l", ("model",)),
        ({"strong_model": "s", "routing": "light"}, "m", "m", None, ("strong_model",)),
    ],
)
def test_each_work_is_done_by_the_model_named_for_it_else_by_the_usual_one_and_the_idle_are_known(
    llm: dict[str, Any], conversation: str, analysis: str, summaries: str | None, idle: tuple[str, ...]
) -> None:
    assert given(model="m", **llm) == {
        "conversation": f"claude/{conversation}",
        "analysis": f"claude/{analysis}",
        "summaries": summaries and f"claude/{summaries}",
        "idle": idle,
    }


def test_a_model_that_is_not_named_is_not_idle() -> None:
    assert given(light_model="l", strong_model="s")["idle"] == ()


def test_a_provider_that_stands_for_its_only_model_is_not_offered_beside_one_that_is_named() -> None:
    local = Provider(name="mine", kind="local", base_url="http://127.0.0.1:1/v1")
    settings = Settings(llm=LlmSettings(provider="claude", model="m"), providers=(CLAUDE, local))
    assert [each.reference for each in configured(settings)] == ["claude/m", "mine"]
    named = replace(settings, llm=replace(settings.llm, fallbacks=("mine/x",)))
    assert [each.reference for each in configured(named)] == ["claude/m", "mine/x"]


def test_the_small_stand_in_is_offered_in_nobodys_place() -> None:
    settings = Settings(providers=(CLAUDE,), llm=LlmSettings(embedded_model=PLACEHOLDER_MODEL))
    assert [each.placeholder for each in configured(settings)] == [True]
    late = ProviderError(ErrorCode.TIMEOUT, "late", provider="claude")
    assert alternatives(settings, late, "claude/claude-opus-5") == ()
