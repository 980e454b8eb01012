import pytest

from assistant.chat.model_choice import choose_model, configured, facts_of
from assistant.core.errors import SettingsError
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.llm.providers.local import PLACEHOLDER_MODEL

GLM = Provider(name="glm", kind="zai")
CLAUDE = Provider(name="claude", kind="anthropic")
SETTINGS = Settings(llm=LlmSettings(provider="glm"), providers=(GLM, CLAUDE))


def test_the_model_of_a_vendor_that_has_a_usual_one_is_known_by_name() -> None:
    choice = choose_model(SETTINGS)
    assert (choice.provider, choice.model, choice.reference) == (GLM, "glm-4.7", "glm/glm-4.7")
    assert facts_of(SETTINGS, choice).price_output is not None
    assert choice in configured(SETTINGS)


def test_without_any_provider_it_is_the_small_stand_in() -> None:
    choice = choose_model(Settings())
    assert choice.placeholder
    assert choice.model == PLACEHOLDER_MODEL


def test_a_reference_names_a_provider_and_a_model_or_a_model_of_the_usual_provider() -> None:
    assert choose_model(SETTINGS, "claude/claude-opus-5").reference == "claude/claude-opus-5"
    assert choose_model(SETTINGS, "org/some-model").reference == "glm/org/some-model"
    assert choose_model(SETTINGS, "claude").model == ""


def test_a_provider_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(SettingsError, match="glm, claude"):
        choose_model(Settings(llm=LlmSettings(provider="gone"), providers=SETTINGS.providers))
