"""The settings with the choices of the command line."""

from dataclasses import replace

from assistant.agent.model_choice import EMBEDDED, choose_model, is_embedded, with_provider
from assistant.app.cli.options import ChatOptions
from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.settings import Settings


def chosen_settings(settings: Settings, options: ChatOptions) -> Settings:
    """The settings with the choices of the command line.

    Raises:
        SettingsError: the provider is unknown.
    """
    llm = settings.llm
    if options.provider is not None:
        llm = with_provider(settings, options.provider).llm
    if options.model is not None:
        choice = choose_model(replace(settings, llm=llm), options.model)
        embedded = is_embedded(choice.provider) and choice.provider not in settings.providers
        llm = replace(llm, provider="" if embedded else choice.provider.name, model=choice.model)
    if options.provider is not None or options.model is not None:
        # A named model answers every request, without routing and without fallbacks.
        llm = replace(llm, routing="off", fallbacks=())
    if options.reasoning_effort is not None:
        llm = replace(llm, reasoning=True, reasoning_effort=options.reasoning_effort)
    if options.reasoning is not None:
        llm = replace(llm, reasoning=options.reasoning)
    if options.temperature is not None:
        llm = replace(llm, temperature=options.temperature)
    return replace(settings, llm=llm)


def checked_settings(settings: Settings, options: ChatOptions) -> Settings:
    """The settings with the choices of the command line, whose model can be chosen.

    Raises:
        SoriError: the provider is unknown; the message has the known names.
    """
    try:
        chosen = chosen_settings(settings, options)
        choose_model(chosen)
    except SettingsError as error:
        known = ", ".join(dict.fromkeys(provider.name for provider in (*settings.providers, EMBEDDED)))
        values = {"name": options.provider or settings.llm.provider, "known": known}
        raise SoriError(
            ErrorCode.SETTINGS, error.detail, message_key="unknown_provider", values=values, cause=error
        ) from error
    return chosen
