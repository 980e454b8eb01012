"""Classification of network addresses."""

import ipaddress
from urllib.parse import urlsplit

LOOPBACK = "127.0.0.1"
"""The address of this computer that only its own programs reach."""
_PORTS = {"http": 80, "https": 443}
_NEAR = tuple(
    ipaddress.ip_network(each)
    for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7")
)
"""Networks whose addresses no router of the internet passes on (RFC 1918, RFC 3927, RFC 4193).

Addresses of ``fe80::/10`` are left out: a browser opens no page by one, because it has to name an interface.
"""


def is_local_host(host: str) -> bool:
    """Whether a host is this machine: a loopback address, or a name reserved for it (RFC 6761)."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_near(address: str) -> bool:
    """Whether an address belongs to a network at home or at work: a private one, or one of a cable without a router."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in each for each in _NEAR if each.version == found.version)


def is_web_address(text: str) -> bool:
    """Whether a text is a usable web address: http or https, a host, and a valid port if it names one."""
    try:
        parts = urlsplit(text)
        # Reading the port raises ValueError when it is not a number or is out of range.
        named = parts.port != 0 and bool(parts.hostname)
    except ValueError:
        return False
    return named and parts.scheme in _PORTS and not any(each.isspace() or not each.isprintable() for each in text)


def origin(scheme: str, host: str, port: int | None) -> str:
    """Scheme, host and port, in the form of the egress ledger; a ``port`` of ``None`` means the scheme's default."""
    literal = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{scheme}://{literal}:{port or _PORTS.get(scheme, 0)}"
