"""Which provider and model answer, as the settings say."""

from dataclasses import dataclass, replace

from assistant.core.errors import SettingsError
from assistant.core.settings import Provider, Settings
from assistant.llm.providers.local import PLACEHOLDER_MODEL

EMBEDDED = Provider(name="embedded", kind="local")
"""Sori's own server, where no provider is configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A provider and a model of it; ``model`` empty for the provider's only or default one."""

    provider: Provider
    model: str

    @property
    def placeholder(self) -> bool:
        """Whether this is the small stand-in that ships with Sori, which knows no tools and little Korean."""
        return is_embedded(self.provider) and self.model == PLACEHOLDER_MODEL


def is_embedded(provider: Provider) -> bool:
    """Whether this provider is Sori's own server."""
    return provider.kind == "local" and not provider.base_url


def choose_model(settings: Settings) -> ModelChoice:
    """The model that answers.

    Raises:
        SettingsError: ``llm.provider`` names no provider.
    """
    name = settings.llm.provider
    provider = find_provider(settings, name) if name else EMBEDDED
    model = settings.llm.model or (PLACEHOLDER_MODEL if is_embedded(provider) else "")
    return ModelChoice(provider=provider, model=model)


def find_provider(settings: Settings, name: str) -> Provider:
    """The provider of this name.

    Raises:
        SettingsError: there is none; says which there are.
    """
    for provider in settings.providers:
        if provider.name == name:
            return provider
    known = ", ".join(provider.name for provider in settings.providers) or "none"
    raise SettingsError(
        f"there is no provider named {name!r} (known: {known})",
        line=0,
        remedy=f'Add a [[providers]] table with name = "{name}", or choose another.',
    )


def with_provider(settings: Settings, name: str) -> Settings:
    """The settings with another provider chosen.

    The model's name is kept for a provider of the same kind and left to the provider otherwise, since no model has
    the same name with two vendors.

    Raises:
        SettingsError: there is no such provider.
    """
    chosen = find_provider(settings, name)
    before = next((each for each in settings.providers if each.name == settings.llm.provider), None)
    same_kind = before is None or before.kind == chosen.kind
    model = settings.llm.model if same_kind else ""
    return replace(settings, llm=replace(settings.llm, provider=name, model=model))
