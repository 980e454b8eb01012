"""Where callers come in: this computer's own programs, or the user's phones on the local network."""

from dataclasses import dataclass
from typing import Final

from assistant.core.addresses import LOOPBACK, is_near, origin

COOKIE: Final = "__Host-sori"
"""Name of the cookie with a phone's token. The prefix binds it to the address, to TLS and to the path ``/``."""
_LOOPBACK_NAMES: Final = (LOOPBACK, "localhost", "::1")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrance:
    """Under which names Sori is called, and by whom.

    Attributes:
        port: the port.
        hosts: the addresses and names that ``Host`` may have; the first one is recorded.
        for_phones: whether the callers are phones of the local network, whose token is in a cookie.
    """

    port: int
    hosts: tuple[str, ...] = _LOOPBACK_NAMES
    for_phones: bool = False

    @property
    def scheme(self) -> str:
        """``https`` for phones, whose words pass through the network."""
        return "https" if self.for_phones else "http"

    @property
    def names(self) -> frozenset[str]:
        """What ``Host`` may be."""
        literal = [f"[{each}]" if ":" in each else each for each in self.hosts]
        bare = literal if self.port == _DEFAULT_PORTS[self.scheme] else []
        return frozenset({*(f"{each}:{self.port}" for each in literal), *bare})

    @property
    def origins(self) -> frozenset[str]:
        """What ``Origin`` may be."""
        return frozenset(f"{self.scheme}://{each}" for each in self.names)

    @property
    def destination(self) -> str:
        """Where it is called, in the form of the ledger."""
        return origin(self.scheme, self.hosts[0], self.port)

    def lets_in(self, peer: str) -> bool:
        """Whether somebody at this address may call: for phones, only from a private network or this computer."""
        return not self.for_phones or is_near(peer) or peer == LOOPBACK

    def reason(self, reason: str) -> str:
        """The reason of a refusal whose remedy is another one for phones."""
        return f"phone_{reason}" if self.for_phones else reason
