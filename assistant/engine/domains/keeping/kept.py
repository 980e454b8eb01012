"""The domain of what is kept: how much there is of it, and erasing it."""

import logging
from collections.abc import Sequence

from assistant.core.service.requests import kept as rq
from assistant.engine.domains.keeping.shelves import Shelf
from assistant.engine.serving.table import SESSION, Domain, serves

log = logging.getLogger(__name__)


class Kept(Domain):
    """Owns the requests for what is kept.

    Args:
        shelves: where it lies, a kind each, in the order in which they are listed.
    """

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self._shelves = shelves

    @serves()
    async def _list_kept(self, _: rq.ListKept) -> tuple[rq.KeptData, ...]:
        return tuple([await each.look() for each in self._shelves])

    @serves(lane=SESSION)
    async def _erase_kept(self, request: rq.EraseKept) -> tuple[rq.KeptData, ...]:
        """Erase what is kept.

        Raises:
            StorageError: some of it is still there.
        """
        for each in self._shelves:
            if (await each.look()).erasable and (not request.kinds or each.kind in request.kinds):
                log.info("the user erases %s", each.kind)
                await each.clear()
        return tuple([await each.look() for each in self._shelves])
