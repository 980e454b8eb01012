"""``sori providers``: lists the configured providers, the servers on this machine, and their models."""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from assistant.agent.model_choice import EMBEDDED, Roles, roles
from assistant.app.cli.database import opened
from assistant.core.display.sizes import size_words
from assistant.core.display.table import aligned, fitting
from assistant.core.errors import ErrorCode, ModelFileError, SettingsError, SoriError
from assistant.core.records.egress import EgressLedger
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.engine.checks.health import embedded_memory
from assistant.engine.checks.role_words import roles_in_words
from assistant.engine.models.offers import same_place
from assistant.host.clock import SystemClock
from assistant.host.keys import Keys
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_language_models
from assistant.host.places import Places
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.gguf import gguf_bytes
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import model_file
from assistant.llm.facts.discovery import PORTS, FoundModel, FoundServer, find_servers
from assistant.llm.facts.model_facts import KnownModel, known_model
from assistant.llm.router import BackendRegistry
from assistant.llm.transport.endpoint import wants_key
from assistant.storage.records.egress import EgressStore


@dataclass(frozen=True, slots=True, kw_only=True)
class _Embedded:
    """The embedded server: its model, bytes of the model's files (``None`` if missing) and bytes of its memory."""

    model: str
    size: int | None
    memory: int | None


def run(
    places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace, ports: Sequence[int] = PORTS
) -> int:
    """Print the providers, or with ``--models`` the models of one; returns the exit status.

    Raises:
        SoriError: a provider is unknown or does not list its models; or the database cannot be written.
    """
    if arguments.models is not None:
        models = asyncio.run(_models(places, settings, arguments.models, texts, ports))
        lines = [json.dumps(models, ensure_ascii=False, indent=1)] if arguments.json else _model_lines(models, texts)
    else:
        found = asyncio.run(_found(places, texts, ports))
        embedded = _embedded(places, settings)
        if arguments.json:
            lines = [json.dumps(_as_json(settings, embedded, found), ensure_ascii=False, indent=1)]
        else:
            lines = [
                *_configured_lines(settings, embedded, places, texts),
                *_role_lines(settings, places, texts),
                *_found_lines(settings, found, places, texts),
            ]
    for line in lines:
        print(line)
    return 0


async def _found(places: Places, texts: Texts, ports: Sequence[int]) -> tuple[FoundServer, ...]:
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        return await find_servers(EgressStore(database, clock), ports=ports)


async def _models(
    places: Places, settings: Settings, name: str, texts: Texts, ports: Sequence[int]
) -> list[dict[str, object]]:
    """The models of a configured provider, or of a server that is found on this machine."""
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        provider = next((each for each in (*settings.providers, EMBEDDED) if each.name == name), None)
        if provider is not None:
            listed = await _listed(places, settings, provider, EgressStore(database, clock))
            return [_facts(model, known_model(provider, model, settings.models)) for model in listed]
        servers = await find_servers(EgressStore(database, clock), ports=ports)
    server = next((each for each in servers if each.name == name), None)
    if server is None:
        known = [each.name for each in (*settings.providers, EMBEDDED)] + [each.name for each in servers]
        values = {"name": name, "known": ", ".join(known) or texts("chat.no_providers")}
        detail = f"neither config.toml nor a server on this machine has the name {name!r}"
        raise SoriError(ErrorCode.SETTINGS, detail, message_key="unknown_provider", values=values)
    found = Provider(name=server.name, kind="local", base_url=server.base_url)
    return [_told(model, known_model(found, model.name, settings.models)) for model in server.models]


async def _listed(places: Places, settings: Settings, provider: Provider, ledger: EgressLedger) -> tuple[str, ...]:
    embedded = open_store(places.home).place(_model_name(settings))
    needs = BackendNeeds(key_of=Keys().of, ledger=ledger, embedded_model=embedded)
    router = BackendRegistry.discovered(needs)
    try:
        backend = router.backend_for(provider)
        return await backend.models(provider)
    finally:
        await router.close()


def _model_name(settings: Settings) -> str:
    return next(iter(needed_language_models(settings)), PLACEHOLDER_MODEL)


def _embedded(places: Places, settings: Settings) -> _Embedded:
    name = _model_name(settings)
    try:
        size = gguf_bytes(model_file(open_store(places.home).place(name)))
    except (ModelFileError, OSError):
        size = None
    return _Embedded(model=name, size=size, memory=embedded_memory())


def _facts(model: str, known: KnownModel) -> dict[str, object]:
    return {"model": model, **asdict(known)}


def _told(model: FoundModel, known: KnownModel) -> dict[str, object]:
    """The server's description of its model, completed by known facts."""
    told = {name: value for name, value in asdict(model).items() if name != "name" and value is not None}
    return {**_facts(model.name, known), **told}


def _as_json(settings: Settings, embedded: _Embedded, found: Sequence[FoundServer]) -> dict[str, object]:
    return {
        "configured": [
            {
                "name": each.name,
                "kind": each.kind,
                "base_url": each.base_url,
                "default": each.name == settings.llm.provider,
                "answers": each.name == _answering(settings),
                "key": _key_state(each),
            }
            for each in settings.providers
        ],
        "embedded": asdict(embedded),
        "roles": _roles_json(settings),
        "found": [{**asdict(each), "configured_as": _configured_as(settings, each)} for each in found],
    }


def _key_state(provider: Provider) -> str:
    """``there``, ``missing`` or ``none``: key of the text below ``providers.key``."""
    if Keys().of(provider):
        return "there"
    return "missing" if wants_key(provider) else "none"


def _configured_as(settings: Settings, server: FoundServer) -> str:
    """Name of the configured provider with this server's address; empty for none."""
    return next((each.name for each in settings.providers if same_place(each.base_url, server.base_url)), "")


def _configured_lines(settings: Settings, embedded: _Embedded, places: Places, texts: Texts) -> list[str]:
    if settings.providers:
        heads = [texts(f"providers.column.{name}") for name in ("name", "kind", "address", "key")]
        rows = [
            [
                each.name + (" *" if each.name == _answering(settings) else ""),
                each.kind,
                each.base_url or texts("providers.built_in" if each.kind == "local" else "providers.own_address"),
                texts(f"providers.key.{_key_state(each)}"),
            ]
            for each in settings.providers
        ]
        lines = [*fitting([heads, *rows]), texts("providers.legend")]
    else:
        lines = [texts("providers.none", config=places.config)]
    size = texts("providers.not_here") if embedded.size is None else size_words(embedded.size)
    running = texts("providers.memory", memory=size_words(embedded.memory)) if embedded.memory else ""
    return [*lines, texts("providers.embedded", model=embedded.model, size=size, running=running).rstrip(), ""]


def _roles(settings: Settings) -> Roles | None:
    """The role of each model, or ``None`` where the settings name an unknown provider."""
    try:
        return roles(settings)
    except SettingsError:
        return None


def _answering(settings: Settings) -> str:
    """Name of the provider that answers by default."""
    given = _roles(settings)
    return settings.llm.provider if given is None else given.conversation.provider.name


def _roles_json(settings: Settings) -> dict[str, object] | None:
    given = _roles(settings)
    if given is None:
        return None
    return {
        "conversation": given.conversation.reference,
        "analysis": given.analysis.reference,
        "summaries": given.summaries.reference if given.summaries else None,
        "fallbacks": [each.reference for each in given.fallbacks],
        "idle": list(given.idle),
    }


def _role_lines(settings: Settings, places: Places, texts: Texts) -> list[str]:
    given = _roles(settings)
    if given is None:
        return []
    lines = [texts("providers.role.line", role=role, words=words) for role, words in roles_in_words(given, texts)]
    idle = ", ".join(f"{key} = {_quoted(getattr(settings.llm, key))}" for key in given.idle)
    return [*lines, *([texts("providers.role.idle", models=idle, config=places.config)] if idle else []), ""]


def _found_lines(settings: Settings, found: Sequence[FoundServer], places: Places, texts: Texts) -> list[str]:
    if not found:
        return [texts("providers.nothing_found")]
    lines = [texts("providers.found")]
    for server in found:
        name = _configured_as(settings, server)
        known = texts("providers.configured_as", name=name) if name else ""
        lines.append(f"  {server.title}  {server.base_url}  {known}".rstrip())
        if server.needs_key:
            lines.append(f"    {texts('providers.needs_key')}")
        elif not server.models:
            lines.append(f"    {texts('providers.no_models')}")
        lines += [f"    {line}" for line in _model_lines([_told(each, KnownModel()) for each in server.models], texts)]
        if not name:
            # TOML does not allow a second [llm] table.
            chosen = settings.llm != LlmSettings()
            how = texts(f"providers.to_use{'_instead' if chosen else ''}", config=places.config)
            lines += ["", f"  {how}", "", *_entry(server, table=not chosen), ""]
    return lines


def _entry(server: FoundServer, *, table: bool) -> list[str]:
    """The lines of ``config.toml`` for a server. Without ``table`` they belong below the existing ``[llm]``."""
    lines = [
        "[[providers]]",
        f"name = {_quoted(server.name)}",
        'kind = "local"',
        f"base_url = {_quoted(server.base_url)}",
    ]
    if server.needs_key:
        lines.append(f"api_key_env = {_quoted(server.name.upper() + '_API_KEY')}")
    model = [f"model = {_quoted(server.models[0].name)}"] if server.models else []
    head = ["[llm]"] if table else []
    return [f"    {line}".rstrip() for line in (*head, f"provider = {_quoted(server.name)}", *model, "", *lines)]


def _quoted(text: str) -> str:
    """A text as a TOML string, which has the form of a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def _model_lines(models: Sequence[dict[str, object]], texts: Texts) -> list[str]:
    rows = []
    for each in models:
        context = each["context_tokens"]
        abilities = [texts(f"providers.{ability}") for ability in ("images", "tools") if each[ability] is True]
        size = texts("providers.context", tokens=f"{context:,}") if isinstance(context, int) else ""
        rows.append([str(each["model"]), size, ", ".join(abilities)])
    return aligned(rows) if rows else []
