"""Starts Sori on a network in which names ending in ``.example`` are servers on this machine.

Nothing else differs: ``python networked_sori.py chat`` is ``sori chat``.
"""

import sys
from collections.abc import Sequence
from functools import partial

from assistant.app.command_line import main
from assistant.engine.rooms import tools
from assistant.tools.web import public_addresses
from assistant.tools.web.pages import Web


async def resolve(host: str, port: int) -> Sequence[str]:
    """The numeric addresses of a host."""
    return ("127.0.0.1",) if host.endswith(".example") else await public_addresses.resolve(host, port)


if __name__ == "__main__":
    vars(tools)["Web"] = partial(Web, resolve=resolve, allowed=lambda address: address == "127.0.0.1")
    sys.exit(main(sys.argv[1:]))
