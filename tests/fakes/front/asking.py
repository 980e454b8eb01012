"""Asks a domain of the engine as its table does."""

from typing import Any, TypeVar

from assistant.core.service.grant import OWNER
from assistant.core.service.request import ClientId, Request
from assistant.engine.serving.table import Asker, Domain, RequestTable, WithEvents

R = TypeVar("R")

CLIENT = ClientId("client")


async def ask(domain: Domain, request: Request[R]) -> R:
    """The result of a request.

    Raises:
        SoriError: it is refused.
    """
    asker = Asker(client=CLIENT, grant=OWNER)
    result: Any = await RequestTable(domain).admit(request, asker).handler(request, asker)
    return result.result if isinstance(result, WithEvents) else result  # type: ignore[no-any-return]
