"""Where a provider is asked, and with which key."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.core.egress import EgressLedger
from assistant.core.errors import KEY_MISSING, ErrorCode, ProviderError
from assistant.core.settings import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where to ask.

    Attributes:
        provider: name of the provider; clients are kept by it.
        base_url: root of the API.
        key: API key, empty for none.
        ledger: where requests are written down before they are sent; ``None`` for a server that is a part of Sori.
        reuses_connections: whether a connection is used for the next request too. llama.cpp's server may close one just
            when it would be used again, and a new one on loopback costs nothing.
        is_up: whether the process of a server that is a part of Sori runs; ``None`` for every other server. While it
            runs, a request to which it closed the connection without an answer is sent once more.
    """

    provider: str
    base_url: str
    key: str = field(default="", repr=False)
    ledger: EgressLedger | None = field(default=None, repr=False)
    reuses_connections: bool = True
    is_up: Callable[[], bool] | None = field(default=None, repr=False, compare=False)


def wants_key(provider: Provider) -> bool:
    """Whether a provider cannot be asked without a key: a vendor, or a server for which the user names a variable."""
    if provider.base_url:
        return bool(provider.api_key_env)
    return provider.kind != "local"


def endpoint_of(provider: Provider, key: str, ledger: EgressLedger, *, base_url: str = "") -> Endpoint:
    """Where a provider is asked.

    Args:
        provider: the provider's data.
        key: its API key, empty for none.
        ledger: where requests are written down before they are sent.
        base_url: the kind's own root, for a provider that names none.

    Raises:
        ProviderError: ``authentication``, when a key is wanted and there is none (T-07).
    """
    if wants_key(provider) and not key:
        raise ProviderError(
            ErrorCode.AUTHENTICATION,
            f"there is no API key; set {provider.api_key_env or 'api_key_env'}",
            provider=provider.name,
            message_key=KEY_MISSING,
        )
    return Endpoint(provider=provider.name, base_url=provider.base_url or base_url, key=key.strip(), ledger=ledger)
