"""A connection to a PostgreSQL server that is lost once the server has been silent for too long."""

import time
from collections.abc import Generator
from typing import Any, Final, TypeVar

import psycopg

Result = TypeVar("Result")

ANSWER_S: Final = 75.0
"""Longest silence of a server, in seconds. One that works ends a statement after a minute, and says so."""
CLOSING_S: Final = 5.0
"""Longest silence while somebody waits for the end of the connection, in seconds."""

_LOOK_S: Final = 0.1
"""Seconds between two looks at the clock while the server is silent."""


class AnsweredConnection(psycopg.Connection[tuple[Any, ...]]):
    """Ends where the server is connected but neither takes nor sends anything, which TCP does not notice.

    So it is with a server whose disk or computer hangs, and behind a proxy that keeps the connection of a server that
    is gone.

    Attributes:
        longest_s: the longest silence while an answer is waited for, in seconds. Any thread may change it.
        silent_since: since when an answer is waited for without a sign of the server, by ``time.monotonic``; ``None``
            while none is waited for. Any thread may read it.
    """

    longest_s: float = ANSWER_S
    silent_since: float | None = None

    def wait(self, gen: Generator[Any, Any, Result], interval: float = _LOOK_S, timeout: float | None = None) -> Result:
        """Wait for what is asked; see ``psycopg.Connection.wait``.

        Raises:
            psycopg.OperationalError: the server was silent for too long. The connection is closed.
        """
        return super().wait(self._watched(gen), interval, timeout)

    def _watched(self, gen: Generator[Any, Any, Result]) -> Generator[Any, Any, Result]:
        since = self.silent_since = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted  # Told every ``_LOOK_S`` that nothing is ready.
                if ready:
                    since = self.silent_since = time.monotonic()
                elif time.monotonic() - since > self.longest_s:
                    self.close()
                    raise psycopg.OperationalError(f"the server has not answered for {self.longest_s:.0f} s")
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            self.silent_since = None
