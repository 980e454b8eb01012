"""Long polling: updates are kept before Telegram is told that they arrived (G-04), and failures back off (G-05)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.telegram.records import TelegramStanding, TelegramState, TelegramUpdate
from assistant.core.telegram.store import TelegramNews, TelegramStore
from assistant.remote.telegram.bot import POLL_S, pause_s
from assistant.remote.telegram.incoming import KINDS, is_readable, received

log = logging.getLogger(__name__)

_BATCH: Final = 100
"""The most updates of an answer."""
_ANSWER_S: Final = 15
"""Seconds after its time within which a poll is answered."""
_OTHER_PROGRAM_S: Final = 10.0
"""Shortest pause after another program took the updates, which ends its poll with the next one of Sori."""

Take = Callable[[Sequence[TelegramUpdate]], Awaitable[None]]


class Poller:
    """Asks for updates until it is cancelled, or the token is refused.

    Args:
        bot: the client.
        store: keeps the updates.
        take: takes the updates that wait at the beginning, and those that are new, once no more wait.
        news: is told how the door stands.
        clock: waits.
    """

    def __init__(self, bot: Bot, store: TelegramStore, take: Take, news: TelegramNews, clock: Clock) -> None:
        self._bot, self._store, self._take, self._news, self._clock = bot, store, take, news, clock
        self._offset: int | None = None
        """Number from which on updates are wanted, so that those before are confirmed; ``None`` for all that wait.

        It is not kept once it was confirmed: after a week without updates Telegram may number anew, also lower."""
        self._standing: TelegramStanding | None = None
        self._new: list[TelegramUpdate] = []

    async def run(self) -> None:
        """Hand over what waits; then ask, keep, hand over, confirm."""
        failures, timeout = 0, 0
        self._stand(TelegramState.CONNECTING)
        taken_up = False
        while True:
            try:
                if not taken_up:
                    await self._take(await self._store.take_up())
                    taken_up = True
                batch = await self._bot.get_updates(
                    self._offset, _BATCH, timeout, allowed_updates=KINDS, read_timeout=timeout + _ANSWER_S
                )
                await self._keep(batch)
            except InvalidToken:
                self._stand(TelegramState.TOKEN_REFUSED)
                return
            except Exception as error:
                if not isinstance(error, TelegramError | StorageError):
                    log.exception("polling Telegram failed")
                failures += 1
                await self._pause(error, failures)
                timeout = 0
            else:
                failures = 0
                self._stand(TelegramState.RUNNING)
                timeout = 0 if len(batch) == _BATCH else POLL_S

    async def _keep(self, batch: Sequence[Update]) -> None:
        """Keep the updates, and hand over what is new once all that waited has come.

        Raises:
            StorageError: they cannot be kept; they come again, because they are not confirmed.
        """
        now = self._clock.now()
        found = [each for each in (_received(update, now) for update in batch) if each is not None]
        if found:
            self._new += await self._store.receive(found)
        # Without any, all before was confirmed by this very call.
        self._offset = max(each.update_id for each in batch) + 1 if batch else None
        if self._new and len(batch) < _BATCH:
            await self._take(sorted(self._new, key=lambda each: each.update_id))
            self._new = []

    async def _pause(self, error: BaseException, failures: int) -> None:
        if isinstance(error.__cause__, StorageError):  # The ledger refused the request, and the client hides it.
            error = error.__cause__
        pause = pause_s(error, failures) if isinstance(error, TelegramError) else pause_s(TelegramError(""), failures)
        match error:
            case RetryAfter():
                state = TelegramState.BUSY
            case Conflict():
                state, pause = await self._who_takes_them(), max(pause, _OTHER_PROGRAM_S)
            case NetworkError():
                state = TelegramState.OFFLINE
            case StorageError() if error.path.startswith("postgresql"):
                state = TelegramState.ELSEWHERE
            case StorageError():
                state = TelegramState.NOT_SAVED
            case _:
                state = TelegramState.BROKEN
        log.warning("polling Telegram: %s; again in %.1f s", state, pause)
        self._stand(state, pause)
        await self._clock.sleep(pause)

    async def _who_takes_them(self) -> TelegramState:
        """Whether a service on the web gets the updates, or another program that asks for them."""
        try:
            info = await self._bot.get_webhook_info()
        except TelegramError:
            return TelegramState.CONFLICT
        return TelegramState.WEBHOOK if info.url else TelegramState.CONFLICT

    def _stand(self, state: TelegramState, pause: float = 0.0) -> None:
        retry_at = self._clock.now() + timedelta(seconds=pause) if pause else None
        standing = TelegramStanding(state=state, retry_at=retry_at)
        if standing != self._standing:
            self._standing = standing
            self._news.stands(standing)


def _received(update: Update, now: datetime) -> TelegramUpdate | None:
    """An update as it is kept; ``None`` for one that says nothing, and for one that cannot be understood."""
    try:
        found = received(update, now)
    except (AttributeError, TypeError, ValueError):
        log.exception("an update of Telegram is left out")
        return None
    if found is None:
        log.info("an update of Telegram is for nobody here")
        return None
    return found if is_readable(found) else None
