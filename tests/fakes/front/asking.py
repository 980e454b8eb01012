"""Asks a domain of the engine as its table does."""

from typing import Any, TypeVar

from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import ClientId, Request
from assistant.engine.serving.table import Asker, Domain, RequestTable, WithEvents

R = TypeVar("R")

CLIENT = ClientId("client")


async def ask(domain: Domain, request: Request[R], grant: Grant = OWNER) -> R:
    """The result of a request of a client with this grant.

    Raises:
        SoriError: it is refused.
    """
    asker = Asker(client=CLIENT, grant=grant)
    result: Any = await RequestTable(domain).admit(request, asker).handler(request, asker)
    return result.result if isinstance(result, WithEvents) else result  # type: ignore[no-any-return]
