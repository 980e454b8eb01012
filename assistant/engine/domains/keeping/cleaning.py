"""Takes secrets, names and quoted words out of texts that leave the user's folder (N-03, N-05)."""

import getpass
import json
import os
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from assistant.core.settings import Settings
from assistant.host.added_provider import VENDORS
from assistant.host.keys import Keys, search_provider
from assistant.host.logs import Redactor
from assistant.host.places import Places

_SECRET_NAME: Final = re.compile(r"key|token|secret|passw|credential|auth|cookie|session", re.IGNORECASE)
_QUOTED: Final = re.compile(r"'[^'\n]{2,}'|\"[^\"\n]{2,}\"|“[^”\n]+”|‘[^’\n]+’|`[^`\n]{2,}`")
_SHORTEST_NAME: Final = 3
"""Letters of a name that is taken out; a shorter one stands in ordinary words."""
_SHORTEST_VALUE: Final = 6


def known_secrets(places: Places, settings: Settings, environment: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Every value on this computer that Sori knows to be a secret. Reads the keyring, so it may take a while.

    Args:
        places: the user's files.
        settings: the settings.
        environment: the process's variables.
    """
    found = {value for name, value in environment.items() if _SECRET_NAME.search(name)}
    keys = Keys(environment)
    names = {each.name for each in settings.providers}
    for provider in settings.providers:
        found |= {keys.of(provider), provider.api_key}
        found |= set(re.findall(r"://([^/@\s]+)@", provider.base_url)) | set(
            re.findall(r"[?&][^=]+=([^&\s]+)", provider.base_url)
        )
    found |= {keys.of(search_provider(settings, name)) for name in {*VENDORS, settings.search.provider} - names if name}
    for path in (places.keys, places.tokens, places.mcp_servers, places.mcp_approvals):
        with suppress(OSError, ValueError):
            found |= set(_texts_in(json.loads(path.read_text(encoding="utf-8"))))
    return frozenset(each for each in found if len(each.strip()) >= _SHORTEST_VALUE)


def _texts_in(value: Any) -> Iterator[str]:
    """All texts in a file of secrets, each also by its words: a command has its keys among other arguments."""
    match value:
        case str():
            yield value
            yield from value.split()
            yield from value.split("=")[1:]
        case list():
            for each in value:
                yield from _texts_in(each)
        case dict():
            for each in value.values():
                yield from _texts_in(each)
        case _:
            return


class Cleaner:
    """Cleans texts.

    Args:
        secrets: known secrets.
        home: the user's folder of Sori.
    """

    def __init__(self, secrets: frozenset[str], home: Path) -> None:
        self._redact = Redactor(secrets)
        self._folders = (str(home), str(Path.home()))
        names = {_user(), _host(), Path.home().name}
        # The longer ones first, because one may be the beginning of another.
        self._names = sorted((each for each in names if len(each) >= _SHORTEST_NAME), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without secrets, without the user's folders and names."""
        for name, folder in zip(("[sori]", "~"), self._folders, strict=True):
            text = text.replace(folder, name)
        text = self._redact(text)
        for name in self._names:
            text = re.sub(rf"\b{re.escape(name)}\b", "[name]", text)
        return text

    def without_quotes(self, text: str) -> str:
        """Also without the words between quotation marks, which may be the user's."""
        return _QUOTED.sub("'…'", self(text))


def _host() -> str:
    return platform.node()


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
