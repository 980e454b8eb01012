"""Chooses the provider and the model: by the settings, the conversation's choice and the request (P-23)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from assistant.core.addresses import is_local_host
from assistant.core.errors import ErrorCode, ProviderError, SettingsError, SoriError
from assistant.core.messages import Message, Role
from assistant.core.settings import Provider, Settings
from assistant.core.updates import ModelOffer
from assistant.llm.embedded.own_models import EMBEDDED_MODEL, PLACEHOLDER_MODEL
from assistant.llm.facts.model_facts import KnownModel, known_model
from assistant.llm.openai.profiles import default_model
from assistant.llm.routing import Strength, concerns_provider, judge, may_fall_back

EMBEDDED = Provider(name="embedded", kind="local")
"""Sori's own server, the provider without any configuration."""

_WITHOUT_NAME = frozenset({"local", "zai"})
"""Kinds whose servers have a default model."""

_FOLLOW_UPS = 3
"""Number of messages after one with a file that count as being about the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A provider and one of its models. An empty ``model`` is the provider's only or default model."""

    provider: Provider
    model: str

    @property
    def placeholder(self) -> bool:
        """Whether this is the placeholder for machines with little memory, without tools and Korean."""
        return is_embedded(self.provider) and self.model == PLACEHOLDER_MODEL

    @property
    def reference(self) -> str:
        """Its name in settings and controls."""
        return f"{self.provider.name}/{self.model}" if self.model else self.provider.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModels:
    """The models for a request.

    Attributes:
        choices: the chosen model, then its fallbacks in order.
        because: the words of the request that decided between two models; empty without a decision.
    """

    choices: tuple[ModelChoice, ...]
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The models that the settings assign to each kind of work.

    Attributes:
        conversation: the model for general conversation.
        analysis: the model for analysis, code and mathematics.
        summaries: the model for summaries; ``None`` for the model that answers.
        fallbacks: the models that answer when another one fails, in this order.
        idle: keys of ``[llm]`` that name a model without work.
    """

    conversation: ModelChoice
    analysis: ModelChoice
    summaries: ModelChoice | None
    fallbacks: tuple[ModelChoice, ...]
    idle: tuple[str, ...]


def is_embedded(provider: Provider) -> bool:
    """Whether the provider is Sori's own server."""
    return provider.kind == "local" and not provider.base_url


def stays_here(provider: Provider) -> bool:
    """Whether requests to the provider stay on this machine."""
    if not provider.base_url:
        return is_embedded(provider)
    return is_local_host(urlsplit(provider.base_url).hostname or "")


def choose_model(settings: Settings, reference: str = "") -> ModelChoice:
    """The model of a reference, in the form described in ``LlmSettings``. An empty reference is the settings' model.

    Raises:
        SettingsError: the reference names a provider that does not exist.
    """
    name, model = settings.llm.provider, settings.llm.model
    if reference:
        name, model = _split(settings, reference)
    provider = _provider(settings, name)
    if not model:
        # Named here, because the facts and the price of a model depend on its name.
        own = settings.llm.embedded_model or EMBEDDED_MODEL
        model = own if is_embedded(provider) else default_model(provider)
    return ModelChoice(provider=provider, model=model)


def remembered(settings: Settings, reference: str) -> str:
    """Check the reference that a conversation has chosen, and return it; an empty one is no choice.

    Such a reference begins with a provider's name. If that provider was removed, the reference must not be read as a
    model's name: another provider would get a conversation that was meant for the first, maybe for this machine.

    Raises:
        ProviderError: ``model_not_found``, when the provider does not exist any more.
    """
    if reference and _named(settings, reference) is None:
        detail, name = f"no provider for {reference}", reference.partition("/")[0]
        raise ProviderError(ErrorCode.MODEL_NOT_FOUND, detail, provider=name, message_key="chosen_model_gone")
    return reference


def has_model(settings: Settings, reference: str) -> bool:
    """Whether a reference begins with the name of a provider, or is the name of a model of the default provider.

    As in ``remembered``, a name with a slash whose provider does not exist is never read as a model's name.
    """
    return "/" not in reference or _named(settings, reference) is not None


def _split(settings: Settings, reference: str) -> tuple[str, str]:
    """The names of the provider and the model."""
    # Some names of models contain a slash.
    return _named(settings, reference) or (settings.llm.provider, reference)


def _named(settings: Settings, reference: str) -> tuple[str, str] | None:
    """The names of the provider and the model; ``None`` if the reference does not begin with a provider's name."""
    names = {provider.name for provider in settings.providers} | {EMBEDDED.name}
    if reference in names:
        return reference, settings.llm.model if reference == settings.llm.provider else ""
    before, slash, after = reference.partition("/")
    return (before, after) if slash and before in names else None


def leads_nowhere(settings: Settings, reference: str, own: Collection[str]) -> bool:
    """Whether a reference certainly names no existing provider or model.

    Only the models of Sori's own server are known. A vendor's names contain no slash, except Google's ``models/``. The
    names on a server at the user's own address are unknown.

    Args:
        settings: all settings; their provider exists.
        reference: a reference as the user writes it.
        own: the models of Sori's own server.
    """
    named = _named(settings, reference)
    name, model = named or (settings.llm.provider, reference)
    provider = _provider(settings, name)
    if is_embedded(provider):
        return bool(model) and model not in own and reference != name
    return named is None and not provider.base_url and "/" in model and not model.startswith("models/")


def _provider(settings: Settings, name: str) -> Provider:
    return find_provider(settings, name) if name else EMBEDDED


def find_provider(settings: Settings, name: str) -> Provider:
    """The provider of this name. ``embedded`` is Sori's own server, unless the settings use this name.

    Raises:
        SettingsError: there is no such provider; the message names the existing ones.
    """
    for provider in (*settings.providers, EMBEDDED):
        if provider.name == name:
            return provider
    known = ", ".join(provider.name for provider in settings.providers) or "none"
    raise SettingsError("provider", path="llm.provider", value=repr(name), name=name, known=known)


def with_provider(settings: Settings, name: str) -> Settings:
    """The settings with another provider chosen.

    A provider of the same kind keeps the model's name. Any other uses its default model, because names of models differ
    between vendors.

    Raises:
        SettingsError: there is no such provider.
    """
    chosen = find_provider(settings, name)
    before = next((each for each in settings.providers if each.name == settings.llm.provider), None)
    same_kind = before is None or (before.kind == chosen.kind and is_embedded(before) == is_embedded(chosen))
    model = settings.llm.model if same_kind else ""
    return replace(settings, llm=replace(settings.llm, provider=name, model=model))


def model_of_turn(settings: Settings, provider: str, model: str = "") -> str:
    """The reference of the model that a turn names, with or without its provider; empty if it names neither.

    Raises:
        SoriError: there is no such provider; the message has the known names.
    """
    if not provider:
        return model
    try:
        return choose_model(with_provider(settings, provider), model).reference
    except SettingsError as error:
        known = ", ".join(dict.fromkeys(each.name for each in (*settings.providers, EMBEDDED)))
        values = {"name": provider, "known": known}
        raise SoriError(
            ErrorCode.SETTINGS, error.detail, message_key="unknown_provider", values=values, cause=error
        ) from error


def answering_alone(settings: Settings, provider: str, model: str) -> Settings:
    """The settings in which the model that a turn names does all work; the same ones if it names none.

    Raises:
        SoriError: the provider does not exist.
    """
    if not (reference := model_of_turn(settings, provider, model)):
        return settings
    choice = choose_model(settings, reference)
    llm = replace(settings.llm, provider=choice.provider.name, model=choice.model, routing="off", fallbacks=())
    return replace(settings, llm=llm)


def choose_for(settings: Settings, text: str = "", *, attachments: int = 0, chosen: str = "") -> ChosenModels:
    """The models for a request.

    Args:
        settings: all settings.
        text: the request.
        attachments: the number of files that the request is about.
        chosen: the reference that the user chose for this turn or conversation; it takes precedence.

    Raises:
        SettingsError: a reference names a provider that does not exist.
    """
    if chosen:
        return ChosenModels(choices=_with_fallbacks(settings, choose_model(settings, chosen)))
    work = roles(settings)
    if work.conversation == work.analysis:
        return ChosenModels(choices=_with_fallbacks(settings, work.conversation))
    judgement = judge(text, attachments=attachments)
    first = work.analysis if judgement.strength is Strength.STRONG else work.conversation
    return ChosenModels(choices=_with_fallbacks(settings, first), because=judgement.because)


def files_talked_of(history: Sequence[Message]) -> int:
    """The number of files of the user's newest messages, because a question after an image is mostly about it."""
    asked = [message for message in history if message.role is Role.USER]
    return sum(len(message.attachments) for message in asked[-_FOLLOW_UPS - 1 :])


def roles(settings: Settings) -> Roles:
    """The models for each kind of work, without a choice by the user.

    Raises:
        SettingsError: a reference names a provider that does not exist.
    """
    llm = settings.llm
    named = {
        "model": choose_model(settings),
        "light_model": choose_model(settings, llm.light_model),
        "strong_model": choose_model(settings, llm.strong_model),
    }
    fixed = {"off": "model", "light": "light_model", "strong": "strong_model"}.get(llm.routing)
    conversation, analysis = named[fixed or "light_model"], named[fixed or "strong_model"]
    summaries = named["light_model"] if llm.light_model else None
    fallbacks = _fallbacks(settings)
    busy = {conversation, analysis, summaries, *fallbacks}
    return Roles(
        conversation=conversation,
        analysis=analysis,
        summaries=summaries,
        fallbacks=fallbacks,
        idle=tuple(key for key, choice in named.items() if getattr(llm, key) and choice not in busy),
    )


def _fallbacks(settings: Settings) -> tuple[ModelChoice, ...]:
    return tuple(choose_model(settings, reference) for reference in settings.llm.fallbacks)


def _with_fallbacks(settings: Settings, first: ModelChoice) -> tuple[ModelChoice, ...]:
    return tuple(dict.fromkeys([first, *_fallbacks(settings)]))


def next_choice(
    settings: Settings, failed: ModelChoice, error: SoriError, waiting: Iterable[ModelChoice]
) -> ModelChoice | None:
    """The next fallback for a model that failed without text or effects; ``None`` without one."""
    if not may_fall_back(error):
        return None
    for choice in waiting:
        if concerns_provider(error) and choice.provider == failed.provider:
            continue
        if error.code is ErrorCode.CONTEXT_TOO_LONG and not _takes_more(settings, choice, failed):
            continue
        return choice
    return None


def _takes_more(settings: Settings, choice: ModelChoice, failed: ModelChoice) -> bool:
    more = facts_of(settings, choice).context_tokens
    before = facts_of(settings, failed).context_tokens
    return more is not None and more > (before or 0)


def facts_of(settings: Settings, choice: ModelChoice, parameters: float | None = None) -> KnownModel:
    """The known facts of a model. On Sori's own server its context is limited by the settings.

    Args:
        settings: all settings, with the user's facts of models.
        choice: the model.
        parameters: the number of parameters in its file; ``None`` without a file.
    """
    known = known_model(choice.provider, choice.model, settings.models, parameters)
    if not is_embedded(choice.provider):
        return known
    loaded = settings.llm.context_tokens
    return replace(known, context_tokens=min(known.context_tokens or loaded, loaded))


def configured(settings: Settings) -> tuple[ModelChoice, ...]:
    """All models that the settings name or imply, the default first, without references to unknown providers."""
    llm = settings.llm
    named = ["", llm.light_model, llm.strong_model, *llm.fallbacks]
    implied = [each.name for each in settings.providers if each.kind in _WITHOUT_NAME]
    choices: dict[ModelChoice, None] = {}
    for reference in [*named, *implied]:
        try:
            choices[choose_model(settings, reference)] = None
        except SettingsError:
            continue
    # A provider alone stands for its only model, which may be one of the named ones.
    named_providers = {choice.provider.name for choice in choices if choice.model}
    return tuple(choice for choice in choices if choice.model or choice.provider.name not in named_providers)


def offered_models(settings: Settings) -> tuple[ModelOffer, ...]:
    """The models of the settings, as offers to choose from."""
    return tuple(
        ModelOffer(
            reference=choice.reference,
            provider=choice.provider.name,
            model=choice.model,
            images=facts_of(settings, choice).sees,
            local=choice.provider.kind == "local",
        )
        for choice in configured(settings)
    )


def alternatives(settings: Settings, error: SoriError, asked: str) -> tuple[str, ...]:
    """References of models that could answer in place of a failed one.

    Args:
        settings: all settings.
        error: the failure.
        asked: the failed model's reference; empty if none was asked.
    """
    if not (may_fall_back(error) or error.code in _OTHERS_MAY):
        return ()
    failed_provider = error.provider if isinstance(error, ProviderError) and concerns_provider(error) else ""
    return tuple(
        choice.reference
        for choice in configured(settings)
        if choice.reference != asked and not choice.placeholder and choice.provider.name != failed_provider
    )


_OTHERS_MAY = frozenset({ErrorCode.TIMEOUT, ErrorCode.CONTENT_REFUSED})
"""Errors after which only the user may choose another model."""
