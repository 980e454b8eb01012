"""Checks of the door for other programs."""

from collections.abc import Iterator

from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.tokens import TokenFile


class HttpChecks(Checks):
    """Checks HTTP if it is switched on; says nothing otherwise.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings; ``None`` if they cannot be read.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings | None) -> None:
        super().__init__(places, texts)
        self._http = (settings or Settings()).http
        self._tokens = TokenFile(places.tokens, SystemClock())

    def http(self) -> Iterator[Check]:
        """Whether programs can be let in."""
        if not self._http.enabled:
            return
        port, callers = str(self._http.port), self._tokens.all()
        if damage := self._tokens.damage:
            yield self._line("http", Grade.FAIL, "damaged", remedy="anew", reason=damage)
        elif not callers:
            yield self._line("http", Grade.WARN, "nobody", remedy="add", port=port)
        else:
            yield self._line("http", Grade.OK, "ready", port=port, names=", ".join(each.name for each in callers))
