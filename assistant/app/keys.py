"""Where API keys come from: the operating system's keyring, then the environment (N-03)."""

import os
import time
from collections.abc import Callable, Mapping

from assistant.core.settings import Provider

KEYRING_SERVICE = "sori"
"""Name under which keys lie in the keyring; the user name is the provider's."""
_REMEMBER_S = 30.0
"""A keyring answers in tens of milliseconds, too slowly to ask before every sentence."""


class Keys:
    """Finds the API key of a provider. Keys are never logged.

    Args:
        environment: the process's variables.
        monotonic: tells the time in seconds.
    """

    def __init__(
        self, environment: Mapping[str, str] = os.environ, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._environment = environment
        self._monotonic = monotonic
        self._known: dict[str, tuple[float, str]] = {}

    def of(self, provider: Provider) -> str:
        """The key, from the keyring's entry of the provider's name or else the variable that it names; or empty."""
        return self._from_keyring(provider.name) or self._environment.get(provider.api_key_env, "")

    def _from_keyring(self, name: str) -> str:
        # Importing it takes half a second, and most never need it: the embedded model has no key.
        import keyring
        from keyring.errors import KeyringError

        asked_at, key = self._known.get(name, (float("-inf"), ""))
        if self._monotonic() - asked_at >= _REMEMBER_S:
            try:
                key = keyring.get_password(KEYRING_SERVICE, name) or ""
            except KeyringError:
                key = ""  # No keyring here: the environment is what remains.
            self._known[name] = (self._monotonic(), key)
        return key
