"""The schedule, where no engine runs: what is due is carried out once one does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.cli.database import opened
from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.timers import Timers
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.timers import CancelTimer
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.rooms.basis import languages_from
from assistant.engine.scheduling.desk import Schedule
from assistant.engine.serving.table import serves
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.timers import TimerStore


@asynccontextmanager
async def schedule(places: Places, settings: Settings, texts: Texts) -> AsyncIterator[Schedule]:
    """Open the database and make the domain.

    Raises:
        StorageError: the database cannot be used.
    """
    clock, live = SystemClock(), LiveSettings(settings)
    async with opened(places, clock, texts) as database:
        timers = Timers(TimerStore(database), clock, languages_from(live, texts))
        book = ScheduledRequests(timers, clock, CurrentAgent(places.current_agent).get)
        yield _ScheduleOfCommand(timers, TimerChanges(timers, clock), book, live, texts)


class _ScheduleOfCommand(Schedule):
    """The schedule, and what an engine leaves to those who let timers ring."""

    @serves()
    async def _cancel_timer(self, request: CancelTimer) -> None:
        await self._changes.cancel(request.timer)
