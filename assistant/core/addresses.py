"""What an address says about where it is."""

import ipaddress

_PORTS = {"http": 80, "https": 443}


def is_local_host(host: str) -> bool:
    """Whether a host is this machine: a loopback address, or a name that can be nothing else (RFC 6761)."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def origin(scheme: str, host: str, port: int | None) -> str:
    """Scheme, host and port as an egress ledger names a destination; ``port`` ``None`` for the scheme's own."""
    literal = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{scheme}://{literal}:{port or _PORTS.get(scheme, 0)}"
