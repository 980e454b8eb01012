"""What an address says about where it is."""

import ipaddress
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def is_local_host(host: str) -> bool:
    """Whether a host is this machine: a loopback address, or a name that can be nothing else (RFC 6761)."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_web_address(text: str) -> bool:
    """Whether a request could be sent there: http or https, a host, and a port that there is, if one is named."""
    try:
        parts = urlsplit(text)
        # Reading the port raises ValueError where it is no number, or a larger one than there are.
        named = parts.port != 0 and bool(parts.hostname)
    except ValueError:
        return False
    return named and parts.scheme in _PORTS and not any(each.isspace() or not each.isprintable() for each in text)


def origin(scheme: str, host: str, port: int | None) -> str:
    """Scheme, host and port as an egress ledger names a destination; ``port`` ``None`` for the scheme's own."""
    literal = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{scheme}://{literal}:{port or _PORTS.get(scheme, 0)}"
