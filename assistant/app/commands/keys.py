"""``sori keys``: store API keys in the keyring, remove them, and show their sources. No key is ever shown."""

import argparse
import difflib
import getpass
import sys
from typing import TYPE_CHECKING

from assistant.agent.model_choice import is_embedded
from assistant.app.cli.asking import carry_out
from assistant.core.display.table import fitting
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.requests.servers import RemoveKey, StoreKey
from assistant.core.settings import Provider, Settings
from assistant.core.texts import Texts
from assistant.host.key_file import KeyFile
from assistant.host.keys import FoundKey, Keys, KeySource, index_server, search_provider
from assistant.host.places import Places
from assistant.llm.router import kinds_found
from assistant.llm.transport.endpoint import wants_key
from assistant.tools.web.search.chosen import KEYED

if TYPE_CHECKING:
    from assistant.engine.serving.table import Domain

_NEARLY = 0.6
"""Least similarity (``difflib``) at which a known name is suggested."""


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Run the chosen action; returns the exit status.

    Raises:
        SoriError: the provider is unknown, the keyring is missing or refuses, or the key is malformed.
        RefusedError: the engine that runs says so.
    """
    match arguments.action:
        case "set":
            return _set(places, settings, texts, arguments.name)
        case "remove":
            return _remove(places, settings, texts, arguments.name)
        case _:
            return _list(places, settings, texts)


def _set(places: Places, settings: Settings, texts: Texts, name: str) -> int:
    provider = _configured(settings, name)
    # A key may be stored before its provider is configured, under the provider's likely name.
    if provider is None and name not in _kinds_with_keys():
        raise _unknown(settings, texts, name)
    if provider is not None and is_embedded(provider):
        print(texts("keys.needless", provider=name))
        return 0
    request = StoreKey(provider=name, key=_read_key(texts, name), configure=False)
    carry_out(places, texts, lambda _: _own(places), request)
    print(texts("keys.stored", provider=name))
    if provider is None:
        print(texts("keys.unknown_provider", provider=name, config=places.config))
        for line in _lines_to_use(name):
            print(f"    {line}")
    return 0


def _lines_to_use(name: str) -> tuple[str, ...]:
    """The lines of ``config.toml`` that use a key."""
    if name in KEYED:
        return "[search]", f'provider = "{name}"'
    return "[[providers]]", f'name = "{name}"', f'kind = "{name}"'


def _remove(places: Places, settings: Settings, texts: Texts, name: str) -> int:
    provider = _configured(settings, name)
    gone = carry_out(places, texts, lambda _: _own(places), RemoveKey(provider=name))
    # The key of a provider that is no longer configured must be removable too.
    if not gone and provider is None and name not in _kinds_with_keys():
        raise _unknown(settings, texts, name)
    print(texts("keys.removed" if gone else "keys.not_there", provider=name))
    found = Keys().find(provider) if provider is not None else FoundKey()
    if provider is not None and found.source is not KeySource.NONE:
        print(texts("keys.still", source=texts(f"keys.source.{found.source.value}", variable=provider.api_key_env)))
    return 0


def _own(places: Places) -> "Domain":
    from assistant.engine.domains.keys import ApiKeys

    return ApiKeys(KeyFile(places.keys))


def _all_configured(settings: Settings) -> list[Provider]:
    """The providers of the settings, the search provider if it has a key, and the server with the index."""
    search = settings.search.provider
    searching = [search_provider(settings, search)] if search in KEYED else []
    return [*settings.providers, *searching, *([index_server()] if settings.files.index else [])]


def _configured(settings: Settings, name: str) -> Provider | None:
    return next((each for each in _all_configured(settings) if each.name == name), None)


def _kinds_with_keys() -> list[str]:
    """The kinds whose servers require keys, and the search providers with keys."""
    return sorted((*(kind for kind in kinds_found() if wants_key(Provider(name=kind, kind=kind))), *KEYED))


def _unknown(settings: Settings, texts: Texts, name: str) -> SoriError:
    """The error for an unknown provider name, with the known names and a suggestion."""
    known = [each.name for each in _all_configured(settings) if not is_embedded(each)]
    names = list(dict.fromkeys([*known, *_kinds_with_keys()]))
    folded = {each.casefold(): each for each in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=_NEARLY)
    values = {
        "name": name,
        "known": ", ".join(known) or texts("chat.no_providers"),
        "kinds": ", ".join(each for each in names if each not in known),
        "meant": texts("keys.meant", name=folded[close[0]]) if close else "",
    }
    detail = f"config.toml has no provider {name!r}, and no kind of provider has this name"
    return SoriError(ErrorCode.SETTINGS, detail, message_key="key_of_nobody", values=values)


def _read_key(texts: Texts, name: str) -> str:
    """Read the key: from the terminal without echo, or the first line of standard input; empty without a line."""
    try:
        if sys.stdin.isatty():
            return getpass.getpass(texts("keys.prompt", provider=name)).strip()
        return sys.stdin.readline().strip()
    except (EOFError, UnicodeDecodeError):
        return ""


def _list(places: Places, settings: Settings, texts: Texts) -> int:
    keys = Keys()
    troubles: list[str] = []
    if configured := _all_configured(settings):
        rows = [[texts(f"keys.column.{name}") for name in ("provider", "kind", "key")]]
        for each in configured:
            found = FoundKey() if is_embedded(each) else keys.find(each)
            rows.append([each.name, each.kind, _place(each, found, texts)])
            troubles += [found.trouble] if found.trouble and found.trouble not in troubles else []
        for line in fitting(rows):
            print(line)
    else:
        print(texts("keys.none", config=places.config))
    for name in _kinds_with_keys():
        if _configured(settings, name) is None and keys.find(Provider(name=name, kind=name)).key:
            print(texts("keys.unused", provider=name, config=places.config))
    if (damage := KeyFile(places.keys).damage) is not None:
        print(texts(damage.message_key, **damage.values))
    for trouble in troubles:
        print(texts("error.keyring_refused", detail=trouble))
    return 0


def _place(provider: Provider, found: FoundKey, texts: Texts) -> str:
    """Words for the source of a provider's key, for the searched places, or for a provider without keys."""
    if found.source is not KeySource.NONE:
        return texts(f"keys.source.{found.source.value}", variable=provider.api_key_env)
    if not wants_key(provider):
        return texts("keys.source.needless")
    key = "keys.source.none_in_variable" if provider.api_key_env else "keys.source.none"
    return texts(key, variable=provider.api_key_env)
