"""Whether a language model server of another program on this machine is still there (P-21).

While it loads a model or reads a long prompt, such a server sends nothing, and many answer no other request. What can
be known of every one is that its process is there: the system accepts connections to its port. llama.cpp also tells
whether it works on anything.
"""

import asyncio
import json
import re
from contextlib import suppress
from urllib.parse import urlsplit

from assistant.core.addresses import is_local_host

_LIMIT_S = 2.0
"""Seconds for the connection and for the answer."""
_LONGEST = 1_000_000
_LENGTH = re.compile(rb"^content-length:\s*(\d+)", re.IGNORECASE | re.MULTILINE)


async def takes_connections(base_url: str) -> bool:
    """Whether the address is on this machine, its port accepts connections, and the server does not say it is idle."""
    place = urlsplit(base_url)
    host = place.hostname or ""
    if not is_local_host(host):
        return False
    port = place.port or (443 if place.scheme == "https" else 80)
    try:
        async with asyncio.timeout(_LIMIT_S):
            reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    try:
        return place.scheme == "https" or not await _is_idle(reader, writer, place.netloc)
    finally:
        writer.close()


async def _is_idle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bool:
    """Whether llama.cpp lists its slots and none of them works."""
    reply = b""
    with suppress(OSError, EOFError, asyncio.LimitOverrunError):
        async with asyncio.timeout(_LIMIT_S):
            # The list holds nothing private, and the request carries nothing.
            writer.write(f"GET /slots HTTP/1.0\r\nHost: {host}\r\n\r\n".encode("ascii", "replace"))
            await writer.drain()
            head = await reader.readuntil(b"\r\n\r\n")
            # A server may keep the connection open after its reply.
            if b" 200 " in head.partition(b"\r\n")[0]:
                length = _LENGTH.search(head)
                reply = await (reader.readexactly(min(int(length.group(1)), _LONGEST)) if length else reader.read())
    try:
        slots = json.loads(reply)
    except ValueError:
        return False
    if not isinstance(slots, list) or not slots:
        return False
    return all(isinstance(slot, dict) and slot.get("is_processing") is False for slot in slots)
