"""Executes plain commands about scheduled requests, and words their answers."""

from collections.abc import Mapping, Sequence

from assistant.agent.context.wording import joined
from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.run_states import is_waiting
from assistant.chat.scheduled.book import ScheduledRequests
from assistant.chat.scheduled.wish import ScheduleRequest, ScheduleWish
from assistant.chat.timers import Timers
from assistant.core.errors import SoriError
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.storage.timers import Job, RunOutcome, StoredTimer

_LOST = (RunOutcome.MISSED, RunOutcome.INTERRUPTED)


class ScheduleAnswers:
    """Adds, lists, moves, pauses, runs and cancels scheduled requests.

    Args:
        book: keeps them.
        changes: changes them.
        timers: carries them out.
        texts: the words of each language.
    """

    def __init__(
        self, book: ScheduledRequests, changes: TimerChanges, timers: Timers, texts: Mapping[Language, Texts]
    ) -> None:
        self._book, self._changes, self._timers, self._texts = book, changes, timers, texts

    async def answer(self, request: ScheduleRequest) -> str:
        """Execute a command and return the answer in its language.

        Raises:
            StorageError: the requests could not be read or saved.
        """
        try:
            if request.wish is ScheduleWish.ADD and request.said is not None:
                made = await self._book.add(request.words, request.said, request.language)
                return self.added(made, request.language)
            if request.wish is ScheduleWish.LIST:
                return self._list(await self._book.every(), request.language)
            if request.wish is ScheduleWish.CATCH_UP:
                return await self._catch_up(request.language)
            return await self._on_one(request)
        except SoriError as error:
            if not error.message_key.startswith("error."):
                raise
            return self._texts[request.language](error.message_key, **error.values)

    def added(self, made: StoredTimer, language: Language) -> str:
        """The sentence that tells the user what will be done, and when."""
        key = "schedule.added" if made.repeats is None else "schedule.added_again"
        return self._texts[language](key, when=self._book.when(made, language), what=made.name)

    def described(self, request: StoredTimer, language: Language) -> str:
        """When it is carried out, its words, and whether it waits."""
        texts, job = self._texts[language], request.job or Job()
        told = texts("schedule.one", when=self._book.when(request, language), what=request.name)
        if job.paused:
            return texts("schedule.one_paused", one=told)
        return told if is_waiting(request) else texts(f"schedule.one_{job.outcome or 'done'}", one=told)

    def _list(self, every: Sequence[StoredTimer], language: Language) -> str:
        texts = self._texts[language]
        if not every:
            return texts("schedule.none")
        return f"{texts('schedule.count', count=str(len(every)))} {self._named(every, language)}."

    def _named(self, requests: Sequence[StoredTimer], language: Language) -> str:
        return joined([self.described(each, language) for each in requests], language)

    async def _catch_up(self, language: Language) -> str:
        """Carry out what was missed or interrupted, one after another."""
        lost = [each for each in await self._book.every() if (each.job or Job()).outcome in _LOST]
        begun = [each for each in lost if await self._timers.ask_run(each)]
        if not begun:
            return self._texts[language]("schedule.nothing_lost")
        return self._texts[language]("schedule.done_run", what=joined([each.name for each in begun], language))

    async def _on_one(self, request: ScheduleRequest) -> str:
        """Do what is wanted with the one request that is meant; ask back if none or several may be."""
        texts, language = self._texts[request.language], request.language
        every = await self._book.every()
        if not every:
            return texts("schedule.none")
        found = await self._book.found(request.words)
        if len(found) != 1:
            key = "schedule.which" if found else "schedule.no_such"
            return texts(key, requests=self._named(found or every, language))
        (one,) = found
        match request.wish:
            case ScheduleWish.CANCEL:
                await self._changes.cancel(one.id)
            case ScheduleWish.PAUSE | ScheduleWish.RESUME:
                one = await self._changes.pause(one.id, paused=request.wish is ScheduleWish.PAUSE)
            case ScheduleWish.RUN:
                if not await self._timers.ask_run(one):
                    return texts("schedule.runs", what=one.name)
            case _:
                one = await self._moved(one, request)
        return texts(f"schedule.done_{request.wish}", what=one.name, when=self._book.when(one, language))

    async def _moved(self, one: StoredTimer, request: ScheduleRequest) -> StoredTimer:
        """At another time. Of what repeats, a mere hour changes the hour of all its days."""
        assert request.said is not None  # noqa: S101 - the command was recognised by its time
        return await self._changes.put(self._book.moved(one, request.said))
