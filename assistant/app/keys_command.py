"""``sori keys``: put API keys into the keyring, take them out, and show where each comes from. No key is ever shown."""

import argparse
import getpass
import sys

from assistant.app.keys import Keys, KeySource, remove_key, store_key
from assistant.app.places import Places
from assistant.app.table import aligned
from assistant.core.settings import Provider, Settings
from assistant.core.texts import Texts


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Do what the command line asks; returns the exit status.

    Raises:
        SoriError: the keyring is missing or refuses, or what was given cannot be a key.
    """
    if arguments.action == "list":
        return _list(places, settings, texts)
    provider = _provider(settings, arguments.name)
    if arguments.action == "set":
        store_key(provider.name, _read_key(texts, provider.name))
        print(texts("keys.stored", provider=provider.name))
    else:
        gone = remove_key(provider.name)
        print(texts("keys.removed" if gone else "keys.not_there", provider=provider.name))
    if provider not in settings.providers:
        print(texts("keys.unknown_provider", provider=provider.name, config=places.config))
    source = Keys().find(provider).source
    if arguments.action == "remove" and source is not KeySource.NONE:
        print(texts("keys.still", source=texts(f"keys.source.{source.value}", variable=provider.api_key_env)))
    return 0


def _provider(settings: Settings, name: str) -> Provider:
    """The provider of this name; one that is not configured yet may have its key already."""
    return next((each for each in settings.providers if each.name == name), Provider(name=name, kind="openai"))


def _read_key(texts: Texts, name: str) -> str:
    """The key, typed unseen on a terminal or else the first line of standard input."""
    if sys.stdin.isatty():
        return getpass.getpass(texts("keys.prompt", provider=name)).strip()
    return sys.stdin.readline().strip()


def _list(places: Places, settings: Settings, texts: Texts) -> int:
    if not settings.providers:
        print(texts("keys.none", config=places.config))
        return 0
    keys = Keys()
    rows = [[texts(f"keys.column.{name}") for name in ("provider", "kind", "key")]]
    troubles: list[str] = []
    for each in settings.providers:
        found = keys.find(each)
        rows.append([each.name, each.kind, texts(f"keys.source.{found.source.value}", variable=each.api_key_env)])
        troubles += [found.trouble] if found.trouble and found.trouble not in troubles else []
    for line in aligned(rows):
        print(line)
    for trouble in troubles:
        print(texts("error.keyring_refused", detail=trouble))
    return 0
