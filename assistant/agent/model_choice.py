"""Which provider and model answer: as the settings say, as the conversation has chosen, as the request needs (P-23)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from assistant.core.addresses import is_local_host
from assistant.core.errors import ErrorCode, ProviderError, SettingsError, SoriError
from assistant.core.messages import Message, Role
from assistant.core.settings import Provider, Settings
from assistant.core.updates import ModelOffer
from assistant.llm.facts.model_facts import KnownModel, known_model
from assistant.llm.openai.profiles import default_model
from assistant.llm.providers.local import EMBEDDED_MODEL, PLACEHOLDER_MODEL
from assistant.llm.routing import Strength, concerns_provider, judge, may_fall_back

EMBEDDED = Provider(name="embedded", kind="local")
"""Sori's own server, where no provider is configured."""

_WITHOUT_NAME = frozenset({"local", "zai"})
"""Kinds whose servers have a model that need not be named."""


_FOLLOW_UPS = 3
"""How many messages after one with a file are taken to be about it still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A provider and a model of it; ``model`` empty for the provider's only or default one."""

    provider: Provider
    model: str

    @property
    def placeholder(self) -> bool:
        """Whether this is the stand-in of machines with little memory, which knows no tools and no Korean."""
        return is_embedded(self.provider) and self.model == PLACEHOLDER_MODEL

    @property
    def reference(self) -> str:
        """How settings and controls name it."""
        return f"{self.provider.name}/{self.model}" if self.model else self.provider.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModels:
    """Who is to answer a request.

    Attributes:
        choices: the model, and after it those that step in when it fails, in order.
        because: the words of the request that decided between two models; empty where nothing was to decide.
    """

    choices: tuple[ModelChoice, ...]
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """Which model the settings give which work.

    Attributes:
        conversation: answers in general conversation.
        analysis: answers what needs analysis, code or mathematics.
        summaries: makes summaries; ``None`` where whoever answers does.
        fallbacks: step in when the one that was asked fails, in this order.
        idle: keys of ``[llm]`` that name a model which is given no work.
    """

    conversation: ModelChoice
    analysis: ModelChoice
    summaries: ModelChoice | None
    fallbacks: tuple[ModelChoice, ...]
    idle: tuple[str, ...]


def is_embedded(provider: Provider) -> bool:
    """Whether this provider is Sori's own server."""
    return provider.kind == "local" and not provider.base_url


def stays_here(provider: Provider) -> bool:
    """Whether what this provider is sent stays on this machine."""
    if not provider.base_url:
        return is_embedded(provider)
    return is_local_host(urlsplit(provider.base_url).hostname or "")


def choose_model(settings: Settings, reference: str = "") -> ModelChoice:
    """The model that a reference names (``LlmSettings`` says how); without one, the settings' own.

    Raises:
        SettingsError: it names a provider that does not exist.
    """
    name, model = settings.llm.provider, settings.llm.model
    if reference:
        name, model = _split(settings, reference)
    provider = _provider(settings, name)
    if not model:
        # Named here, so that what is known of it and what it costs are known too.
        own = settings.llm.embedded_model or EMBEDDED_MODEL
        model = own if is_embedded(provider) else default_model(provider)
    return ModelChoice(provider=provider, model=model)


def remembered(settings: Settings, reference: str) -> str:
    """The reference that a conversation has chosen, if its provider is there; empty for none.

    It begins with a provider's name. Taken for the name of a model, as what a user writes would be, one of a provider
    that is gone would send to another what was meant for the first, maybe for this machine.

    Raises:
        ProviderError: ``model_not_found``: there is no such provider any more.
    """
    if reference and _named(settings, reference) is None:
        detail, name = f"no provider for {reference}", reference.partition("/")[0]
        raise ProviderError(ErrorCode.MODEL_NOT_FOUND, detail, provider=name, message_key="chosen_model_gone")
    return reference


def _split(settings: Settings, reference: str) -> tuple[str, str]:
    """Name of the provider, and of the model."""
    # Many a model's own name has a slash.
    return _named(settings, reference) or (settings.llm.provider, reference)


def _named(settings: Settings, reference: str) -> tuple[str, str] | None:
    """Name of the provider that a reference begins with, and of the model; ``None`` where it begins with none's."""
    names = {provider.name for provider in settings.providers} | {EMBEDDED.name}
    if reference in names:
        return reference, settings.llm.model if reference == settings.llm.provider else ""
    before, slash, after = reference.partition("/")
    return (before, after) if slash and before in names else None


def leads_nowhere(settings: Settings, reference: str, own: Collection[str]) -> bool:
    """Whether a reference surely names no provider and no model that there is.

    Only of Sori's own server is it known what models it has. A vendor's names have no slash, but for Google's
    ``models/``. What a server at an address of the user's calls its models nobody else can say.

    Args:
        settings: all settings, whose own provider exists.
        reference: as a user writes it.
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
    """The provider of this name; ``embedded`` is Sori's own server where the settings name nobody else so.

    Raises:
        SettingsError: there is none; says which there are.
    """
    for provider in (*settings.providers, EMBEDDED):
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
    same_kind = before is None or (before.kind == chosen.kind and is_embedded(before) == is_embedded(chosen))
    model = settings.llm.model if same_kind else ""
    return replace(settings, llm=replace(settings.llm, provider=name, model=model))


def choose_for(settings: Settings, text: str = "", *, attachments: int = 0, chosen: str = "") -> ChosenModels:
    """Who answers a request.

    Args:
        settings: all settings.
        text: the request.
        attachments: how many files came with it.
        chosen: the reference that the user chose for this turn or this conversation; it wins.

    Raises:
        SettingsError: a reference names a provider that does not exist.
    """
    if chosen:
        return ChosenModels(choices=_with_fallbacks(settings, choose_model(settings, chosen)))
    given = roles(settings)
    if given.conversation == given.analysis:
        return ChosenModels(choices=_with_fallbacks(settings, given.conversation))
    judgement = judge(text, attachments=attachments)
    first = given.analysis if judgement.strength is Strength.STRONG else given.conversation
    return ChosenModels(choices=_with_fallbacks(settings, first), because=judgement.because)


def files_talked_of(history: Sequence[Message]) -> int:
    """How many files the user's newest messages came with: a question after an image is mostly about it."""
    asked = [message for message in history if message.role is Role.USER]
    return sum(len(message.attachments) for message in asked[-_FOLLOW_UPS - 1 :])


def roles(settings: Settings) -> Roles:
    """Which model is given which work, where nobody has chosen one.

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
    """Who of those that wait steps in for a model that failed before it said or did anything; ``None`` for nobody."""
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
    """What is known of a model; Sori's own server takes no more than the context that it was told to load it with.

    Args:
        settings: what the user says of it.
        choice: the model.
        parameters: how many it has by its file, ``None`` where that is not here.
    """
    known = known_model(choice.provider, choice.model, settings.models, parameters)
    if not is_embedded(choice.provider):
        return known
    loaded = settings.llm.context_tokens
    return replace(known, context_tokens=min(known.context_tokens or loaded, loaded))


def configured(settings: Settings) -> tuple[ModelChoice, ...]:
    """Every model that the settings name or imply, the usual one first; references that lead nowhere are left out."""
    llm = settings.llm
    named = ["", llm.light_model, llm.strong_model, *llm.fallbacks]
    implied = [each.name for each in settings.providers if each.kind in _WITHOUT_NAME]
    choices: dict[ModelChoice, None] = {}
    for reference in [*named, *implied]:
        try:
            choices[choose_model(settings, reference)] = None
        except SettingsError:
            continue
    # The provider alone stands for its only model, which may well be the one that is named.
    told = {choice.provider.name for choice in choices if choice.model}
    return tuple(choice for choice in choices if choice.model or choice.provider.name not in told)


def offered_models(settings: Settings) -> tuple[ModelOffer, ...]:
    """The models that the settings name, as they are offered to choose from."""
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
    """References of models that could answer in place of the one that failed.

    Args:
        settings: all settings.
        error: how it failed.
        asked: the failed model's reference, empty when none was asked.
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
"""After these no other model is asked by itself, but the user may."""
