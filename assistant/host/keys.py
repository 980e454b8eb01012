"""Finds API keys: in the operating system's keyring, a file, the environment, ``config.toml`` (N-03)."""

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Provider, Settings
from assistant.host.key_file import KeyFile
from assistant.host.logs import keep_secret
from assistant.host.places import Places, default_home

KEYRING_SERVICE = "sori"
"""Service name of the keys in the keyring; the user name is the provider's."""
_REMEMBER_S = 30.0
"""Seconds to cache a key. A read of the keyring takes tens of milliseconds, which is too long for every request."""

log = logging.getLogger(__name__)


class KeySource(StrEnum):
    """The source of a key, in order of precedence."""

    KEYRING = "keyring"
    FILE = "file"
    ENVIRONMENT = "environment"
    CONFIG = "config"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKey:
    """A key and its source.

    Attributes:
        key: empty when there is none.
        source: where it was found.
        trouble: the reason why the keyring cannot be read; empty without an error or without a keyring.
        damage: why the key file cannot be used; ``None`` if it can, or if there is none.
    """

    key: str = field(default="", repr=False)
    source: KeySource = KeySource.NONE
    trouble: str = ""
    damage: SoriError | None = None


class Keys:
    """Finds the API keys of providers. Keys are never logged: every key found is redacted from the logs.

    Args:
        environment: the process's variables.
        monotonic: a clock in seconds.
        file: the key file; the one in Sori's folder by default.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        monotonic: Callable[[], float] = time.monotonic,
        file: KeyFile | None = None,
    ) -> None:
        self._file = file or KeyFile(Places(default_home()).keys)
        self._environment = environment
        self._monotonic = monotonic
        self._known: dict[str, tuple[float, FoundKey]] = {}

    def of(self, provider: Provider) -> str:
        """The key of a provider, or an empty string."""
        return self.find(provider).key

    def find(self, provider: Provider) -> FoundKey:
        """The key of a provider and its source. The order is: keyring, key file, environment variable, settings."""
        kept = self._from_keyring(provider.name)
        places = (
            (KeySource.KEYRING, kept.key),
            (KeySource.FILE, self._file.key(provider.name)),
            (KeySource.ENVIRONMENT, self._environment.get(provider.api_key_env, "") if provider.api_key_env else ""),
            (KeySource.CONFIG, provider.api_key),
        )
        source, key = next(((source, key) for source, key in places if key.strip()), (KeySource.NONE, ""))
        keep_secret(key)
        return FoundKey(key=key, source=source, trouble=kept.trouble, damage=self._file.damage)

    def forget(self, name: str) -> None:
        """Drop the cached key of this provider, because it has been changed."""
        self._known.pop(name, None)

    def _from_keyring(self, name: str) -> FoundKey:
        asked_at, found = self._known.get(name, (float("-inf"), FoundKey()))
        if self._monotonic() - asked_at >= _REMEMBER_S:
            found = _ask_keyring(name)
            self._known[name] = (self._monotonic(), found)
        return found


def search_provider(settings: Settings, name: str) -> Provider:
    """A search provider in the form in which keys are looked up."""
    return Provider(name=name, kind="search", api_key_env=settings.search.api_key_env)


def index_server() -> Provider:
    """The server with the index of passages, in the form in which its password is looked up."""
    return Provider(name="postgresql", kind="index")


def _ask_keyring(name: str) -> FoundKey:
    # The import takes half a second. Most users need no keyring, because the embedded model has no key.
    import keyring
    from keyring.errors import NoKeyringError

    try:
        return FoundKey(key=keyring.get_password(KEYRING_SERVICE, name) or "", source=KeySource.KEYRING)
    except NoKeyringError:
        return FoundKey()
    except Exception as error:  # noqa: BLE001  each backend raises what its library does; other sources remain
        log.warning("the keyring cannot be asked: %s", error)
        return FoundKey(trouble=f"{type(error).__name__}: {error}".removesuffix(": "))


def store_key(name: str, key: str) -> None:
    """Store a provider's key in the keyring.

    Args:
        name: the provider's name.
        key: without spaces around it.

    Raises:
        SoriError: there is no keyring, it refuses, or the key is malformed.
    """
    import keyring
    from keyring.errors import NoKeyringError

    check_key(key)
    try:
        keyring.set_password(KEYRING_SERVICE, name, key)
    except NoKeyringError as error:
        raise _no_keyring(name) from error
    except Exception as error:
        raise _refused(error) from error


def check_key(key: str) -> None:
    """Check the form of a key, and redact it from the logs from now on.

    Raises:
        SoriError: the key is malformed.
    """
    keep_secret(key)
    if not key or not (key.isascii() and key.isprintable()) or " " in key:
        detail = "the key is empty or has a space or a character outside ASCII; copy it again"
        raise SoriError(ErrorCode.SETTINGS, detail, message_key="key_malformed")


def has_keyring() -> bool:
    """Whether the system has a keyring for storing keys."""
    import keyring
    from keyring.backends.fail import Keyring as NoKeyring

    return not isinstance(keyring.get_keyring(), NoKeyring)


def remove_key(name: str) -> bool:
    """Remove a provider's key from the keyring; returns whether there was one.

    Raises:
        SoriError: there is no keyring, or it refuses.
    """
    import keyring
    from keyring.errors import NoKeyringError

    try:
        if keyring.get_password(KEYRING_SERVICE, name) is None:
            return False
        keyring.delete_password(KEYRING_SERVICE, name)
    except NoKeyringError as error:
        raise _no_keyring(name) from error
    except Exception as error:
        raise _refused(error) from error
    return True


def _no_keyring(name: str) -> SoriError:
    detail = "this system has no keyring; give the key in api_key_env or api_key of config.toml"
    return SoriError(ErrorCode.SETTINGS, detail, message_key="no_keyring", values={"provider": name})


def _refused(error: Exception) -> SoriError:
    detail = f"{type(error).__name__}: {error}".removesuffix(": ")
    return SoriError(ErrorCode.SETTINGS, detail, message_key="keyring_refused", values={"detail": detail}, cause=error)
