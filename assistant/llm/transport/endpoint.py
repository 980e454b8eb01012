"""The address and the key of a provider."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.core.errors import KEY_MISSING, ErrorCode, ProviderError
from assistant.core.records.egress import EgressLedger
from assistant.core.settings import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The address and the key for requests.

    Attributes:
        provider: name of the provider; each has its own client.
        base_url: root of the API.
        key: API key, empty for none.
        ledger: records requests before they are sent; ``None`` for the embedded server.
        reuses_connections: whether connections are reused. llama.cpp's server may close a connection just when it would
            be reused, and a new one on this machine costs nothing.
        is_up: whether the embedded server's process runs; ``None`` for every other server. While it runs, a request is
            sent again if the server closed the connection without an answer.
    """

    provider: str
    base_url: str
    key: str = field(default="", repr=False)
    ledger: EgressLedger | None = field(default=None, repr=False)
    reuses_connections: bool = True
    is_up: Callable[[], bool] | None = field(default=None, repr=False, compare=False)


def wants_key(provider: Provider) -> bool:
    """Whether a provider requires a key: a vendor's API, or a server for which the user names a variable."""
    if provider.base_url:
        return bool(provider.api_key_env)
    return provider.kind != "local"


def endpoint_of(provider: Provider, key: str, ledger: EgressLedger, *, base_url: str = "") -> Endpoint:
    """The endpoint of a provider.

    Args:
        provider: the provider's settings.
        key: its API key, empty for none.
        ledger: records requests before they are sent.
        base_url: the kind's own root, for a provider without an address.

    Raises:
        ProviderError: ``authentication`` when a required key is missing (T-07).
    """
    if wants_key(provider) and not key:
        raise ProviderError(
            ErrorCode.AUTHENTICATION,
            f"there is no API key; set {provider.api_key_env or 'api_key_env'}",
            provider=provider.name,
            message_key=KEY_MISSING,
        )
    return Endpoint(
        provider=provider.name,
        base_url=provider.base_url or base_url,
        key=key.strip(),
        ledger=ledger,
        reuses_connections=provider.kind != "local",
    )
