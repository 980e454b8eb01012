"""The domain of what the user has decided about tools for good (X-05)."""

from collections.abc import Callable, Collection

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.core.service.requests import grants as rq
from assistant.engine.serving.table import Domain, serves
from assistant.tools.grants import GrantFile


class LastingDecisions(Domain):
    """Owns the requests for lasting decisions.

    Args:
        file: keeps them.
        known: gives the names of the tools that there are.
        granted: gives what was allowed in a conversation, as a set that can be changed.
    """

    def __init__(
        self,
        file: GrantFile,
        known: Callable[[], Collection[str]],
        granted: Callable[[str], set[str]] = lambda _: set(),
    ) -> None:
        self._file, self._known, self._granted = file, known, granted

    @serves()
    async def _list_grants(self, request: rq.ListGrants) -> rq.LastingGrants:
        return self._all(request.conversation)

    @serves()
    async def _let_tools_ask(self, request: rq.LetToolsAsk) -> rq.LastingGrants:
        for name in request.tools:
            _check(name, LOCAL_ASSISTANT.unasked)
        self._file.let_ask(request.tools, asks=request.asks)
        return self._all()

    @serves()
    async def _switch_tools(self, request: rq.SwitchTools) -> rq.LastingGrants:
        for name in request.tools:
            _check(name, {*self._known(), *self._file.off})
        self._file.switch(request.tools, on=request.on)
        return self._all()

    @serves()
    async def _forget_grants(self, request: rq.ForgetGrants) -> rq.LastingGrants:
        before = self._all(request.conversation)
        for key in request.keys:
            _check(key, (*before.always, *before.here))
        for key in request.keys:
            self._file.remove(key)
        if request.conversation:
            self._granted(request.conversation).difference_update(request.keys)
        return self._all(request.conversation)

    def _all(self, conversation: str = "") -> rq.LastingGrants:
        return rq.LastingGrants(
            asks={each: self._file.asks(each) for each in sorted(LOCAL_ASSISTANT.unasked)},
            always=tuple(each.key for each in self._file.all()),
            here=tuple(sorted(self._granted(conversation))) if conversation else (),
            off=self._file.off,
        )


def _check(name: str, known: Collection[str]) -> None:
    if name not in known:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{name!r} is none of {known}",
            message_key="tool_unknown",
            values={"name": name, "known": ", ".join(sorted(known)) or "-"},
        )
