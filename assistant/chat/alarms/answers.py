"""Executes plain commands about alarms and reminders, and words their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.agent.context.wording import joined, spoken_duration, spoken_moment
from assistant.chat.alarms.alarms import SNOOZE_S, Alarms, NoTimeError
from assistant.chat.alarms.requests import AlarmRequest, AlarmWish
from assistant.chat.timers import Timers
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.storage.timers import StoredTimer, TimerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmCommand:
    """A plain command about alarms and reminders.

    Attributes:
        wish: what is wanted.
        language: the language of the answer.
        request: the alarm to set or cancel; ``None`` without one.
        all: whether all are to be cancelled.
        duration_s: the seconds of a snooze; ``None`` without any.
    """

    wish: AlarmWish
    language: Language
    request: AlarmRequest | None = None
    all: bool = False
    duration_s: float | None = None


class AlarmAnswers:
    """Sets, lists, cancels and snoozes alarms and reminders.

    Args:
        alarms: sets and cancels them.
        timers: rings them, and timers.
        texts: the words of each language.
    """

    def __init__(self, alarms: Alarms, timers: Timers, texts: Mapping[Language, Texts]) -> None:
        self._alarms = alarms
        self._timers = timers
        self._texts = texts

    async def answer(self, command: AlarmCommand) -> str:
        """Execute a command and return the answer in its language.

        Raises:
            StorageError: an alarm could not be read or saved.
        """
        match command.wish:
            case AlarmWish.SET:
                return await self._set(command)
            case AlarmWish.LIST:
                return await self._list(command)
            case AlarmWish.SNOOZE:
                return await self._snooze(command)
            case _:
                return await self._cancel(command)

    def _say(self, command: AlarmCommand, key: str, **values: str) -> str:
        return self._texts[command.language](f"alarm.{key}", **values)

    async def _set(self, command: AlarmCommand) -> str:
        request = command.request
        assert request is not None  # noqa: S101 - the command was recognised by its alarm
        try:
            alarm = await self._alarms.set(
                request.said, request.what, command.language, kind=request.kind, waking=request.waking
            )
        except NoTimeError as error:
            return self._say(command, error.problem.value)
        key = "set_reminder" if alarm.name else "set_alarm" if alarm.kind is TimerKind.ALARM else "set_notice"
        return self._say(command, key, when=self._when(alarm, command.language), what=alarm.name)

    def _when(self, alarm: StoredTimer, language: Language) -> str:
        if alarm.repeats is None:
            return spoken_moment(alarm.due_at, self._alarms.now(), language)
        return spoken_recurrence(alarm.repeats, alarm.due_at, language)

    async def _list(self, command: AlarmCommand) -> str:
        alarms = await self._alarms.waiting()
        if not alarms:
            return self._say(command, "none")
        return f"{self._say(command, 'count', count=str(len(alarms)))} {self._named(command, alarms)}."

    def _named(self, command: AlarmCommand, alarms: Sequence[StoredTimer]) -> str:
        names = [
            self._say(
                command,
                "one_reminder" if alarm.name else "one_alarm",
                when=self._when(alarm, command.language),
                what=alarm.name,
            )
            for alarm in alarms
        ]
        return joined(names, command.language)

    async def _cancel(self, command: AlarmCommand) -> str:
        request = command.request
        if request is None and not command.all and await self._timers.dismiss():
            # While one rings, "the alarm" means that one.
            return self._say(command, "silenced")
        alarms = await self._alarms.waiting()
        if not alarms:
            return self._say(command, "none")
        if request is not None:
            cancelled = await self._alarms.cancel(what=request.what, said=request.said)
        elif command.all or len(alarms) == 1:
            cancelled = await self._alarms.cancel(every=True)
        else:
            return self._say(command, "which", alarms=self._named(command, alarms))
        if not cancelled:
            return self._say(command, "no_such", alarms=self._named(command, alarms))
        if len(alarms) > 1 and set(cancelled) == set(alarms):
            return self._say(command, "cancelled_all", count=str(len(cancelled)))
        return self._say(command, "cancelled", alarms=self._named(command, cancelled))

    async def _snooze(self, command: AlarmCommand) -> str:
        seconds = command.duration_s or SNOOZE_S
        if await self._alarms.snooze(seconds):
            return self._say(command, "snoozed", duration=spoken_duration(seconds, command.language))
        if command.duration_s is None:
            return self._say(command, "nothing_rings")
        timer = await self._timers.set(command.duration_s, "", command.language)
        return self._texts[command.language]("timer.set", duration=spoken_duration(timer.duration_s, command.language))
